"""Motors: electrical power is mechanical power and heat; stall, no-load speed, brake and coast."""

from decimal import Decimal, localcontext
from typing import Any

import pytest

from conformance.drawn import draws, each, laws, signed
from pliant.catalogue import Physics

COASTING = [law for law in laws("motor") if getattr(law.module, "COASTS", False)]
DUTY = [law for law in laws("motor") if law.module.COMMAND == "1" and law not in COASTING]
CURRENT = [law for law in laws("motor") if law.module.COMMAND == "A"]
LIMITED = [law for law in CURRENT if any(field.name == "R" for field in law.parameters)]


def some(laws_: list[Physics]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("law", laws_, ids=lambda law: law.name)


@each("motor")
def test_electrical_power_is_mechanical_power_and_heat(law: Physics) -> None:
    """The winding's voltage is R i + e, whatever the driver does to reach it."""
    motor = law.module
    for p, rng in draws(law):
        call = _command(rng), float(rng.integers(2)), signed(rng, 0.1, 30.0), rng.uniform(1.0, 48.0)
        v = call[2]
        i = motor.current(*call, p)
        electrical = (motor.resistance(p) * i + motor.back_emf(v, p)) * i
        heat = motor.resistance(p) * i * i
        mechanical = motor.torque(*call, p) * v
        scale = abs(electrical) + abs(heat)
        assert mechanical + heat == pytest.approx(electrical, abs=1e-12 * scale)


@some(DUTY)
def test_the_bridge_applies_duty_times_the_bus(law: Physics) -> None:
    for p, rng in draws(law):
        duty, v, bus = rng.uniform(-1.0, 1.0), signed(rng, 0.1, 30.0), rng.uniform(1.0, 48.0)
        i = law.module.current(duty, 1.0, v, bus, p)
        winding = law.module.resistance(p) * i + law.module.back_emf(v, p)
        assert winding == pytest.approx(duty * bus, abs=1e-12 * (bus + abs(p.k_t * v)))


@some(DUTY)
def test_stall_torque_and_no_load_speed(law: Physics) -> None:
    for p, rng in draws(law):
        duty, bus = rng.uniform(-1.0, 1.0), rng.uniform(1.0, 48.0)
        stall = law.module.torque(duty, 1.0, 0.0, bus, p)
        assert stall == pytest.approx(p.k_t * duty * bus / p.R, rel=1e-13)
        free = law.module.torque(duty, 1.0, duty * bus / p.k_t, bus, p)
        assert free == pytest.approx(0.0, abs=1e-12 * abs(stall))


@some(DUTY)
def test_duty_zero_is_a_brake(law: Physics) -> None:
    for p, rng in draws(law):
        v = signed(rng, 0.1, 30.0)
        torque = law.module.torque(0.0, 1.0, v, 12.0, p)
        assert torque == pytest.approx(-p.k_t * p.k_t * v / p.R, rel=1e-13)
        assert torque * v < 0.0


def switched(p: Any, duty: float, e: float, bus: float) -> float:
    """Mean current of a pulsed winding with diodes, by small steps until the periods repeat."""
    steps, i = 2000, 0.0
    h = 1.0 / (p.f_p * steps)
    for period in range(4 + int(12 * p.L * p.f_p / p.R)):
        total = 0.0 * period
        for n in range(steps):
            if n < duty * steps:
                voltage = bus
            elif i != 0.0 or abs(e) > bus:  # a diode's side: against the current, or what e forces
                voltage = -bus if (i > 0.0 or (i == 0.0 and e < 0.0)) else bus
            else:
                continue
            rate = (voltage - e - p.R * i) / p.L
            after = i + h * rate
            i = 0.0 if n >= duty * steps and i * after < 0.0 and abs(e) < bus else after
            total += i / steps
    return total


@some(COASTING)
@pytest.mark.parametrize("duty", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("lag", [0.05, 1.0])
@pytest.mark.parametrize("part", [-1.4, -0.5, 0.0, 0.6, 1.3])
def test_a_coasting_bridge_gives_the_mean_current_of_its_pulses(law, duty, lag, part) -> None:
    bus, p = 12.0, law.module.P(k_t=0.5, R=2.0, L=lag * 2.0 / 1e3, f_p=1e3)
    v = part * bus / p.k_t
    expected = switched(p, duty, p.k_t * v, bus)
    for side in (1.0, -1.0):
        found = law.module.current(side * duty, 1.0, side * v, bus, p)
        assert side * found == pytest.approx(expected, abs=0.02), (duty, lag, part)


@some(COASTING)
@pytest.mark.parametrize("x", [1e-6, 1e-3, 0.02, 0.0499, 0.0501, 0.5, 5.0])
def test_small_differences_of_a_coasting_bridge_keep_their_digits(law: Physics, x: float) -> None:
    """Against 60 decimal digits; its series end after four and five terms: 1e-7 at 0.05."""
    with localcontext() as digits:
        digits.prec = 60
        exact = Decimal(x)
        rising = float(exact - (1 - (-exact).exp()))
        dying = float(exact - (1 + exact).ln())
    assert law.module.rising(x) == pytest.approx(rising, rel=2e-7)
    assert law.module.dying(x) == pytest.approx(dying, rel=2e-7)


@some(COASTING)
def test_a_coasting_bridge_does_not_brake_below_the_bus(law: Physics) -> None:
    for p, rng in draws(law):
        v = rng.uniform(-1.0, 1.0) * 12.0 / p.k_t
        assert law.module.torque(0.0, 1.0, v, 12.0, p) == 0.0


@each("motor")
def test_off_is_a_coast_or_declared_a_brake(law: Physics) -> None:
    for p, rng in draws(law):
        v = signed(rng, 0.1, 30.0)
        call = _command(rng), 0.0, v, 12.0
        if getattr(law.module, "OFF_BRAKES", False):
            assert law.module.torque(*call, p) == pytest.approx(-p.d_off * v, rel=1e-14)
            continue
        assert law.module.current(*call, p) == 0.0
        assert law.module.torque(*call, p) == 0.0


@each("motor")
def test_torque_is_k_t_times_the_current(law: Physics) -> None:
    for p, rng in draws(law):
        call = _command(rng), 1.0, signed(rng, 0.1, 30.0), rng.uniform(1.0, 48.0)
        assert law.module.torque(*call, p) == pytest.approx(
            p.k_t * law.module.current(*call, p), rel=1e-14
        )


@some(LIMITED)
def test_the_current_is_the_asked_one_or_at_the_voltage_limit(law: Physics) -> None:
    """servos_and_friction, Drive: clip to (-U - k_t v) / R ... (U - k_t v) / R."""
    reached = set()
    for p, rng in draws(law):
        asked, v, bus = signed(rng, 0.01, 30.0), signed(rng, 0.1, 30.0), rng.uniform(1.0, 48.0)
        low, high = (-bus - p.k_t * v) / p.R, (bus - p.k_t * v) / p.R
        i = law.module.current(asked, 1.0, v, bus, p)
        if asked < low:
            assert i == pytest.approx(low, rel=1e-13)
        elif asked > high:
            assert i == pytest.approx(high, rel=1e-13)
        else:
            assert i == asked
        reached.add((asked < low, asked > high))
    assert len(reached) == 3  # the draws saw both limits, and the free range


@some(LIMITED)
def test_full_current_at_stall_none_at_the_no_load_speed(law: Physics) -> None:
    for p, rng in draws(law):
        bus = rng.uniform(1.0, 48.0)
        assert law.module.current(1e9, 1.0, 0.0, bus, p) == pytest.approx(bus / p.R)
        free = law.module.current(1e9, 1.0, bus / p.k_t, bus, p)
        assert free == pytest.approx(0.0, abs=1e-12 * bus / p.R)


@some(LIMITED)
def test_the_ends_of_a_current_loop_are_the_torques_under_full_voltage(law: Physics) -> None:
    """k_t (+-U - k_t v) / R while the driver is on; the torque is between them."""
    for p, rng in draws(law):
        v, bus = signed(rng, 0.1, 30.0), rng.uniform(1.0, 48.0)
        call = _command(rng), 1.0, v, bus, p
        assert law.module.lowest(*call) == pytest.approx(p.k_t * (-bus - p.k_t * v) / p.R)
        assert law.module.highest(*call) == pytest.approx(p.k_t * (bus - p.k_t * v) / p.R)
        assert law.module.lowest(*call) <= law.module.torque(*call) <= law.module.highest(*call)
        off = _command(rng), 0.0, v, bus, p
        assert law.module.lowest(*off) == law.module.highest(*off) == 0.0


def _command(rng: object) -> float:
    return float(rng.uniform(-1.0, 1.0))
