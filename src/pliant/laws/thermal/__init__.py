"""Temperature of a winding, and its effect on resistance and torque constant. No motor law."""
