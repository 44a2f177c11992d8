"""A motor's mass behind its gear: place and speed. No torque of its own."""
