"""When the command was given that acts now. No history: engines keep it."""
