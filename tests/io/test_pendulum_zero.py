"""A pendulum held by a weak servo, made by its statics: where gravity pulls tells where it hangs."""

import numpy as np
import pytest

from pliant.io.log import example_logs, read_log
from pliant.io.pendulum_zero import zero_by_gravity

TIME = np.arange(0.0, 20.0, 0.01)
ANGLE = 1.4 * np.sin(0.3 * TIME)
"""[rad] of the pendulum, 0: hanging."""


@pytest.mark.parametrize("zero", [-2.0, 1.0, 1.6, 3.0])
def test_gravity_tells_the_zero(zero: float) -> None:
    line = ANGLE - zero
    goal = line + 0.1 * np.sin(ANGLE) + 0.01 * np.sign(np.cos(0.3 * TIME)) + 0.005
    found = zero_by_gravity(TIME, line, goal, TIME >= 0.0)
    assert found == pytest.approx(zero, abs=0.02)


def test_where_it_is_right_or_gravity_is_not_seen_nothing_is_told() -> None:
    on, noise = TIME >= 0.0, 0.01 * np.random.default_rng(0).normal(size=len(TIME))
    assert zero_by_gravity(TIME, ANGLE, ANGLE + 0.1 * np.sin(ANGLE), on) is None
    assert zero_by_gravity(TIME, ANGLE, ANGLE + noise, on) is None
    for path in example_logs():
        assert not [one for one in read_log(path).findings if one.kind == "zero"], path.name
