"""Temperatures as servos read them: which are any, and where a recording begins."""

import numpy as np

from pliant.arrays import Floats

AMBIENT = "thermal.ambient"
"""The number of an actuator at which its winding starts [K]."""
ZERO_CELSIUS = 273.15
"""[K]"""
TEMPERATURES = (-40.0, 125.0)
"""[degC] what the sensors of servos are made for."""


def possible(readings: Floats) -> bool:
    """Whether (N,) readings [degC] are all what a servo can have."""
    low, high = TEMPERATURES
    return bool(np.all((readings >= low) & (readings <= high)))


def unread(readings: Floats) -> bool:
    """Whether (N,) readings are 0 throughout, as of a recorder that does not read them."""
    return not bool(readings.any())
