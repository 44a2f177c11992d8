"""Clutches and brakes: never negative, within their most, nothing without a command."""

import pytest

from conformance.drawn import draws, each
from pliant.catalogue import Physics, load_law


def told(law: Physics, command: float, p, seconds: float, h: float = 1e-3):
    s = law.module.start(p)
    for _ in range(round(seconds / h)):
        s = law.module.step(s, command, p, h)
    return s


@each("clutch")
def test_capacity_and_damping_rise_with_the_command_and_have_a_most(law: Physics) -> None:
    for p, rng in list(draws(law))[:10]:
        low, high = sorted(rng.uniform(-0.5, 1.5, 2))
        one, two, full = (told(law, u, p, 12.0, 0.1) for u in (low, high, 9.0))
        for quantity in (law.module.capacity, law.module.damping):
            assert 0.0 <= quantity(one, p) <= quantity(two, p) <= quantity(full, p)
        assert law.module.damping(full, p) == pytest.approx(law.module.most_damping(p))


@each("clutch")
def test_released_it_brakes_nothing_and_holds_nothing_unless_there_is_no_clutch(
    law: Physics,
) -> None:
    for p, _ in list(draws(law))[:10]:
        s = told(law, 0.0, p, 12.0, 0.1)
        assert law.module.damping(s, p) == 0.0
        assert law.module.capacity(s, p) == (0.0 if law.name != "none" else law.module.ALL)


def test_a_friction_clutch_takes_its_two_times() -> None:
    law = load_law("clutch", "friction_clutch").module
    p = law.P(T_c=1.2, t_on=0.028, t_off=0.03)
    s, rising, falling = law.start(p), [], []
    for _ in range(40):
        s = law.step(s, 1.0, p, 1e-3)
        rising.append(law.capacity(s, p))
    for _ in range(40):
        s = law.step(s, 0.0, p, 1e-3)
        falling.append(law.capacity(s, p))
    assert rising[13] == pytest.approx(0.6)
    assert rising[26] < 1.2 == pytest.approx(rising[28])
    assert falling[14] == pytest.approx(0.6)
    assert falling[28] > 0.0 == pytest.approx(falling[30], abs=1e-12)
