"""Engines that advance time: one room each, and `spec` below them for what they share."""
