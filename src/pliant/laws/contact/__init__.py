"""Contact of gear teeth with play: torque of a deflection and its rate. No masses."""
