"""Times that cannot be in seconds: a log in nanoseconds is 30 years long, and would be simulated.

Servos are sampled every 1 to 20 ms, and a run lasts minutes.
"""

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

SLOW, SLOWEST = 0.1, 0.5
"""[s] A median interval from which on a time is unusual; from which on it is refused."""
LONG, LONGEST = 3600.0, 86400.0
"""[s] The same of the whole."""
LONGEST_GAP = 600.0
"""[s] Between two samples."""
FASTEST = 1e-6
"""[s] A median interval below which a time is refused: no recorder is so fast."""

_UNITS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def suspected(usual: float) -> str:
    """The unit in which a time has so long a median interval, "ms" for 5 s; a guess, in words."""
    for unit, size in _UNITS.items():
        if 2e-4 <= usual * size <= SLOW:
            return f"the time is probably in {unit}, not in s"
    return "the time may be in ms or us, not in s"


def implausible(time: Floats) -> str | None:
    """Reason why (N,) rising times cannot be a recording's in seconds; None where they can."""
    steps = np.diff(time)
    usual, length, gap = float(np.median(steps)), float(time[-1] - time[0]), float(steps.max())
    said = f"{usual:.4g} s between samples and {length:.4g} s in all"
    if usual >= SLOWEST:
        return f"{said}: {suspected(usual)}"
    if usual < FASTEST:
        return f"{said}: the time is not in s"
    if gap >= LONGEST_GAP:
        return f"a gap of {gap:.4g} s where {usual:.4g} s is usual: cut the file there"
    if length >= LONGEST:
        return f"{said}: more than a day; cut the file"
    return None


def check_plausible(time: Floats) -> None:
    """Refuse (N,) rising times that are not in seconds.

    Raises:
        PliantError: with the suspected unit.
    """
    said = implausible(time)
    if said is not None:
        accepted = f"seconds, {FASTEST:g} to {SLOWEST:g} s between samples"
        raise PliantError(said, field="time", accepted=accepted)
