"""Recordings of a part of a joint, from CSV or JSON: motors behind springs, pendulums moved by hand."""

from pathlib import Path

from pliant.arrays import Floats
from pliant.errors import located
from pliant.io.number_table import read_columns

_ANGLES = ("q", "theta", "theta_a", "theta_b", "adjuster", "goal", "preset")
_QUANTITIES = {
    **dict.fromkeys(_ANGLES, ("angle", "length")),
    **dict.fromkeys(("theta_low", "theta_high"), ("angle",)),
    **dict.fromkeys(("tau", "tau_m"), ("torque",)),
    **{one: (one,) for one in ("time", "mass", "length")},
}


def read_part_file(path: str | Path) -> dict[str, Floats]:
    """(N,) columns of a table in SI units; see `fit_motor_side` and `fit_static_extremes`."""
    with located(path):
        return read_columns(path, _QUANTITIES)
