"""Findings about the times of a robot's recording: its rate, and samples that were held."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog

UNEVEN = 0.2
"""[of the median interval] A spread from the 5 % to the 95 % quantile that is worth a word."""
SOON, OFTEN = 0.4, 0.05
"""[mean intervals] A shorter one is of another program's message; share of such that is worth a word."""
STEPS = 3.0
"""[resolution] A joint that should have moved this far between two samples shows it."""
LEAPS = 5.0
"""Median step to the next sample over that to the next but one: 0.5 of a motion, 1 of noise."""
LEAST_LEAP = 0.01
"""[rad, m] Smaller leaps are of a sensor's last digit."""
HELD = 0.02
"""Share of the samples in motion that repeat the one before, from which it is worth a word."""


def timing_findings(log: RobotLog) -> Iterator[Finding]:
    """Uneven times, and positions that stand still where the joint moves."""
    apart = np.diff(log.time)
    usual = float(np.median(apart))
    low, high = (float(np.quantile(apart, q)) for q in (0.05, 0.95))
    if high - low > UNEVEN * usual:
        text = (
            f"{1 / usual:.4g} Hz in the median; nine of ten intervals are from "
            f"{1e3 * low:.3g} to {1e3 * high:.3g} ms"
        )
        yield Finding("rate", "time", text, "note")
    soon = float(np.mean(apart < SOON * np.mean(apart)))
    if soon > OFTEN:
        text = (
            f"{100 * soon:.0f} % of the samples come much sooner after the one before than others: do two "
            "programs publish them?"
        )
        yield Finding("sources", "time", text, "warning")
    yield from _held(log, usual)
    yield from _two_sources(log)


def _two_sources(log: RobotLog) -> Iterator[Finding]:
    """Joints that leap to and fro between neighbouring samples, though every second sample follows a line."""
    for k, joint in enumerate(log.joints):
        line = log.position[:, k]
        to_next, over_one = (float(np.median(np.abs(line[n:] - line[:-n]))) for n in (1, 2))
        if to_next > LEAPS * over_one and to_next > LEAST_LEAP:
            text = (
                f"leaps by {to_next:.2g} rad to and fro from sample to sample, and every second one follows "
                f"a line: do two programs publish it?"
            )
            yield Finding("sources", f"position_{joint}", text, "warning")


def _held(log: RobotLog, usual: float) -> Iterator[Finding]:
    """Samples whose positions all repeat those before, though the motion around them goes on."""
    still = (np.diff(log.position, axis=0) == 0.0).all(axis=1)
    moving = _moving(log.position)
    share = float(still[moving].mean()) if moving.any() else 0.0
    if share < HELD:
        return
    # Runs of equal samples in motion: their usual length is by how much the stamps are too dense.
    edges = np.flatnonzero(~still & moving)
    times = float(np.median(np.diff(edges))) if len(edges) > 2 else 1.0
    said = f"{100 * share:.0f} % of the samples in motion repeat the one before"
    if times >= 2.0:
        said += (
            f": each stands {times:.0f} times, so that positions were read every "
            f"{1e3 * times * usual:.3g} ms"
        )
    else:
        said += ": the recorder found nothing new, and the positions are older than their times"
    yield Finding("held", "position", said, "warning")


def _moving(position: Floats) -> NDArray[np.bool_]:
    """(N − 1,) intervals before and after which some joint goes on in one direction, by several steps a sample.

    Not where it only begins or ends to move, nor where it turns round: there it may well stand still.
    """
    reach = 10
    moving = np.zeros(len(position) - 1, bool)
    if len(position) < 2 * reach + 2:
        return moving
    for line in position.T:
        apart: Floats = np.diff(np.unique(line))
        if len(apart) == 0:
            continue
        least = STEPS * reach * float(np.quantile(apart, 0.05))
        gone: Floats = line[reach:] - line[:-reach]
        before, after = gone[: -reach - 1], gone[reach + 1 :]
        on = (np.minimum(np.abs(before), np.abs(after)) > least) & (before * after > 0.0)
        moving[reach : len(moving) - reach] |= on
    return moving
