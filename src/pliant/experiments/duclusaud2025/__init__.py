"""Recipes of Duclusaud et al., ICRA 2025 (extended friction models of servos)."""
