"""Compilation of laws for every target: source, assembly, link, emit, build. Knows no engine."""
