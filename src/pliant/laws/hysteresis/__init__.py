"""Hysteresis of a spring: a torque that depends on how the deflection came about."""
