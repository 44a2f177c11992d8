"""Worth of springs: energy of periodic motions; no paper's figure is repeated here."""
