"""Friction with memory: its state is a deflection of its own. No budget."""
