"""Hysteresis of a spring: a torque that depends on the history of the deflection."""
