"""Springs, clutches and dampers beside a motor: closed forms, an own slip element, and MuJoCo."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import with_law
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.lower.law import plain
from pliant.report.derived import derived
from pliant.robots import Robot

from .alone import distances

LINK = 0.02
SPRING, BRAKE, DAMPER = "dtea_parallel_spring", "miki_102_04_brake", "maccepa_vd_damper"


def run(actuator, goal, command, push, seconds=1.0, step=1e-4, speed=0.0):
    if isinstance(actuator, str):
        actuator = pliant.load_actuator(actuator)
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.arange(0.0, seconds + 0.5 * step, step)
    given = [x(t) if callable(x) else np.full(len(t), x) for x in (goal, command, push)]
    changes = {"plant.inertia": LINK}
    return simulate(engine, t, given[0], given[1], torque=given[2], changes=changes)


def test_a_parallel_spring_swings_about_its_set_point_and_load() -> None:
    k, step = 8.54, 1e-4
    trace = run(SPRING, 0.3, 0.0, 0.5, step=step)
    rest, omega = 0.3 + 0.5 / k, np.sqrt(k / LINK)
    expected = rest * (1.0 - np.cos(omega * trace.time))
    assert np.abs(trace.position - expected).max() < 2.0 * omega * step * rest


@pytest.mark.parametrize("duty", [0.0, 0.4, 1.0])
def test_a_damper_brakes_by_its_duty(duty) -> None:
    trace = run(DAMPER, 0.0, duty, 0.05)
    d = 0.107 * duty
    end = 0.05 * 1.0 / LINK if not d else 0.05 / d * (1.0 - np.exp(-d / LINK))
    assert trace.velocity[-1] == pytest.approx(end, rel=2e-3)


def slipped(angle, k, capacity):
    """Torque of a spring behind a slip element along a path (Prandtl), one point after another."""
    place, found = 0.0, []
    for q in angle:
        place = min(max(place, q - capacity / k), q + capacity / k)
        found.append(k * (q - place))
    return np.array(found)


def test_a_clutch_slips_at_its_torque_and_holds_below_it() -> None:
    push = lambda t: 1.1 * np.sin(8.0 * t) * (t > 0.05) + 0.9 * (t > 0.6)  # noqa: E731
    trace = run(BRAKE, 0.0, 1.0, push)
    on = trace.time > 0.05  # engaged by then
    first = trace.position[on][0]
    expected = slipped(trace.position[on] - first, 500.0, 1.2)
    assert np.abs(-trace.torque[on] - expected).max() < 0.03
    assert np.abs(trace.torque).max() <= 1.2 + 1e-9
    early = (trace.time > 0.1) & (trace.time < 0.5)
    assert np.ptp(trace.position[early]) < 2.0 * 1.2 / 500.0 * 1.6
    assert trace.position[-1] > 0.3


def test_released_it_lets_go_and_engaged_again_it_holds_where_it_is() -> None:
    command = lambda t: ((t < 0.2) | (t > 0.5)).astype(float)  # noqa: E731
    trace = run(BRAKE, 0.0, command, 0.4)
    at = {second: trace.position[np.searchsorted(trace.time, second)] for second in (0.2, 0.8, 1.0)}
    free = 0.5 * 0.4 / LINK * 0.25**2
    assert abs(at[0.2]) < 0.05
    assert at[1.0] > free
    assert at[1.0] - at[0.8] == pytest.approx(0.0, abs=3e-3)


def test_what_the_link_puts_in_is_stored_or_lost() -> None:
    actuator = with_law(pliant.load_actuator(BRAKE), "hysteresis", "bouc_wen").with_values(
        {"hysteresis.tau_z": 0.2, "hysteresis.k_r": 300.0, "hysteresis.n": 1.0}, "test", "assumed"
    )
    actuator = actuator.with_values({"spring.d": 0.05}, "test", "assumed")
    f = plain(actuator)
    p = f["load_parameters"](actuator.values.tolist(), 0)
    h, s = 1e-6, f["start"](0.0, p)
    for _ in range(60000):
        s = f["step"](s, 0.0, 1.0, 0.0, 0.0, 24.0, 1.0, p, 1e-6)
    put_in = lost = travelled = q = 0.0
    begun = f["energy"](s, 0.0, p)
    for k in range(60000):
        v = 0.4 * np.cos(200.0 * k * h) + 0.1
        q += h * v
        s = f["step"](s, 0.0, 1.0, q, v, 24.0, 1.0, p, h)
        put_in -= h * v * f["torque"](s, 0.0, 1.0, q, v, 24.0, 1.0, p)
        power = f["lost"](s, q, v, p)
        assert power >= -1e-9
        lost, travelled = lost + h * power, travelled + h * abs(v)
    left = put_in - lost - f["energy"](s, q, p) + begun
    assert lost > 1e-3
    assert abs(left) < 0.01 * lost


def in_mujoco(step):
    """A brake and a damper beside a servo: on tendons along the servo's joint."""
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{step}"/><worldbody><body>
        <joint name="q" axis="0 1 0"/><inertial pos="0 0 -0.1" mass="1" diaginertia=".01 .01 .01"/>
        </body></worldbody><tendon><fixed name="brake"><joint joint="q" coef="1"/></fixed>
        <fixed name="damper"><joint joint="q" coef="1"/></fixed></tendon></mujoco>"""
    )
    attachment = pliant.attach(spec, {"q": "sea_walkman_200", "brake": BRAKE, "damper": DAMPER})
    return spec.compile(), attachment


def test_beside_a_motor_a_brake_holds_what_the_motor_lets_go() -> None:
    model, attachment = in_mujoco(5e-4)
    data = mujoco.MjData(model)
    names = {model.actuator(k).name: k for k in range(model.nu)}
    assert set(names) == {"q", "brake", "brake.preset", "damper", "damper.preset"}
    data.ctrl[names["q"]] = 0.6
    mujoco.mj_step(model, data, 3000)
    moved = float(data.qpos[0])
    data.ctrl[names["brake.preset"]] = 1.0
    mujoco.mj_step(model, data, 200)
    data.ctrl[names["q"]] = float(attachment["q"].state(data)["rotor.theta"]) - 0.004
    mujoco.mj_step(model, data, 2000)
    assert moved > 0.5
    assert data.qpos[0] == pytest.approx(moved, abs=3e-3)
    held = attachment["q"].torque(data) + attachment["brake"].torque(data)
    assert held == pytest.approx(9.81 * 0.1 * np.sin(data.qpos[0]), rel=2e-2)
    assert Robot(model, attachment, target="python").joints == ("q",)


def test_without_a_motor_there_is_no_torque_of_one() -> None:
    figures = derived(pliant.load_actuator(BRAKE))
    assert (figures.motor_torque, figures.stall_torque) == (0.0, None)


def test_on_a_joint_of_its_own_mujoco_gives_what_the_joint_engine_gives() -> None:
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="0.0001" gravity="0 0 0"/><worldbody><body>
        <joint name="q" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia=".01 {LINK} .01"/>
        </body></worldbody></mujoco>"""
    )
    attachment = pliant.attach(spec, {"q": BRAKE})
    model = spec.compile()
    data, found = mujoco.MjData(model), []
    robot = Robot(model, attachment, data, target="python")
    robot.reference_1, robot.reference_2 = [0.0], [1.0]
    for k in range(5000):
        data.qfrc_applied[0] = 1.5 * np.sin(20.0 * k * 1e-4)
        mujoco.mj_step(model, data)
        found.append(float(data.qpos[0]))
    assert np.isnan(robot.power.electrical).all()
    expected = run(BRAKE, 0.0, 1.0, lambda t: 1.5 * np.sin(20.0 * t), seconds=0.5).position
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(found[:4999], expected[1:5000], atol=0.01 * np.ptp(expected))


