"""A pendulum on a weak servo, stepped by hand, and recorded ones: gravity tells where they hang."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.arrays import Floats
from pliant.io.log import check_log, example_logs, read_log
from pliant.io.pendulum_zero import zero_by_gravity

TIME = np.arange(0.0, 8.0, 0.005)
GOAL = 1.2 * np.sin(1.7 * TIME) + 0.5 * np.sin(4.1 * TIME)
"""[rad] From where it hangs."""
MASS, LENGTH = 0.5, 0.1


def moved(on: Floats, gravity: float = 9.81) -> Floats:
    """(N,) [rad] with dry and viscous friction, a rotor, and a pull of 2 N m/rad up to 0.8 N m."""
    q, v, line = 0.0, 0.0, []
    for goal, power in zip(GOAL, on, strict=True):
        line.append(q)
        for _ in range(20):
            pull = power * np.clip(2.0 * (goal - q) - 0.5 * v, -0.8, 0.8)
            drag = 0.05 * np.tanh(v / 1e-3) + 0.01 * v
            v += (
                2.5e-4 * (pull - drag - gravity * MASS * LENGTH * np.sin(q)) / (MASS * 0.01 + 0.002)
            )
            q += 2.5e-4 * v
    return np.round(np.array(line) / 1.5e-3) * 1.5e-3


@pytest.mark.parametrize("zero", [-2.0, 1.6, 3.0])
@pytest.mark.parametrize("off", [np.inf, 6.0], ids=["on", "then off"])
def test_gravity_tells_the_zero(zero: float, off: float) -> None:
    on = off > TIME
    line = moved(on)
    found = zero_by_gravity(TIME, line - zero, GOAL - zero, on, LENGTH / 9.81)
    assert found == pytest.approx(zero, abs=0.1)
    assert zero_by_gravity(TIME, line, GOAL, on, LENGTH / 9.81) is None


def test_where_there_is_no_gravity_nothing_is_told() -> None:
    on = TIME >= 0.0
    line = moved(on, gravity=0.0)
    for zero in (0.0, 1.6, 3.0):
        assert zero_by_gravity(TIME, line - zero, GOAL - zero, on, LENGTH / 9.81) is None


def test_recorded_pendulums_hang_at_zero_and_upside_down_all_are_told() -> None:
    told: list[float] = []
    for path in example_logs():
        log = read_log(path)
        assert not [one for one in log.findings if one.kind == "zero"], path.name
        on, ratio = log.enabled > 0.5, log.length / 9.81
        found = zero_by_gravity(log.time, log.position - np.pi, log.goal - np.pi, on, ratio)
        told += [] if found is None else [abs(found)]
    assert len(told) == len(example_logs())
    assert told == pytest.approx([np.pi] * len(told), abs=0.4)  # where the range is narrow


@pytest.mark.parametrize("off", [np.pi, 0.5 * np.pi, -0.5 * np.pi])
def test_a_quarter_turn_is_named(
    run: dict[str, Any], write: Callable[..., Path], off: float
) -> None:
    for entry in run["entries"]:
        entry["position"] += off
        entry["goal_position"] += off
    (said,) = [one.message for one in check_log(write(run)) if one.kind == "zero"]
    assert f"hung down at {off:+.2f} rad" in said
