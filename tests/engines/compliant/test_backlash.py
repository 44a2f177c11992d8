"""Play between gear and joint: against an ODE with its events, in every engine, and in the books."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import with_backlash, with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.errors import PliantError
from pliant.robots import Robot, energy_over, equilibrium
from pliant.robots.power import traced

from .gap import Gap

NAME = "mx106_m4_backlash"
LINK, HOLD, SAMPLES = 0.05, 0.2, 20
RNG = np.random.default_rng(5)
COMMANDS = np.stack([RNG.uniform(-0.3, 0.3, 5), RNG.uniform(-1.0, 1.0, 5)], axis=1)


def smooth(side, **changes):
    """The servo without gear friction, with a viscous rotor and a wider play."""
    actuator = with_laws(pliant.load_actuator(NAME), {"gear": "none", "encoder": side})
    values = {"rotor.D": 0.3, "contact.gap": 0.02, "contact.d": 3.0, **changes}
    return actuator.with_values(values, "test", "assumed")


def oracle(actuator, side):
    n = {name: number.value for name, number in actuator.numbers.items()}
    return Gap(
        n["contact.k"], n["contact.d"], n["contact.gap"], n["rotor.J"], n["rotor.D"], LINK,
        n["motor.k_t"], n["motor.R"], n["own.voltage"], n["control.gain"] * n["control.kp"],
        n["control.limit"], side == "joint",
    )  # fmt: skip


def played(actuator, step, commands=COMMANDS):
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.linspace(0.0, HOLD * len(commands), SAMPLES * len(commands) + 1)
    segment = np.minimum((t / HOLD + 1e-9).astype(int), len(commands) - 1)
    goal, push = commands[segment].T
    return simulate(engine, t, goal, torque=push, changes={"plant.inertia": LINK})


@pytest.mark.parametrize("side", ["joint", "motor"])
def test_the_error_is_of_first_order_in_the_step(side):
    actuator = smooth(side)
    expected, impacts = oracle(actuator, side).solve(np.zeros(4), COMMANDS, HOLD, SAMPLES)
    errors = [
        np.abs(played(actuator, step).position - expected[:, 0]).max() for step in (2e-4, 5e-5)
    ]
    assert impacts > 5
    assert errors[1] < 0.005 * np.ptp(expected[:, 0])
    assert 2.5 < errors[0] / errors[1] < 6.0


def told(goal, gear, **changes):
    """(N,) motor angle of a rotor alone in its gap, told a torque, with Coulomb friction `gear`."""
    laws = {"gear": "m1", "control": "direct_torque", "motor": "ideal_torque"}
    values = {
        "contact.gap": 0.5,
        "gear.K_c": gear,
        "gear.K_v": 0.0,
        "control.limit": 10.0,
        "motor.k_t": 1.0,
    }
    actuator = with_laws(pliant.load_actuator(NAME), laws)
    actuator = actuator.with_values({**values, **changes}, "test", "assumed")
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=1e-4))
    t = np.linspace(0.0, 0.3, 301)
    return actuator, simulate(engine, t, goal(t), changes={"plant.inertia": LINK})


def test_friction_of_the_gear_stops_the_rotor_where_the_closed_form_says():
    """0.5 N m for 50 ms against 0.2 N m, then nothing: J = 0.0246 kg m^2."""
    actuator, trace = told(lambda t: np.where(t < 0.05, 0.5, 0.0), 0.2)
    inertia = actuator.value("rotor.J")
    speed = 0.3 / inertia * 0.05
    way = 0.5 * speed * 0.05 + 0.5 * speed**2 * inertia / 0.2
    assert way < 0.25  # still within the gap
    assert trace.state["rotor.theta"][-1] == pytest.approx(way, rel=0.01)
    assert abs(trace.state["rotor.omega"][-1]) < 1e-12
    assert np.abs(trace.position).max() == 0.0  # no tooth touched the joint


def test_a_torque_below_the_gears_friction_moves_nothing():
    _, trace = told(lambda t: 0.0 * t + 0.19, 0.2)
    assert np.abs(trace.state["rotor.theta"]).max() < 1e-12


def test_teeth_load_the_gear_and_a_heavier_push_meets_more_friction():
    """M3 with K_l = 0.5: a rotor at rest holds a push P while K_c + K_l P > P."""
    laws = {"gear": "m3", "control": "direct_torque", "motor": "ideal_torque"}
    values = {"gear.K_c": 0.2, "gear.K_v": 0.0, "gear.K_l": 0.5, "contact.d": 14.0}
    values |= {"motor.k_t": 1.0, "control.limit": 1.0}
    actuator = with_laws(pliant.load_actuator(NAME), laws).with_values(values, "t", "assumed")
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=2e-4))
    t = np.linspace(0.0, 2.0, 201)
    for push, holds in ((0.37, True), (0.45, False)):
        ramp = push * np.minimum(t / 1.0, 1.0)
        trace = simulate(engine, t, 0.0, torque=ramp, changes={"plant.inertia": LINK})
        assert (abs(trace.state["rotor.theta"][-1]) < 1e-3) == holds


BENCH = f"""<mujoco><option timestep="0.0005" gravity="0 0 0"/><worldbody><body>
<inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
<joint name="a" axis="0 0 1"/></body></worldbody></mujoco>"""


def in_mujoco(actuator, timestep, commands=COMMANDS):
    spec = mujoco.MjSpec.from_string(BENCH)
    spec.option.timestep = timestep
    pliant.attach(spec, {"a": actuator})
    model = spec.compile()
    data = mujoco.MjData(model)
    every, found = round(HOLD / SAMPLES / timestep), [0.0]
    for goal, push in commands:
        data.ctrl[0], data.qfrc_applied[0] = goal, push
        for k in range(every * SAMPLES):
            mujoco.mj_step(model, data)
            if (k + 1) % every == 0:
                found.append(data.qpos[0])
    return np.array(found)


def test_mujoco_moves_as_the_joint_engine_does():
    actuator = pliant.load_actuator(NAME)
    exact = played(actuator, 2.5e-5).position
    apart = [np.abs(in_mujoco(actuator, h) - exact).max() for h in (5e-4, 1.25e-4)]
    assert apart[1] < 0.005 * np.ptp(exact)
    assert apart[1] < 0.5 * apart[0]


def test_a_stiff_tooth_on_a_light_link_is_not_left_to_a_long_step():
    """h^2 k / J of the link is 8, from within the gap: the joint moves in the sub-steps."""
    spec = mujoco.MjSpec.from_string(BENCH.replace(str(LINK), "0.001"))
    spec.option.timestep = 2e-3
    pliant.attach(spec, {"a": NAME})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.2
    furthest = 0.0
    for _ in range(500):
        mujoco.mj_step(model, data)
        furthest = max(furthest, abs(data.qpos[0]))
    assert furthest < 0.35
    assert abs(data.qpos[0] - 0.2) < 0.02


def test_warp_moves_as_the_c_engine_does():
    mjw = pytest.importorskip("mujoco_warp")
    from pliant.engines.mujoco_warp import install

    spec = mujoco.MjSpec.from_string(BENCH)
    actuator = pliant.load_actuator(NAME)
    attachment = pliant.attach(spec, {"a": actuator}, engine="mujoco_warp")
    model = spec.compile()
    m = mjw.put_model(model)
    d = mjw.make_data(model, nworld=2, njmax=24, nconmax=8)
    installed = install(attachment, model, m, d)
    found, commands = [0.0], COMMANDS[:2]
    for goal, push in commands:
        d.ctrl.assign(np.full((2, 1), goal, np.float32))
        d.qfrc_applied.assign(np.full((2, 1), push, np.float32))
        for k in range(400):
            mjw.step(m, d)
            if (k + 1) % 20 == 0:
                found.append(float(d.qpos.numpy()[1, 0]))
    assert installed is not None
    expected = in_mujoco(actuator, 5e-4, commands)
    assert np.abs(np.array(found) - expected).max() < 1e-4


def test_a_published_servo_becomes_the_catalogues_one_with_play():
    rigid = pliant.load_actuator("mx106_bam_m4")
    own = pliant.load_actuator(NAME)
    numbers = {s: own.value(f"contact.{s}") for s in ("gap", "k", "d")}
    made = with_backlash(
        rigid, numbers["gap"], stiffness=numbers["k"], damping=numbers["d"], encoder="joint"
    )
    assert list(made.fields) == list(own.fields)
    np.testing.assert_array_equal(made.values, own.values)
    with pytest.raises(PliantError, match="already has a separate mass before the joint"):
        with_backlash(made, 0.01, stiffness=100.0)


def test_a_wide_gap_moves_the_joint_less_the_smaller_the_gap():
    """Without a gap the servo's goal arrives whole; with one, a small goal is lost in the play."""
    still = np.array([[0.008, 0.0]])
    found = []
    for gap in (0.0, 0.02):
        actuator = smooth("motor", **{"contact.gap": gap})
        found.append(played(actuator, 2e-4, still).position[-1])
    assert found[0] > 0.004
    assert abs(found[1]) < 1e-9


