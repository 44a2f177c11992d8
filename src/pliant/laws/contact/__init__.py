"""Contact of gear teeth with play: torque from a deflection and its rate. No masses."""
