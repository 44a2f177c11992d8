"""A page in the browser that shows a robot's joints while they move: `pliant view`."""
