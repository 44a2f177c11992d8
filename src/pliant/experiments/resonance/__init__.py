"""Benefit of springs: energy of periodic motions; no paper's figure is reproduced here."""
