"""From the two commands of a joint to the references of its two motors. No state."""
