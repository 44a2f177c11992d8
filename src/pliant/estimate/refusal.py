"""Samples that a stiffness estimator cannot take, in words."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError


def refuse_shape(
    q: Floats, theta: Floats, names: Sequence[str], channels: Sequence[str]
) -> NoReturn:
    """Other numbers of joints or motors than there are."""
    if q.shape != (len(names),):
        raise PliantError(
            "wrong number of link positions",
            field="q",
            found=f"shape {q.shape}",
            accepted=f"({len(names)},): {', '.join(names)}",
        )
    missing = channels[theta.size :]
    missing_text = f"motor channel missing: {', '.join(missing)}"
    raise PliantError(
        missing_text if missing else "too many motor channels",
        field="theta",
        found=f"shape {theta.shape}",
        accepted=f"({len(channels)},): {', '.join(channels)}",
    )


def refuse_value(sample: Floats, names: Sequence[str], channels: Sequence[str]) -> NoReturn:
    """Positions that are no numbers; `sample` is (n + m,)."""
    every = [*(f"{name}.q" for name in names), *channels]
    bad = [name for name, value in zip(every, sample, strict=True) if not np.isfinite(value)]
    raise PliantError(
        "is not a number",
        field=", ".join(bad),
        accepted="finite positions [rad]; without a sample leave the step out and call interrupt()",
    )


def refuse_time(t: float, last: float | None, dt: float) -> NoReturn:
    """A time stamp that does not follow the last by dt."""
    raise PliantError(
        "time is not uniform",
        field="t",
        found=f"{t!r} after {last!r}",
        accepted=f"steps of {dt:g} s; after a gap call interrupt()",
    )
