"""Gear load without inertia, gradual reversal and friction by the load's side: an integrator of its own, and every engine."""

from math import copysign, exp

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.robots import Robot

MASS, LENGTH, H, STEPS = 1.2, 0.2, 1e-3, 1200
LOAD = MASS * LENGTH**2 / 3.0
BENCH = f"""<mujoco><option timestep="{H}"/><worldbody><body><joint name="a" axis="0 -1 0"/>
<inertial pos="0 0 {-LENGTH / 2}" mass="{MASS}" diaginertia="{MASS * LENGTH**2 / 12} {MASS * LENGTH**2 / 12}
1e-3"/></body></worldbody></mujoco>"""
GOALS = 0.9 * np.sign(np.sin(2.0 * np.pi * 2.5 * H * (np.arange(STEPS) + 0.5)))


def servo(*ports):
    known = {"gear_load": "without_inertia", "reversal": "gradual", "friction": "m4_sided"}
    laws = {"timing": "immediate", "sensing": "ideal", **{port: known[port] for port in ports}}
    actuator = with_laws(pliant.load_actuator("mx64_bam_m4"), laws)
    values = {"friction.K_l": 0.5, "friction.K_ls": 0.2}
    if "reversal" in ports:
        values |= {"reversal.reach": 0.05, "reversal.drop": 0.8}
    if "friction" in ports:
        values |= {"friction.K_side": 0.25}
    return actuator.with_values(values, "test", "assumed")


def in_mujoco(actuator):
    spec = mujoco.MjSpec.from_string(BENCH)
    attached = pliant.attach(spec, {"a": actuator})
    robot = Robot(spec.compile(), attached, target="python")
    found = []
    for goal in GOALS:
        robot.reference_1 = [goal]
        robot.step()
        found.append(robot.data.qpos[0])
    return np.array(found)


def in_the_joint_engine(actuator):
    engine = JointEngine(actuator, plant="pendulum", settings=JointSettings(max_step=H))
    t = H * np.arange(STEPS + 1)
    changes = {"plant.arm_mass": MASS, "plant.length": LENGTH, "plant.mass": 0.0}
    return simulate(engine, t, np.append(GOALS, GOALS[-1]), changes=changes).position[1:]


def by_hand(actuator):
    """The same equations, with the laws of this file and no function of Pliant."""
    n = {name: number.value for name, number in actuator.numbers.items()}
    rotor, q, v, before, z, out = n["own.armature"], 0.0, 0.0, None, 0.0, []
    for goal in GOALS:
        a = 0.0 if before is None else (v - before) / H
        before = v
        if "reversal.reach" in n:
            side = copysign(1.0, v)
            z = side + (z - side) * exp(-abs(v) * H / n["reversal.reach"])
        duty = n["control.gain"] * n["control.kp"] * (goal - q)
        duty = min(max(duty, -n["control.limit"]), n["control.limit"])
        k = n["motor.k_t"]
        tau_m = k * (duty * n["own.voltage"] - k * v) / n["motor.R"]
        tau_e = -MASS * 9.81 * LENGTH / 2.0 * np.sin(q)
        gone = a if "gear_load.v" in actuator.state else 0.0
        carried = tau_e - LOAD * gone
        load = abs((tau_m - rotor * gone) - carried)
        s = exp(-(abs(v / n["friction.v_s"]) ** n["friction.alpha"]))
        f = {name.removeprefix("friction."): x for name, x in n.items()}
        dry = f["K_c"] + f["K_l"] * load + s * (f["K_cs"] + f["K_ls"] * load)
        budget = f["K_v"] * abs(v) + (1.0 + f.get("K_side", 0.0) * np.sign(carried)) * dry
        if "reversal.drop" in n:
            side = copysign(1.0, v if abs(v) > 1e-3 else tau_m + tau_e)
            budget *= 1.0 - 0.5 * n["reversal.drop"] * (1.0 - side * z)
        stop = -((rotor + LOAD) * v / H + tau_m + tau_e)
        v += H * (tau_m + tau_e + min(max(stop, -budget), budget)) / (rotor + LOAD)
        q += H * v
        out.append(q)
    return np.array(out)


EACH = ("gear_load", "reversal", "friction")
PORTS = pytest.mark.parametrize("ports", [("gear_load",), ("reversal",), EACH], ids="+".join)


@PORTS
def test_the_joint_engine_moves_as_the_equations_say(ports):
    found, plain = in_the_joint_engine(servo(*ports)), in_the_joint_engine(servo())
    expected = by_hand(servo(*ports))
    assert np.abs(found - expected).max() < 1e-3 * np.ptp(expected)
    assert np.abs(found - plain).max() > 3e-3 * np.ptp(expected)


@PORTS
def test_mujoco_moves_as_the_joint_engine(ports):
    expected = in_the_joint_engine(servo(*ports))
    assert np.abs(in_mujoco(servo(*ports)) - expected).max() < 1e-3 * np.ptp(expected)


def test_warp_moves_as_the_joint_engine():
    mjw = pytest.importorskip("mujoco_warp")
    from pliant.engines.mujoco_warp import install

    spec = mujoco.MjSpec.from_string(BENCH)
    attachment = pliant.attach(spec, {"a": servo(*EACH)}, engine="mujoco_warp")
    model = spec.compile()
    m = mjw.put_model(model)
    d = mjw.make_data(model, nworld=2, njmax=24, nconmax=8)
    kept = install(attachment, model, m, d)
    found = []
    for goal in GOALS:
        d.ctrl.assign(np.full((2, 1), goal, np.float32))
        mjw.step(m, d)
        found.append(d.qpos.numpy()[1, 0])
    expected = in_the_joint_engine(servo(*EACH))
    assert kept is not None
    assert np.abs(np.array(found) - expected).max() < 5e-3 * np.ptp(expected)
