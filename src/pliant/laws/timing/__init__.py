"""Age of the command that acts now. No history: engines keep it."""
