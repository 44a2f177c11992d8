"""Recordings of a part of a joint, from CSV or JSON: motors behind springs, pendulums moved by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.io.number_table import read_columns

_ANGLE = ("angle", "length")
_MOTORS = dict.fromkeys(("q", "theta", "theta_a", "theta_b", "adjuster", "goal", "preset"), _ANGLE)
_MOTOR_SIDE = {"time": ("time",), "tau": ("torque",), **_MOTORS}
_EXTREMES = {
    "tau_m": ("torque",),
    "theta_low": ("angle",),
    "theta_high": ("angle",),
    "mass": ("mass",),
    "length": ("length",),
}


def read_motor_side(path: str | Path) -> dict[str, Floats]:
    """(N,) columns time, q, goal and motors, and perhaps preset and tau; see `fit_motor_side`."""
    return _columns(path, _MOTOR_SIDE, ("time", "q", "goal"))


def read_static_extremes(path: str | Path) -> dict[str, Floats]:
    """(N,) columns tau_m, theta_low, theta_high, mass, length; see `fit_static_extremes`."""
    return _columns(path, _EXTREMES, tuple(_EXTREMES))


def _columns(
    path: str | Path, quantities: Mapping[str, Sequence[str]], needed: Sequence[str]
) -> dict[str, Floats]:
    with located(path):
        columns = read_columns(path, quantities)
        for name in needed:
            if name not in columns:
                raise PliantError(
                    "no such column", field=name, found=", ".join(columns), accepted=list(needed)
                )
        return columns