@pytest.mark.parametrize("step", [5e-4, 2e-3])
def test_a_brake_too_stiff_for_the_timestep_slips_as_it_should(step) -> None:
    """A pendulum of 50 g against an own Prandtl element; omega of its spring is 760 rad/s."""
    capacity, weight, inertia = 0.02 * 1.2, 0.05 * 9.81 * 0.1, 0.05 * 0.1**2 + 3.6e-4
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{step}"/><worldbody><body><joint name="q" axis="0 1 0"/>
        <inertial pos="0 0 -0.1" mass="0.05" diaginertia=".00036 .00036 .00036"/>
        </body></worldbody></mujoco>"""
    )
    attachment = pliant.attach(spec, {"q": BRAKE})
    assert attachment.joints[0].steps.mobility > 0.0 or step < 1e-3
    model = spec.compile()
    data, found = mujoco.MjData(model), []
    data.qpos[0], data.ctrl[1] = 1.0, 0.02
    for _ in range(round(1.5 / step)):
        mujoco.mj_step(model, data)
        found.append(float(data.qpos[0]))
        assert abs(data.actuator_force[0]) <= capacity * (1.0 + 1e-9)

    fine, q, v, place, expected = 1e-5, 1.0, 0.0, 1.0, []
    for k in range(round(1.5 / fine)):
        holds = 0.02 * 1.2 * min(1.0, k * fine / (0.02 * 0.028))
        place = min(max(place, q - holds / 500.0), q + holds / 500.0)
        v += fine * (-500.0 * (q - place) - weight * np.sin(q)) / inertia
        q += fine * v
        expected.append(q)
    expected = np.array(expected)[round(step / fine) - 1 :: round(step / fine)]
    assert np.abs(np.array(found) - expected).max() < 0.02
    assert np.ptp(expected) > 0.8


def test_a_spring_beside_both_motors_of_a_pair_is_bent_from_between_them() -> None:
    """E = m (q - (th_1 + th_2) / 2)^2 / 2 with m = 0.5 N m/rad, as the learning code has it."""
    pair = pliant.load_actuator("qbmove_maker_pro_ilc")
    both, rng = (pair, with_law(pair, "parallel", "none")), np.random.default_rng(0)
    laws = [(f := plain(a), f["load_parameters"](a.values.tolist(), 0)) for a in both]
    for _ in range(5):
        numbers, q = rng.uniform(-0.2, 0.2, len(pair.state)), rng.uniform(-0.2, 0.2)
        theta = [numbers[pair.state.index(f"rotor_{k}.theta")] for k in (1, 2)]
        phi = q - sum(theta) / 2.0
        states = [f["load_state"](numbers.tolist(), 0) for f, _ in laws]

        def more(name: str, *given: float, states=states) -> float:
            one, none = (f[name](s, *given, p) for (f, p), s in zip(laws, states, strict=True))
            return one - none

        assert more("energy", q) == pytest.approx(0.25 * phi * phi)
        assert more("stiffness", q) == pytest.approx(0.5)


def test_a_pair_with_a_spring_beside_it_moves_as_its_equations_solved_tightly() -> None:
    moved, (coarse, fine) = distances("qbmove_maker_pro_ilc", (1e-3, 1e-4))
    assert moved > 1.0
    assert coarse < 20.0
    assert fine == pytest.approx(0.1 * coarse, rel=0.1)
