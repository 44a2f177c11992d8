"""The joint engine under random commands and pushes against an ODE that shares no code with it.

Springs reach their limits in these runs, and motors their stops.
"""

import numpy as np
import pytest

from .alone import HYSTERETIC, Alone, beginning, case, distances, engine_positions
from .closed import kinds

CASES = [
    *(name for name in kinds() if name != HYSTERETIC),
    "qbmove_maker_pro_pwm",
    "sea_centauro_188",
    "sea_walkman_400",
]


@pytest.mark.parametrize("name", dict.fromkeys(CASES))
def test_the_error_is_of_first_order_in_the_step(name):
    actuator, link, commands = case(name)
    alone = Alone(actuator, link)
    expected = alone.solve(beginning(actuator), commands)
    found = [engine_positions(actuator, link, commands, step) for step in (4e-4, 1e-4)]
    coarse, fine = (np.abs(one - expected).max() for one in found)
    assert np.ptp(expected) > 0.2
    assert fine < 0.002 * np.ptp(expected)
    assert 3.0 < coarse / fine < 5.0
    limits = [number.value for n, number in actuator.numbers.items() if n.endswith("max_def")]
    assert all(alone.deepest > limit for limit in limits)
    assert alone.hits > 0 or actuator.topology.name == "adjustable" or "centauro" in name


@pytest.mark.parametrize("name", ["sea_lime_50_21000", "sea_lemon_50_6000", "sea_walkman_400"])
def test_the_error_is_of_first_order_where_coarse_steps_are_another_motion(name):
    """At 1 ms they sub-step, or pass a limit at another instant: ten to one would not show the order."""
    _, (coarse, fine) = distances(name, (1e-4, 2.5e-5))
    assert coarse / fine == pytest.approx(4.0, rel=0.1)
