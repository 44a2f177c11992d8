"""Broken files of every kind: what a reader may do with them, and what it must never do."""
