"""Recording of real servos, and emulated buses for tests and rehearsals."""
