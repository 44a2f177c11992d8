"""What springs are worth: energy of periodic motions; no paper's figure is repeated here."""
