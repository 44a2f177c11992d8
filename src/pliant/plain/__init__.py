"""Plain numbers for other simulators, fitted to an actuator, with their error: `pliant.export`."""
