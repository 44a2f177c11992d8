"""Search for the best point, from residuals alone. Nothing of actuators or logs."""
