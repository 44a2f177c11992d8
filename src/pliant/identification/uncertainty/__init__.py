"""Uncertainty of numbers and predictions: draws, bands, what the logs cannot separate."""
