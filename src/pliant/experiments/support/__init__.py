"""Benches, recordings and pictures shared by recipes. It has no recipe."""
