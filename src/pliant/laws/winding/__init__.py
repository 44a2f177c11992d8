"""What inductance makes of a torque. No motor law."""
