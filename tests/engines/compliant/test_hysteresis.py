"""Springs with hysteresis in motion: an ODE by scipy, every engine, and the books of energy."""

from functools import cache

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.lower.law import plain
from pliant.robots import energy_over
from pliant.robots.power import traced

from .closed import LINK, J, free

PULL = 3.0
"""[N m] On the motor, to and fro."""
HYSTERESIS = {"tau_z": 0.15, "k_r": 600.0, "sigma": 0.6, "n": 1.5}
SECONDS = 0.3
TIME = np.linspace(0.0, SECONDS, 301)


def bound(name="sea_walkman_200"):
    """Rotor, springs and link without any other loss."""
    actuator = free(name)
    ports = [port for port in actuator.laws if port.startswith("hysteresis")]
    actuator = with_laws(actuator, dict.fromkeys(ports, "bouc_wen"))
    values = {f"{port}.{symbol}": x for port in ports for symbol, x in HYSTERESIS.items()}
    return actuator.with_values(values, "test", "assumed")


def told(t):
    return PULL * np.sin(12.0 * t) * np.cos(31.0 * t)


@cache
def by_scipy():
    """(N,) Angle of the link at `TIME`."""
    k, p = free("sea_walkman_200").value("spring.k"), HYSTERESIS

    def rates(t, y):
        phi, rate = y[0] - y[2], y[1] - y[3]
        lag = p["sigma"] * abs(rate) * abs(y[4]) ** (p["n"] - 1.0) * y[4]
        lag += (1.0 - p["sigma"]) * rate * abs(y[4]) ** p["n"]
        torque = k * phi + p["tau_z"] * y[4]
        yielding = (rate - lag) * p["k_r"] / p["tau_z"]
        return [y[1], -torque / LINK, y[3], (told(t) + torque) / J, yielding]

    span = (0.0, SECONDS)
    return solve_ivp(rates, span, [0.0] * 5, t_eval=TIME, rtol=1e-8, atol=1e-10).y[0]


def played(actuator, step):
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.arange(0.0, SECONDS + 0.5 * step, step)
    return simulate(engine, t, told(t + 0.5 * step), changes={"plant.inertia": LINK})


def test_the_error_is_of_first_order_in_the_step():
    expected = by_scipy()
    errors = []
    for step in (2e-4, 5e-5):
        trace = played(bound(), step)
        errors.append(np.abs(trace.position[:: round(1e-3 / step)] - expected).max())
    assert errors[1] < 0.005 * np.ptp(expected)
    assert 2.5 < errors[0] / errors[1] < 6.0


def test_the_books_of_energy_close_in_proportion_to_the_step():
    left = []
    for step in (2e-4, 5e-5):
        trace = played(bound(), step)
        power = traced(bound(), trace)
        spent = energy_over(trace.time, power)
        assert power.damping.min() >= 0.0
        held = power.elastic_energy[-1, 0] - power.elastic_energy[0, 0]
        left.append(abs(spent.elastic[0] - held) / spent.damping[0])
    assert left[1] < 0.2
    assert left[1] < 0.4 * left[0]


@pytest.mark.parametrize("name", ["sea_walkman_200", "qbmove_maker_pro"])
def test_what_motors_and_link_put_in_is_stored_or_lost(name):
    """Over a short step: sum of borne omega - torque v = dE/dt + lost, from any state."""
    actuator, rng, h = bound(name), np.random.default_rng(4), 1e-9
    f = plain(actuator)
    p = f["load_parameters"](actuator.values.tolist(), 0)
    rotors = [k for k, n in enumerate(actuator.state) if n.endswith(".omega")]
    for _ in range(20):
        numbers, q, v = rng.uniform(-0.3, 0.3, len(actuator.state)), *rng.uniform(-0.3, 0.3, 2)
        numbers[rotors] *= 5.0
        for k, n in enumerate(actuator.state):
            if n.endswith(".phi"):  # what it remembers is where it is
                motor = n.replace("hysteresis", "rotor").replace("phi", "theta")
                numbers[k] = q - numbers[actuator.state.index(motor)]
        s = f["load_state"](numbers.tolist(), 0)
        after = f["step"](s, 0.0, 0.0, q + h * v, v, 1.0, 1.0, p, h)
        put_in = -v * f["torque"](s, 0.0, 0.0, q, v, 1.0, 1.0, p)
        put_in += sum(numbers[i] * f[f"borne_{k + 1}"](s, q, v, p) for k, i in enumerate(rotors))
        rate = (f["energy"](after, q + h * v, p) - f["energy"](s, q, p)) / h
        lost = f["lost"](s, q, v, p)
        assert lost >= 0.0
        assert put_in == pytest.approx(rate + lost, rel=1e-4, abs=1e-5)


def in_mujoco(step):
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{step}" gravity="0 0 0"/><worldbody><body>
        <inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
        <joint name="a" axis="0 0 1"/></body></worldbody></mujoco>"""
    )
    pliant.attach(spec, {"a": bound()})
    model = spec.compile()
    data = mujoco.MjData(model)
    found = [0.0]
    for k in range(round(SECONDS / step)):
        data.ctrl[0] = told((k + 0.5) * step)
        mujoco.mj_step(model, data)
        found.append(data.qpos[0])
    return np.array(found)[:: round(1e-3 / step)]


def test_mujoco_follows_the_ode_in_proportion_to_the_step():
    expected = by_scipy()
    errors = [np.abs(in_mujoco(step) - expected).max() for step in (2e-4, 5e-5)]
    assert errors[1] < 0.005 * np.ptp(expected)
    assert errors[1] < 0.4 * errors[0]


def test_a_spring_let_go_comes_to_rest_by_its_hysteresis_alone():
    actuator = pliant.load_actuator("csf_17_50_gear")
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=1e-4))
    t = np.arange(0.0, 1.0, 1e-4)
    push = np.where(t < 0.2, 8.0 * np.minimum(t / 0.1, 1.0), 0.0)
    trace = simulate(engine, t, 0.0 * t, torque=push, changes={"plant.inertia": 0.5})
    wide = np.abs(trace.position[(t > 0.2) & (t < 0.25)]).max()
    left = np.abs(trace.position[t > 0.8]).max()
    assert wide > 5e-4
    # It may rest anywhere between the branches of its loop at no load, tau_z / k.
    assert left < 1.6 / 11000.0
    assert np.ptp(trace.position[t > 0.95]) < 0.2 * wide
