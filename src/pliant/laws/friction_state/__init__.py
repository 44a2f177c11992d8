"""Friction with a deflection of its own, which remembers. No budget."""
