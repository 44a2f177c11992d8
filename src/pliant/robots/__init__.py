"""Whole robots: what needs both the physics engine and what is made of a model."""
