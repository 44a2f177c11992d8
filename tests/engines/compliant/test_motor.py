"""A motor's inductance and speed limit behind a spring, in the joint engine and in MuJoCo."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import Actuator, with_law, with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.engines.mujoco.batch.trials import played
from pliant.robots.elastic import elastic_of
from pliant.robots.mode import with_mode

J, D, LINK, K, D_T = 0.01, 0.05, 0.05, 100.0, 2.0
"""Rotor, its drag, link, spring and its damping: kg m^2, N m s/rad, N m/rad."""
K_T, R, L, U = 1.0, 2.0, 0.02, 12.0
"""N m/A, Ohm, H, V: the current takes 10 ms."""
TAU, LIMIT, DRAG = 6.0, 2.0, 1.0
"""Command [N m], speed [rad/s] and drag of the limited motor; without a limit it would reach 6."""
TIME = np.linspace(0.0, 0.3, 301)
NUMBERS = {
    "rotor.J": J,
    "rotor.D": D,
    "spring.k": K,
    "spring.d": D_T,
    "motor.k_t": K_T,
    "own.voltage": U,
}


class Run(NamedTuple):
    """Angles of link and rotor [rad], speed [rad/s] and torque [N m] of the motor, each ms."""

    link: np.ndarray
    rotor: np.ndarray
    speed: np.ndarray
    torque: np.ndarray


def made(laws: dict[str, str], **numbers: float) -> Actuator:
    """A series-elastic joint without friction; numbers as `rotor__J`."""
    base = with_laws(
        pliant.load_actuator("sea_walkman_200"), {"friction": "none", "limit": "none", **laws}
    )
    own = {name.replace("__", "."): value for name, value in numbers.items()}
    values = {n: x for n, x in (NUMBERS | own).items() if n in base.fields}
    return base.with_values(values, "test", "assumed")


def voltage_driven(winding: str = "inductance", **numbers: float) -> Actuator:
    laws = {"control": "direct_duty", "motor": "dc_voltage", "winding": winding}
    given = {"control__limit": 1.0, "motor__R": R} | numbers
    return made(laws, **({"winding__L": L} | given if winding == "inductance" else given))


def torque_driven(limit: float) -> Actuator:
    laws = {"control": "direct_torque", "motor": "ideal_torque"}
    return made(laws, control__limit=100.0, rotor__max_speed=limit, rotor__D=DRAG)


def in_joint(
    actuator: Actuator, command: float, h: float = 1e-3, time: np.ndarray = TIME, pull: float = 0.0
) -> Run:
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=h))
    run = simulate(engine, time, command, torque=pull, changes={"plant.inertia": LINK})
    torque = run.state.get("winding.tau", np.zeros_like(time))
    return Run(run.position, run.state["rotor.theta"], run.state["rotor.omega"], torque)


def in_mujoco(actuator: Actuator, command: float, h: float = 1e-3, time: np.ndarray = TIME) -> Run:
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{h}" gravity="0 0 0"/><worldbody><body>
        <inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
        <joint name="a" axis="0 0 1"/></body></worldbody></mujoco>"""
    )
    attached = pliant.attach(spec, {"a": actuator})
    model, every = spec.compile(), round(1e-3 / h)
    control = np.full((every * (len(time) - 1), 1), command)
    motion = played(model, control, attached=attached)
    names = ["rotor.theta", "rotor.omega", "winding.tau"]
    courses = [motion.position("a"), *(motion.state("a", n) for n in names if n in actuator.state)]
    found = [np.concatenate([[0.0], course])[::every] for course in courses]
    return Run(*found, *[np.zeros_like(time)] * (4 - len(found)))


ENGINES: dict[str, Callable[..., Run]] = {"joint": in_joint, "mujoco": in_mujoco}
BOTH = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