def unaccounted(actuator, step):
    """[J] (gap, drawn, friction, damping) of the books over a swing: what the supply gave that is nowhere."""
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.arange(0.0, 0.8, step)
    trace = simulate(engine, t, 0.3 * np.sin(8.0 * t), changes={"plant.inertia": LINK})
    power = traced(actuator, trace)
    used = energy_over(trace.time, power)
    v, ends = trace.velocity[[0, -1]], [0, -1]
    kept = power.kinetic_energy[ends, 0, 0] + power.elastic_energy[ends, 0] + 0.5 * LINK * v**2
    friction, damping = np.nansum(used.friction), used.damping[0]
    lost = np.nansum(used.copper_loss) + friction + damping
    gap = np.nansum(used.electrical) - lost - (kept[1] - kept[0])
    return gap, np.nansum(used.drawn), friction, damping


@pytest.mark.parametrize("gear", ["none", "m1"])
def test_what_the_supply_gives_is_lost_in_friction_and_teeth_or_moves_the_masses(gear):
    values = {"gear.K_c": 0.1, "gear.K_v": 0.05} if gear == "m1" else {}
    actuator = with_laws(pliant.load_actuator(NAME), {"gear": gear})
    actuator = actuator.with_values(values, "test", "assumed")
    coarse, _, _, _ = unaccounted(actuator, 2e-4)
    fine, drawn, friction, damping = unaccounted(actuator, 5e-5)
    assert abs(fine) < 0.01 * drawn
    assert abs(fine) < 0.5 * abs(coarse)
    left = (4.0 * fine - coarse) / 3.0  # at no step at all, of an error of first order
    assert abs(left) < 0.02 * damping
    assert (abs(left) < 0.02 * friction) == (gear == "m1")


