"""A motor's rotor behind its gear: position and speed. No torque of its own."""
