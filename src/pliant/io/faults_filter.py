"""A low-pass filter between an encoder and what was recorded, found from its numbers alone.

A driver that smooths its readings x[k] reports y[k] = r y[k-1] + (1 - r) x[k]. While a reading does not change, the
steps of y shrink by r, exactly: nothing else does so again and again. With that r undone, the readings are whole
steps of an encoder, which the motion of a joint that is not filtered never is.

Left out: other filters, such as means of several readings, and encoders without steps.
"""

import numpy as np

from pliant.io.findings import Fault, Finding
from pliant.io.table import Floats, Header, Table

RATIOS = (0.02, 0.99)
"""Part r of the last value that is looked for."""
ALIKE = 1e-3
"""By which two shrinking steps may differ in r: numbers are written down with so many digits."""
MANY = 20
"""Such steps, and values of the encoder, at least."""
DUST = 3e-5
"""[rad, m] Closer readings are one: r and the numbers were rounded."""
UNEVEN = 0.1
"""[steps] By which nine of ten readings are off a whole number of them, at most."""


def check_filtered(table: Table, header: Header) -> list[Fault]:
    """Readings that a driver has low-passed. There is no repair: other drivers filter otherwise."""
    line = table.channels["position"]
    found = filtered(line) if table.finite("position") else None
    if found is None:
        return []
    ratio, step = found
    late = 1e3 * float(np.median(np.diff(table.time))) * ratio / (1.0 - ratio)
    text = (
        f"is low-passed: each value is {ratio:.3g} of the one before and {1.0 - ratio:.3g} of a reading in steps of "
        f"{1e3 * step:.3g} mrad, {late:.3g} ms late, which a fit takes for the joint's own delay: record what was read"
    )
    return [(Finding("lag", table.names["position"], text, "warning"), None)]


def filtered(line: Floats) -> tuple[float, float] | None:
    """Part r of the last value that a filter keeps, and the steps of the readings behind it [rad, m]; None where there is none.

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
    """Size of the steps that (N,) readings are in, but for a few that were mended; 0 of a few, None where there is none."""
    apart: Floats = np.diff(np.sort(readings))
    apart = apart[apart > DUST]
    if len(apart) < MANY:
        return 0.0
    size = float(apart.sum() / np.round(apart / np.quantile(apart, 0.05)).sum())
    off = np.abs(apart / size - np.round(apart / size))
    return size if np.quantile(off, 0.9) < UNEVEN else None
