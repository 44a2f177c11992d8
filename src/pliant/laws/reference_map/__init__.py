"""Maps of a joint's two commands to the references of its two motors. No state."""
