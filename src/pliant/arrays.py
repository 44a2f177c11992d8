"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Floating-point numbers; each docstring gives shape and unit."""
Vector = Matrix = Cube = NDArray[np.float64]
"""Of one, two and three dimensions, row after row without gaps: what compiled code takes."""
Integers = IntegerMatrix = NDArray[np.int64]
"""The same of integers."""
Int32 = int
"""An integer that has 32 bits where C hands it over."""
