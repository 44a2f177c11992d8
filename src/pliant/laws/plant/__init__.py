"""Benches: inertia and gravity of the load that a joint moves. Never part of an actuator."""
