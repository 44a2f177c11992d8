"""Uncertainty of parameters and predictions: posterior draws, bands, inseparable parameters."""
