"""Recipes of Parnenzini (qbmove Maker Pro)."""
