"""Recipes of published papers, a room for each paper. Nothing that a robot needs lives here."""
