"""Age of the command that acts now. No command history: engines keep it."""