@cache
def circuit(duty: float, inductance: float = L) -> Run:
    """Winding, rotor, spring and link, solved tightly by scipy."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        q, v, theta, omega, i = y
        pull = K * (q - theta) + D_T * (v - omega)
        emf = K_T * omega
        return [
            v,
            -pull / LINK,
            omega,
            (K_T * i - D * omega + pull) / J,
            (duty * U - R * i - emf) / inductance,
        ]

    y = solve_ivp(rates, (0.0, TIME[-1]), np.zeros(5), "Radau", TIME, rtol=1e-10, atol=1e-12).y
    return Run(y[0], y[2], y[3], K_T * y[4])


def apart(one: Run, two: Run) -> np.ndarray:
    """(4,) Largest difference of each course, as a part of how far it goes."""
    return np.array([np.abs(a - b).max() / np.ptp(b) for a, b in zip(one, two, strict=True)])


@BOTH
def test_a_wound_motor_behind_a_spring_follows_its_circuit(engine: Callable[..., Run]) -> None:
    """At 1 ms, and in proportion to the step; without the inductance it would be elsewhere."""
    exact = circuit(0.5)
    far, near = (apart(engine(voltage_driven(), 0.5, h), exact) for h in (1e-3, 5e-4))
    assert (far < BOUND).all(), far
    assert (near < 0.6 * far).all(), near / far
    assert apart(engine(voltage_driven("none"), 0.5), exact)[2] > 0.1


BOUND = [0.03, 0.03, 0.03, 0.03]


@BOTH
def test_a_held_rotors_torque_rises_with_the_time_constant(engine: Callable[..., Run]) -> None:
    """U duty k_t / R (1 - exp(-t R / L)), exact at 1 ms: the rotor is at its stop."""
    torque = engine(voltage_driven(rotor__high=0.0), 0.5).torque
    static = 0.5 * U * K_T / R
    np.testing.assert_allclose(torque, -static * np.expm1(-TIME * R / L), rtol=1e-9)
    times = -np.diff(TIME)[:30] / np.diff(np.log(static - torque[:31]))
    np.testing.assert_allclose(times, L / R, rtol=1e-6)


@BOTH
def test_a_current_loop_rises_under_full_voltage(engine: Callable[..., Run]) -> None:
    """k_t min(i, U / R (1 - exp(-t R / L))) of a rotor at its stop: no lag of L / R."""
    laws = {"control": "direct_current", "motor": "dc_current", "winding": "inductance"}
    actuator = made(laws, control__limit=10.0, motor__R=R, winding__L=L, rotor__high=0.0)
    torque = engine(actuator, 4.0).torque
    rising = -U / R * np.expm1(-TIME * R / L)
    np.testing.assert_allclose(torque, K_T * np.minimum(4.0, rising), rtol=1e-9)
    assert 5 < (rising < 4.0).sum() < 50


@BOTH
@pytest.mark.parametrize("winding", ["none", "inductance"])
def test_the_steady_speed_is_that_of_the_motor_without_inductance(
    engine: Callable[..., Run], winding: str
) -> None:
    """(k_t / R) (duty U - k_t om) = D om: link and rotor turn together."""
    run = engine(voltage_driven(winding), 0.5, time=np.linspace(0.0, 3.0, 3001))
    end = K_T / R * 0.5 * U / (K_T * K_T / R + D)
    assert run.speed[-1] == pytest.approx(end, rel=1e-6)
    assert np.diff(run.link)[-1] / 1e-3 == pytest.approx(end, rel=1e-6)
    if winding == "inductance":
        assert run.torque[-1] == pytest.approx(D * end, rel=1e-5)


@pytest.mark.parametrize("inductance", [0.0, 1e-6])
def test_a_vanishing_inductance_is_none(inductance: float) -> None:
    none = in_joint(voltage_driven("none"), 0.5)
    found = in_joint(voltage_driven(winding__L=inductance), 0.5)
    for a, b in zip(found[:3], none[:3], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


@cache
def limited() -> Run:
    """The motor's torque fades within 1e-4 rad/s beyond the limit; solved by scipy."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        q, v, theta, omega = y
        pull = K * (q - theta) + D_T * (v - omega)
        motor = TAU * np.clip((LIMIT + 1e-4 - omega) / 1e-4, 0.0, 1.0)
        return [v, -pull / LINK, omega, (motor - DRAG * omega + pull) / J]

    y = solve_ivp(
        rates, (0.0, TIME[-1]), np.zeros(4), "Radau", TIME, rtol=1e-9, atol=1e-11, max_step=1e-3
    ).y
    return Run(y[0], y[2], y[3], np.zeros_like(TIME))


@BOTH
def test_a_motor_under_constant_torque_reaches_its_limit_and_stays(
    engine: Callable[..., Run],
) -> None:
    run, exact = engine(torque_driven(LIMIT), TAU), limited()
    scale = np.ptp(exact.link)
    assert np.abs(run.link - exact.link).max() < 0.02 * scale
    assert np.abs(run.rotor - exact.rotor).max() < 0.02 * scale
    held = np.abs(exact.speed - LIMIT) < 1e-3
    assert held.sum() > 100
    np.testing.assert_allclose(run.speed[-50:], LIMIT, rtol=1e-12)


@BOTH
def test_a_limit_that_is_not_reached_changes_nothing(engine: Callable[..., Run]) -> None:
    slow, free = (engine(torque_driven(limit), 1.0) for limit in (LIMIT, 1000.0))
    assert 0.5 < np.abs(slow.speed).max() < LIMIT
    for a, b in zip(slow, free, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_pulled_link_turns_an_idle_motor_beyond_its_limit() -> None:
    """The limit is the motor's: it is no brake."""
    runs = [in_joint(torque_driven(limit), 0.0, pull=6.0) for limit in (LIMIT, 1000.0)]
    assert runs[0].speed[-1] > 2.0 * LIMIT
    np.testing.assert_array_equal(runs[0].speed, runs[1].speed)


def test_an_inductance_without_resistance_is_refused() -> None:
    with pytest.raises(pliant.PliantError) as caught:
        with_law(pliant.load_actuator("sea_walkman_200"), "winding", "inductance")
    assert str(caught.value).endswith(
        "laws.winding: a winding with inductance needs a motor with resistance; found 'inductance with"
        ' ideal_torque\'; accepted: "none", or a motor with R (dc_voltage, dc_current)'
    )


def test_a_mode_that_commands_torques_leaves_the_inductance_out() -> None:
    wound = with_law(pliant.load_actuator("sea_avocado_100_21000"), "winding", "inductance")
    assert with_mode(wound, 4).laws["winding"].name == "none"
    assert with_mode(wound, 2).laws["winding"].name == "inductance"


def test_the_effort_that_a_robot_reports_is_the_wound_motors() -> None:
    """Without inductance it is that of the command."""
    actuator = voltage_driven()
    elastic, p = elastic_of(actuator), actuator.values[None]
    states = np.zeros((2, len(actuator.state)))
    states[:, actuator.state.index("own.command")] = 0.5
    states[1, actuator.state.index("winding.tau")] = 1.25
    found = [elastic.effort(0, s[None], np.array([U]), np.ones(1), p)[0] for s in states]
    assert found == [0.0, 1.25]
    static = elastic_of(voltage_driven("none"))
    rows = np.delete(states[:1], actuator.state.index("winding.tau"), axis=1)
    found = static.effort(0, rows, np.array([U]), np.ones(1), static.actuator.values[None])
    assert found[0] == pytest.approx(0.5 * U * K_T / R, rel=1e-14)
