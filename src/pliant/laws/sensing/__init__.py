"""The firmware's view of an angle. No delay (`timing`)."""
