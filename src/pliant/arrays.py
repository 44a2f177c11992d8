"""Array types."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Floating-point numbers; each docstring gives shape and unit."""
Vector = Matrix = Cube = NDArray[np.float64]
"""Contiguous arrays of one, two and three dimensions, as compiled code takes them."""
Integers = IntegerMatrix = NDArray[np.int64]
"""Contiguous arrays of integers."""
Int32 = int
"""An integer that C passes with 32 bits."""
