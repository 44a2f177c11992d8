"""Recording of real servos, and buses that are emulated for tests and dry runs."""
