"""Recorded encoders of compliant joints, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

Kind = Literal["sea", "svsa", "avsa"]

MOTORS: Mapping[str, tuple[str, ...]] = {
    "sea": ("theta",),
    "svsa": ("theta", "adjuster"),
    "avsa": ("theta_a", "theta_b"),
}
"""The motor channels that each kind of joint has, in their order."""

JITTER = 0.02
"""Tolerance of a time stamp, as a fraction of the time step."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EncoderLog:
    """Link and motor positions at uniform times.

    Attributes:
        time: (N,) [s].
        q: (N, n) link positions [rad].
        theta: (N, m) motor positions on the joint side of the gear [rad], the channels of each
            joint after those of the joint before (see `Joint.motors`).

    Raises:
        PliantError: shapes that do not fit, values that are no numbers, time that is not uniform.
    """

    time: Floats
    q: Floats
    theta: Floats

    def __post_init__(self) -> None:
        for name in ("time", "q", "theta"):
            value = np.ascontiguousarray(getattr(self, name), np.float64)
            if name != "time" and value.ndim == 1:
                value = value[:, None]
            if len(value) != len(np.atleast_1d(self.time)):
                raise PliantError(
                    "wrong number of rows for these times",
                    field=name,
                    found=f"{len(value)} rows",
                    accepted=f"{len(self.time)} rows",
                )
            bad = ~np.isfinite(value)
            if bad.any():
                where = tuple(int(i) for i in np.argwhere(bad)[0])
                raise PliantError(
                    "is not a number",
                    field=f"{name}{list(where)}",
                    found=float(value[where]),
                    accepted="finite values",
                )
            object.__setattr__(self, name, value)
        self._check_time()

    def _check_time(self) -> None:
        if len(self.time) < 2:
            raise PliantError("too short", field="time", found=len(self.time), accepted="from 2")
        steps = np.diff(self.time)
        off = np.abs(steps - self.dt) > JITTER * abs(self.dt)
        if not self.dt > 0.0 or off.any():
            row = int(np.argmax(off)) + 1
            raise PliantError(
                "time is not uniform",
                field=f"time[{row}]",
                found=f"a step of {steps[row - 1]:.6g} s where most are {self.dt:.6g} s",
                accepted="equal steps: resample, or cut the log at the gap",
            )

    @property
    def dt(self) -> float:
        """[s] The time step."""
        return float(np.median(np.diff(self.time)))
