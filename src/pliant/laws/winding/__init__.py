"""Effect of the winding's inductance on the torque. No motor law."""
