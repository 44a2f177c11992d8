"""The physics: one effect, one file, in plain Python on floats."""
