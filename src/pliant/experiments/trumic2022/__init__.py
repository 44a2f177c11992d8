"""Recipes of Trumić et al. 2022 (stiffness without force sensors)."""
