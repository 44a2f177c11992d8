"""Wiring between laws: each port takes any law of a family. No particular law, no device data."""
