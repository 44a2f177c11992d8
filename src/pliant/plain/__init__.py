"""Plain numbers for other simulators, fitted to an actuator, with what they cost: `pliant.export`."""
