"""Times at which a controller runs. No control law."""
