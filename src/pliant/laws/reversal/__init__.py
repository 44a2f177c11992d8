"""How much of a friction budget acts after a reversal. A share, not a torque."""
