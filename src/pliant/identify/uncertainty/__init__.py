"""How sure numbers and predictions are: bootstrap, bands, what the logs cannot tell apart."""
