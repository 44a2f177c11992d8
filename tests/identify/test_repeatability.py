"""Runs of one command against each other."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.identify.problem.repeatability import in_words, repeatability
from pliant.io.log import Log


def test_runs_of_one_command_are_compared_pair_by_pair(logs: list[Log]) -> None:
    """Three runs 0, 3 and 9 mrad off are 3, 6 and 9 mrad from each other: 6 on average."""
    first = logs[0]
    again = [replace(first, position=first.position + off) for off in (0.003, 0.009)]
    found = repeatability([first, *again, *logs[1:]])
    assert found == {first.name: pytest.approx(0.006)}
    assert in_words(found).startswith(
        "repetitions of 1 command differ from each other by 6.0 mrad on average"
    )


def test_other_samples_of_one_motion_are_the_same_motion(logs: list[Log]) -> None:
    first = logs[0]
    half = {name: getattr(first, name)[::2] for name in ("time", "position", "goal", "enabled")}
    (found,) = repeatability([first, replace(first, **half)]).values()
    assert found < 0.001


def test_another_gain_load_or_command_is_no_repetition(logs: list[Log]) -> None:
    first = logs[0]
    others = [
        replace(first, gain=first.gain + 1.0),
        replace(first, mass=0.2),
        replace(first, goal=first.goal + 0.05 * np.sin(first.time)),
        replace(first, enabled=first.enabled & (first.time < 3.0)),
    ]
    assert repeatability([first, *others]) == {}


def test_the_zero_of_each_mounting_is_taken_off_first(logs: list[Log]) -> None:
    first = logs[0]
    moved = replace(first, position=first.position - 0.1, goal=first.goal, zero=0.1)
    (found,) = repeatability([replace(first, zero=0.0), moved]).values()
    assert found == pytest.approx(0.0, abs=1e-12)
