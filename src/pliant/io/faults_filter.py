"""Detection of a low-pass filter between an encoder and the recording, from the recorded values alone.

A driver that smooths its readings x[k] reports y[k] = r y[k-1] + (1 - r) x[k]. While a reading does not change, the
steps of y shrink exactly by r, which nothing else does repeatedly. Undoing the filter with that r gives whole
encoder steps, which the motion of an unfiltered joint never does.

Left out: other filters, such as means of several readings, and encoders without steps.
"""

import numpy as np

from pliant.io.findings import Fault, Finding
from pliant.io.table import Floats, Header, Table

RATIOS = (0.02, 0.99)
"""Range of r searched."""
ALIKE = 1e-3
"""Allowed difference in r between two shrinking steps, because of the digits of the numbers."""
MANY = 20
"""Smallest number of such steps, and of encoder values."""
DUST = 3e-5
"""[rad, m] Closer readings count as equal, because r and the numbers are rounded."""
UNEVEN = 0.1
"""[steps] Largest distance from a whole number of steps for nine of ten readings."""


def check_filtered(table: Table, header: Header) -> list[Fault]:
    """Readings that a driver has low-pass filtered. There is no repair: other drivers filter differently."""
    line = table.channels["position"]
    found = filtered(line) if table.finite("position") else None
    if found is None:
        return []
    ratio, step = found
    late = 1e3 * float(np.median(np.diff(table.time))) * ratio / (1.0 - ratio)
    text = (
        f"is low-pass filtered: each value is {ratio:.3g} times the previous one plus {1.0 - ratio:.3g} times a reading in steps "
        f"of {1e3 * step:.3g} mrad; the filter's lag of {late:.3g} ms would be fitted as the joint's delay: record raw readings"
    )
    return [(Finding("lag", table.names["position"], text, "warning"), None)]


def filtered(line: Floats) -> tuple[float, float] | None:
    """Filter coefficient r, and the steps of the unfiltered readings [rad, m]; None if there is no filter.

    Args:
        line: (N,) [rad, m].
    """
    if _steps(line) is not None:
        return None
    step: Floats = np.diff(line)
    large = np.abs(step[:-1]) > DUST
    ratios: Floats = np.sort(step[1:][large] / step[:-1][large])
    ratios = ratios[(ratios > RATIOS[0]) & (ratios < RATIOS[1])]
    alike = np.searchsorted(ratios, ratios + ALIKE, side="right") - np.arange(len(ratios))
    if alike.max(initial=0) < MANY:
        return None
    first = int(np.argmax(alike))
    ratio = float(np.median(ratios[first : first + alike[first]]))
    size = _steps((line[1:] - ratio * line[:-1]) / (1.0 - ratio))
    return (ratio, size) if size else None


def _steps(readings: Floats) -> float | None:
    """Step size of (N,) readings, apart from a few repaired ones; 0 for too few readings, None if there is no step."""
    apart: Floats = np.diff(np.sort(readings))
    apart = apart[apart > DUST]
    if len(apart) < MANY:
        return 0.0
    size = float(apart.sum() / np.round(apart / np.quantile(apart, 0.05)).sum())
    off = np.abs(apart / size - np.round(apart / size))
    return size if np.quantile(off, 0.9) < UNEVEN else None
