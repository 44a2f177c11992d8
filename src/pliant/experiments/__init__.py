"""Recipes of published papers, one room for each paper. Nothing that a robot needs is here."""
