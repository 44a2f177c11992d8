"""Temperature of a winding, and what it makes of resistance and torque constant. No motor law."""
