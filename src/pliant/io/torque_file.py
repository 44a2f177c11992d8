"""Recordings of torque and deflection, from CSV or JSON.

    q, tau, theta                       one motor
    q, tau, theta_a, theta_b            two motors
    q, tau                              motors held at angles that are given
    branch                              optional: a number for each way up or down

Angles in rad, tau in N m, positive for a positive q - theta.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.io.number_table import read_columns

_MOTORS = (("theta",), ("theta_a", "theta_b"))
_QUANTITIES = {"q": ("angle", "length"), "theta": ("angle", "length"), "tau": ("torque",)}


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueRecording:
    """Columns of a recording: q (N,), tau (N,), theta (N, m) or (m,), branch (N,) or None."""

    q: Floats
    tau: Floats
    theta: Floats
    branch: Floats | None


def read_torque_file(path: str | Path, theta: Sequence[float] = ()) -> TorqueRecording:
    """Read a recording.

    Args:
        path: CSV or JSON file.
        theta: [rad] where the motors were held, for a file without motor columns.

    Raises:
        PliantError: the file cannot be used, or a column is missing.
    """
    with located(path):
        columns = read_columns(path, _QUANTITIES)
        have = _motors(columns, theta)
    motors = np.column_stack([columns[name] for name in have]) if have else np.array(theta, float)
    return TorqueRecording(
        q=columns["q"], tau=columns["tau"], theta=motors, branch=columns.get("branch")
    )


def _motors(columns: Mapping[str, Floats], theta: Sequence[float]) -> tuple[str, ...]:
    """The motor columns that the file has, none where `theta` says where they were held."""
    for name in ("q", "tau"):
        if name not in columns:
            raise PliantError(
                "no such column",
                field=name,
                found=", ".join(columns),
                accepted="q, tau, and theta, or theta_a and theta_b",
            )
    have = tuple(name for name in ("theta", "theta_a", "theta_b") if name in columns)
    if have and theta:
        raise PliantError(
            "motor angles are both in the file and given",
            field="--theta",
            found=", ".join(have),
            accepted="one of both",
        )
    if have not in ((), *_MOTORS) or not (have or theta):
        raise PliantError(
            "motor channel missing",
            field="theta",
            found=", ".join(have) or "none",
            accepted="theta, or theta_a and theta_b, or --theta RAD",
        )
    return have
