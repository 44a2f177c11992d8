"""Fit the actuators of an assembled robot to ordinary motions of it."""
