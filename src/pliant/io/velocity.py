"""Check of the velocity channel: is it the derivative of the position, in which unit, how late?

Firmware reports a filtered velocity. It is compared with the derivative of the position,
both smoothed alike: velocity(t) = scale · derivative(t - lag).

Left out: a filter's phase beyond a pure lag; logs that hardly move, where neither scale nor
lag can be told (they get no finding).
"""

from collections.abc import Mapping
from itertools import pairwise
from math import log, pi
from typing import NamedTuple

import numpy as np

from pliant.io.findings import Fault, Finding
from pliant.io.table import Floats, Header, Table

SMOOTHING = 0.010
"""[s] standard deviation of the Gaussian, at least 1.5 median intervals."""

EARLIEST, LATEST = -0.030, 0.100
"""[s] the range of lags searched, at least 4 and 10 median intervals."""

LEAST_MOTION = 0.05
"""[rad/s] rms; below, the position quantum hides the velocity."""

UNRELATED = 0.3
"""Share of the velocity's power that the best scale and lag may leave unexplained."""

LAG_MATTERS = 1.5
"""Ratio by which the lag must reduce the unexplained power to be accepted."""

TOLERANCE = 1.15
"""Ratio within which a scale counts as that of a unit; recordings show 0.99 to 1.05."""

SURELY = 1.03
"""The same of any unit but rad/s: a gear of 6 would be one of turns/s otherwise, and one of 9 or 10 of rpm."""

VELOCITY_UNITS = {
    "rad/s": 1.0,
    "deg/s": 180.0 / pi,
    "rpm": 30.0 / pi,
    "turns/s": 0.5 / pi,
    "0.229 rpm": 30.0 / pi / 0.229,
    "4096 counts/s": 4096.0 / (2.0 * pi),
    "mrad/s": 1e3,
}
"""Counts for 1 rad/s."""

POSITION_UNITS = {"degrees": pi / 180.0, "counts of a 12-bit encoder": 2.0 * pi / 4096.0}
"""Position units in rad; a position in such a unit makes a speed in rad/s look too small by this factor."""


class Relation(NamedTuple):
    """Relation between the velocity channel and the position."""

    scale: float
    """[counts per rad/s], negative where the sign is turned."""
    lag: float
    """[s] positive where the velocity comes late."""
    left: float
    """Unexplained share of power with that scale and lag."""
    left_unlagged: float
    """The same without a lag."""


def relation(time: Floats, position: Floats, velocity: Floats) -> Relation | None:
    """Scale and lag by least squares, or None where the log moves too little to tell."""
    piece = max(_pieces(time), key=lambda s: s.stop - s.start)
    time, position, velocity = time[piece], position[piece], velocity[piece]
    if len(time) < 16:
        return None
    usual = float(np.median(np.diff(time)))
    step = max(usual / 4.0, 5e-4)
    early = -int(max(-EARLIEST, 4.0 * usual) / step)
    late = int(max(LATEST, 10.0 * usual) / step)
    grid = np.arange(time[0], time[-1], step)
    margin = max(late, -early)
    if len(grid) < 4 * margin:
        return None
    rate = _rate(grid, time, position, usual)
    told = _smoothed(np.interp(grid, time, velocity), step, usual)[margin:-margin]
    if float(np.sqrt(np.mean(rate**2))) < LEAST_MOTION:
        return None
    return _best_lag(rate, told, margin, early, late, step)


def derivative(time: Floats, position: Floats) -> Floats:
    """Derivative of the position [rad/s] at each time, smoothed as `SMOOTHING` says."""
    usual = float(np.median(np.diff(time)))
    rates = np.empty_like(position)
    for piece in _pieces(time):
        t, x = time[piece], position[piece]
        step = max(usual / 4.0, 5e-4)
        grid = np.arange(t[0], t[-1], step)
        if len(grid) < 4:
            rates[piece] = (x[-1] - x[0]) / (t[-1] - t[0]) if len(t) > 1 else 0.0
        else:
            rates[piece] = np.interp(t, grid, _rate(grid, t, x, usual))
    return rates


