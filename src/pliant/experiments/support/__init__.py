"""Benches, recordings and pictures that recipes share. No recipe of its own."""
