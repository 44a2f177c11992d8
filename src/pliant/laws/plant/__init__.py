"""Benches: inertia and gravity of what a joint moves. Never part of an actuator."""
