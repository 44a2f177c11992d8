"""Uncertainty of numbers and predictions: bootstrap, bands, what the logs cannot separate."""
