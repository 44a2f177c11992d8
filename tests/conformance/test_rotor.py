"""The rotor with inertia: its own motion by scipy, and the speed to which the motor drives it."""

import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from conformance.drawn import draws, size
from pliant.catalogue import load_law

ROTOR = load_law("rotor", "inertia")
J, D, FREE = 0.02, 0.3, 1e3


def speed(omega: float, torque: float, h: float) -> float:
    """J dom = tau - D om from `omega`, by scipy."""
    run = solve_ivp(
        lambda t, w: (torque - D * w) / J, (0.0, h), [omega], method="Radau", rtol=1e-10, atol=1e-12
    )
    return float(run.y[0, -1])


def kicked(omega: float, tau_m: float, tau: float, h: float, limit: float) -> float:
    r = ROTOR.module
    return r.kick(r.S(0.3, omega), tau_m, tau, r.P(J, D, -FREE, FREE, limit), h).omega


@pytest.mark.parametrize("h", [1e-4, 1e-2, 1.0])
def test_a_kick_is_exact_for_constant_torques(h: float) -> None:
    assert kicked(0.7, 1.5, -0.6, h, FREE) == pytest.approx(speed(0.7, 0.9, h), rel=1e-7)


LIMITED = {
    "driven up": (1.9, 3.0, 0.2, 0.01),
    "in one long step": (0.0, 3.0, 0.0, 5.0),
    "driven up backwards": (-1.9, -3.0, -0.2, 0.01),
    "against a load": (1.9, 3.0, -1.0, 0.02),
}


@pytest.mark.parametrize("case", LIMITED)
def test_the_motor_gives_the_part_of_its_torque_that_ends_at_the_limit(case: str) -> None:
    omega, tau_m, tau, h = LIMITED[case]
    limit = 2.0 if tau_m > 0.0 else -2.0
    part = brentq(lambda x: speed(omega, x * tau_m + tau, h) - limit, 0.0, 1.0, xtol=1e-13)
    assert 0.0 < part < 1.0
    found = kicked(omega, tau_m, tau, h, 2.0)
    assert found == pytest.approx(speed(omega, part * tau_m + tau, h), rel=1e-7)
    assert abs(found) <= 2.0


UNLIMITED = {
    "slower": (0.5, 1.0, 0.2, 0.01),
    "braking": (3.0, -1.0, 0.2, 0.001),
    "braking backwards": (-3.0, 1.0, 0.2, 0.001),
    "turning round": (1.9, -1.0, 0.0, 0.01),
}


@pytest.mark.parametrize("case", UNLIMITED)
def test_below_the_limit_and_while_it_brakes_the_motor_gives_all(case: str) -> None:
    omega, tau_m, tau, h = UNLIMITED[case]
    assert kicked(omega, tau_m, tau, h, 2.0) == kicked(omega, tau_m, tau, h, FREE)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_load_turns_it_faster_as_if_the_motor_were_off(sign: float) -> None:
    found = kicked(sign * 1.9, sign * 1.0, sign * 8.0, 0.05, 2.0)
    assert found == pytest.approx(speed(sign * 1.9, sign * 8.0, 0.05), rel=1e-7)
    assert sign * found > 2.0


def test_the_limit_takes_torque_and_never_adds_any() -> None:
    """For any numbers: the speed is between those without the motor and with all of it."""
    kick, reached = ROTOR.module.kick, 0
    for p, rng in draws(ROTOR):
        s = ROTOR.module.S(0.0, float(rng.uniform(-2.0, 2.0)) * p.max_speed)
        tau_m, tau = (float(x) * p.max_speed * p.J for x in rng.uniform(-50.0, 50.0, 2))
        h, free = size(rng, 1e-4, 1e-1), p._replace(max_speed=1e30)
        found = kick(s, tau_m, tau, p, h).omega
        ends = [kick(s, x, tau, free, h).omega for x in (0.0, tau_m)]
        assert min(ends) <= found <= max(ends)
        if abs(found) > p.max_speed:  # the motor does not drive it there
            assert abs(found) <= abs(ends[0]) or found * tau_m < 0.0
        reached += found != ends[1]
    assert reached > 5