@pytest.mark.long
def test_the_books_of_the_published_servo_close_with_the_step_once_its_impacts_are_resolved():
    """Coarse steps count too much friction in the pressed gear, fine ones too little: the gap changes
    its sign near 0.4 ms, which looks as if it grew, and falls in proportion from 0.1 ms on."""
    actuator = pliant.load_actuator(NAME)
    coarse, _, _, _ = unaccounted(actuator, 1e-4)
    fine, drawn, _, _ = unaccounted(actuator, 2.5e-5)
    assert abs(fine) < 0.01 * drawn
    assert abs(fine) < 0.5 * abs(coarse)


def test_a_robot_reads_the_play_as_no_stiffness():
    """In the gap 0, in contact that of the teeth; it rests where its motor is."""
    spec = mujoco.MjSpec.from_string(BENCH)
    attached = pliant.attach(spec, {"a": NAME})
    robot = Robot(spec.compile(), attached, target="python")
    assert robot.stiffness[0] == 0.0
    robot.reference_1 = [0.2]
    found = set()
    for _ in range(60):
        robot.step()
        found.add(float(robot.stiffness[0]))
    assert found == {0.0, 2000.0}
    assert np.isfinite(robot.power.friction[0, 0])
    assert equilibrium(pliant.load_actuator(NAME), (0.3,)) == pytest.approx(0.3)
