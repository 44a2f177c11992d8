"""Limits of a spring's deflection. No spring of its own."""