def check_velocity_unit(table: Table, header: Header) -> list[Fault]:
    """Faults of a velocity in another unit, or in none that fits."""
    found = _relation_of(table)
    if found is None:
        return []
    name = table.names["velocity"]
    if found.left > UNRELATED:
        text = (
            "is not the derivative of position with any scale or lag "
            f"({100 * found.left:.0f} % unexplained)"
        )
        finding = Finding("velocity-unit", name, text, "error", repair="velocity-unit")
        return [(finding, _derived)]
    unit = _nearest(found.scale, VELOCITY_UNITS)
    if unit == "rad/s" and found.scale > 0:
        return []
    if unit is None and (angle := _nearest(found.scale, POSITION_UNITS)) is not None:
        text = (
            f"looks like {angle}, not rad: {name} is {found.scale:.4g} times its derivative; "
            "no repair, state the unit or convert it"
        )
        return [(Finding("position-unit", table.names["position"], text, "error"), None)]
    text = f"is {found.scale:.4g} times the derivative of position"
    off = 0.0 if unit in (None, "rad/s") else abs(log(abs(found.scale) / VELOCITY_UNITS[unit]))
    if unit is None or off > log(SURELY):
        beside = f"; {unit} is the nearest" if unit else ""
        text += f": {_as_gear(found.scale)}{beside}"
        return [(Finding("velocity-unit", name, text, "error", repair="velocity-unit"), _derived)]
    sign = "" if found.scale > 0 else ", with the sign turned"
    factor = VELOCITY_UNITS[unit] * (1.0 if found.scale > 0 else -1.0)
    text += f": in {unit}{sign}"
    finding = Finding("velocity-unit", name, text, "error", repair="velocity-unit")
    return [(finding, lambda t: t.put("velocity", t.channels["velocity"] / factor))]


def check_velocity_lag(table: Table, header: Header) -> list[Fault]:
    """A velocity that comes later (or earlier) than the motion."""
    found = _relation_of(table)
    if found is None or found.left > UNRELATED:
        return []
    least = max(0.002, 0.5 * float(np.median(np.diff(table.time))))
    if abs(found.lag) < least or found.left_unlagged < LAG_MATTERS * found.left:
        return []
    side = "lags" if found.lag > 0 else "leads"
    text = f"{side} the derivative of position by {1e3 * abs(found.lag):.1f} ms"
    name = table.names["velocity"]
    return [(Finding("velocity-lag", name, text, "warning", repair="velocity-lag"), _derived)]


GEARED = 1.5
"""Ratio from which (or from whose inverse) a velocity may be from the other side of a gear."""


def _as_gear(scale: float) -> str:
    """Possible reason for a scale that matches no unit."""
    ratio, sign = abs(scale), "" if scale > 0.0 else ", with the sign turned"
    if ratio >= GEARED:
        return f"in no known unit; it may be a motor's speed, before a gear of {ratio:.4g}{sign}"
    if ratio <= 1.0 / GEARED:
        gear = 1.0 / ratio
        return f"in no known unit; it may be a speed behind a further gear of {gear:.4g}{sign}"
    return "in no known unit"


def _relation_of(table: Table) -> Relation | None:
    if not table.finite("position") or not table.finite("velocity"):
        return None
    return relation(table.time, table.channels["position"], table.channels["velocity"])


def _derived(table: Table) -> Table:
    return table.put("velocity", derivative(table.time, table.channels["position"]))


def _nearest(scale: float, units: Mapping[str, float]) -> str | None:
    """The unit whose size is nearest to the scale, if near enough."""
    off = {unit: abs(log(abs(scale) / size)) for unit, size in units.items()}
    unit = min(off, key=lambda name: off[name])
    return unit if off[unit] < log(TOLERANCE) else None


def _best_lag(
    rate: Floats, told: Floats, margin: int, early: int, late: int, step: float
) -> Relation:
    """Least squares at every lag of the grid, then the vertex of the parabola around the best."""
    power = float(told @ told) or 1e-300
    lags = np.arange(early, late + 1)
    scales, left = np.empty(len(lags)), np.empty(len(lags))
    for i, lag in enumerate(lags):
        shifted = rate[margin - lag : len(rate) - margin - lag]
        size = float(shifted @ shifted) or 1e-300
        scales[i] = float(shifted @ told) / size
        left[i] = 1.0 - scales[i] ** 2 * size / power
    best = int(np.argmin(left))
    shift = 0.0
    if 0 < best < len(lags) - 1:
        before, at, after = left[best - 1 : best + 2]
        bend = before - 2.0 * at + after
        shift = 0.5 * (before - after) / bend if bend > 0 else 0.0
    unlagged = float(left[lags == 0][0])
    return Relation(
        float(scales[best]), float(lags[best] + shift) * step, max(float(left[best]), 0.0), unlagged
    )


def _rate(grid: Floats, time: Floats, position: Floats, usual: float) -> Floats:
    step = float(grid[1] - grid[0])
    return np.gradient(_smoothed(np.interp(grid, time, position), step, usual), step)


def _smoothed(values: Floats, step: float, usual: float) -> Floats:
    """Gaussian smoothing; the ends are continued by point reflection, which keeps slopes."""
    width = max(SMOOTHING, 1.5 * usual)
    reach = int(4.0 * width / step)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    padded = np.pad(values, reach, mode="reflect", reflect_type="odd")
    smooth: Floats = np.convolve(padded, weights / weights.sum(), "valid").astype(np.float64)
    return smooth


def _pieces(time: Floats) -> list[slice]:
    """The stretches between gaps."""
    steps = np.diff(time)
    cuts = np.flatnonzero(steps > 4.0 * np.median(steps)) + 1
    edges = [0, *(int(cut) for cut in cuts), len(time)]
    return [slice(a, b) for a, b in pairwise(edges)]
