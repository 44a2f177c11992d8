"""A resistance in the circuit only while the bridge drives, against its circuit."""

import numpy as np
import pytest
from scipy.optimize import brentq

from conformance.drawn import draws
from pliant.catalogue import load_law

LAW = load_law("driver", "pulsed_supply")


def _load(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Duty, supply, back-EMF, winding resistance."""
    draw = rng.uniform
    return draw(-1.0, 1.0), draw(5.0, 48.0), draw(-80.0, 80.0), draw(0.1, 20.0)


def test_the_drop_is_the_windings_current_through_the_resistance() -> None:
    """U = U0 - R_s |i(U)|, i(U) = (duty U - e) / R, while it drives; solved by bisection."""
    driven, collapsed = 0, 0
    for p, rng in draws(LAW):
        duty, supply, e, r = _load(rng)
        side = np.sign(duty)

        def missing(u: float) -> float:
            i = side * (duty * u - e) / r  # noqa: B023
            return supply - p.R_s * max(i, 0.0) - u  # noqa: B023

        solved = max(float(brentq(missing, -1e6, supply + 1.0, xtol=1e-13)), 0.0)
        assert LAW.module.bus(duty, supply, e, r, p) == pytest.approx(solved, rel=1e-10, abs=1e-10)
        driven += solved < 0.99 * supply
        collapsed += solved == 0.0
    assert driven > 5
    assert collapsed > 0


def test_at_stall_it_is_as_resistors_in_series_for_a_part_of_the_time() -> None:
    """Duty 1: R + R_s. Duty 1/2: R and half of R_s; with a capacitor it would be a quarter."""
    supply, r, p = 7.4, 3.0, LAW.module.P(2.0)
    for duty, total in ((1.0, 5.0), (0.5, 4.0), (-0.5, 4.0)):
        current = duty * LAW.module.bus(duty, supply, 0.0, r, p) / r
        assert current == pytest.approx(duty * supply / total, rel=1e-12)


def test_at_full_duty_it_is_the_other_supplys_resistance() -> None:
    """There are no pulses to be averaged."""
    averaged = load_law("driver", "supply_resistance").module
    for p, rng in draws(LAW):
        _, supply, e, r = _load(rng)
        for duty in (-1.0, 1.0):
            expected = averaged.bus(duty, supply, e, r, averaged.P(p.R_s))
            assert LAW.module.bus(duty, supply, e, r, p) == pytest.approx(expected, rel=1e-12)
