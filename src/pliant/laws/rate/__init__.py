"""When a controller runs. No control law."""
