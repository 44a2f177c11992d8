"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Floating-point numbers; each docstring gives shape and unit."""
Vector = Matrix = Cube = NDArray[np.float64]
"""Arrays of one, two and three dimensions without gaps, as compiled code takes them."""
Integers = IntegerMatrix = NDArray[np.int64]
"""The same of integers."""
Int32 = int
"""An integer that has 32 bits where C hands it over."""
