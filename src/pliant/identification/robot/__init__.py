"""Fit the actuators of an assembled robot to its ordinary motions."""
