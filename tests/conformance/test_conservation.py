"""Link and motors on a spring, without friction or drive: three seconds keep their energy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pliant.io.actuator_file import load_actuator

BAR = 1e-6
LINK, ROTOR, PIVOT = 0.01, 0.0233, 5.0
"""kg m^2, kg m^2, kg: the pivot of an adjuster that slides is heavy enough to stay on its lever."""

Loads = Callable[..., list[float]]


def springs(name: str, port: str) -> tuple[Any, Any]:
    """A published actuator's spring and its numbers."""
    actuator = load_actuator(name)
    law = actuator.laws[port].module
    return law, law.P(*(actuator.value(f"{port}.{field}") for field in law.P._fields))


def drift(energy: Callable[..., float], loads: Loads, inertia: np.ndarray, start: Any) -> float:
    """Largest change of the energy, as a part of it; `loads` are its slopes by the law."""
    n = len(inertia)

    def motion(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], -np.array(loads(*y[:n])) / inertia])

    y0 = np.concatenate([start, np.zeros(n)])
    done = solve_ivp(motion, (0.0, 3.0), y0, method="DOP853", rtol=1e-10, atol=1e-12)
    assert done.success
    whole = np.array([energy(*y[:n]) + 0.5 * inertia @ y[n:] ** 2 for y in done.y.T])
    assert np.ptp(done.y[0]) > 0.01  # it has moved
    return float(np.max(np.abs(whole - whole[0])) / whole[0])


@pytest.mark.parametrize(
    "name",
    [
        "qbmove_maker_pro",
        "qbmove_maker_pro_ilc",
        "qbmove_advanced",
        "qbmove_advanced_equal",
        "qbmove_advanced_alterego",
        "qbmove_ilc_joint_1",
        "qbmove_ilc_joint_2",
        "bavs",
        "antagonistic_quadratic",
    ],
)
def test_two_springs_against_each_other_conserve_energy(name: str) -> None:
    (law, one), (_, two) = springs(name, "spring_1"), springs(name, "spring_2")

    def energy(q: float, a: float, b: float) -> float:
        return law.energy(q - a, one) + law.energy(q - b, two)

    def loads(q: float, a: float, b: float) -> list[float]:
        first, second = law.torque(q - a, one), law.torque(q - b, two)
        return [first + second, -first, -second]

    inertia = np.array([LINK, ROTOR, ROTOR])
    assert drift(energy, loads, inertia, [0.1, 0.2, -0.2]) <= BAR


@pytest.mark.parametrize("name", ["sea_walkman_200", "sea_walkman_400", "sea_trumic_103"])
def test_a_series_spring_conserves_energy(name: str) -> None:
    law, p = springs(name, "spring")

    def loads(q: float, theta: float) -> list[float]:
        return [law.torque(q - theta, p), -law.torque(q - theta, p)]

    inertia = np.array([LINK, ROTOR])
    assert drift(lambda q, t: law.energy(q - t, p), loads, inertia, [0.1, 0.0]) <= BAR


@pytest.mark.parametrize(
    ("name", "q", "x"),
    [
        ("awas", 0.1, 10.0),
        ("awas_ii", 0.05, 0.02),
        ("maccepa_vd", 0.1, 0.8),
        ("edinburgh_vsa", 0.1, 1.0),
    ],
)
def test_a_spring_conserves_energy_with_its_adjuster(name: str, q: float, x: float) -> None:
    law, p = springs(name, "spring")

    def loads(*pose: float) -> list[float]:
        return [law.torque(*pose, p), law.load(*pose, p), law.adjuster_load(*pose, p)]

    adjuster = PIVOT if law.ADJUSTER == "m" else ROTOR
    inertia = np.array([LINK, ROTOR, adjuster])
    assert drift(lambda *pose: law.energy(*pose, p), loads, inertia, [q, 0.0, x]) <= BAR
