"""How the best point is found, from residuals alone. Nothing of actuators or logs."""
