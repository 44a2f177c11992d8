"""Drivers: the voltage under load, and only under load."""

import pytest
from scipy.optimize import brentq

from conformance.drawn import draws, each, signed
from pliant.catalogue import Physics, load_law


@each("driver")
def test_the_bus_is_between_nothing_and_the_supply(law: Physics) -> None:
    for p, rng in draws(law):
        duty, supply, e, r = _load(rng)
        assert 0.0 <= law.module.bus(duty, supply, e, r, p) <= supply


@each("driver")
def test_no_sag_without_current_or_while_regenerating(law: Physics) -> None:
    for p, rng in draws(law):
        duty, supply, _, r = _load(rng)
        assert law.module.bus(0.0, supply, signed(rng, 0.1, 30.0), r, p) == supply
        fed_back = duty * supply * rng.uniform(1.0, 3.0)
        assert law.module.bus(duty, supply, fed_back, r, p) == supply


def test_a_resistance_of_zero_is_the_ideal_supply() -> None:
    sag, ideal = (load_law("driver", n).module for n in ("supply_resistance", "ideal_supply"))
    for _, rng in draws(load_law("driver", "supply_resistance")):
        load = _load(rng)
        assert sag.bus(*load, sag.P(0.0)) == pytest.approx(ideal.bus(*load, ideal.P()), rel=1e-15)


def test_the_sag_is_what_the_supply_resistance_drops() -> None:
    """U = U0 - R_s duty i(U), i(U) = (duty U - e) / R, solved by bisection."""
    law = load_law("driver", "supply_resistance")
    sagged, collapsed = 0, 0
    for p, rng in draws(law):
        duty, supply, e, r = _load(rng)

        def missing(u: float) -> float:
            return supply - p.R_s * max(duty * (duty * u - e) / r, 0.0) - u  # noqa: B023

        solved = max(float(brentq(missing, -1e6, supply + 1.0, xtol=1e-13)), 0.0)
        assert law.module.bus(duty, supply, e, r, p) == pytest.approx(solved, rel=1e-10, abs=1e-10)
        sagged += solved < 0.99 * supply
        collapsed += solved == 0.0
    assert sagged > 5
    assert collapsed > 0


def _load(rng: object) -> tuple[float, float, float, float]:
    """Duty, supply, back-EMF, winding resistance."""
    draw = rng.uniform
    return draw(-1.0, 1.0), draw(5.0, 48.0), draw(-80.0, 80.0), draw(0.1, 20.0)
