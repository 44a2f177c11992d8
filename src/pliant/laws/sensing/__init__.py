"""What the firmware sees of an angle. No delay (`timing`)."""
