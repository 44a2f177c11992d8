"""Share of a friction budget that acts after a reversal. No torque."""
