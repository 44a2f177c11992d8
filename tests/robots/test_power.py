"""Power and energy: what goes in comes out, to the order of the step."""

from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.errors import PliantError
from pliant.robots import EnergyMeter, Robot, energy_over
from pliant.robots.elastic import elastic_of
from pliant.robots.power import traced

EXAMPLES = Path(__file__).parents[2] / "examples"
LINK = 0.05
SECONDS = 0.4


@cache
def moved(name, step, reference_2=0.0, scale=0.3, seconds=SECONDS):
    """A joint of `name` under commands that swing, and its powers."""
    actuator = pliant.load_actuator(name)
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.arange(0.0, seconds, step)
    command = scale * np.sin(5.0 * t) ** 2
    trace = simulate(engine, t, command, reference_2, changes={"plant.inertia": LINK})
    return trace, traced(actuator, trace)


CASES = [
    ("sea_centauro_188", 0.0, 0.3),  # damping of the spring
    ("sea_lime_50_21000", 0.0, 8.0),  # a winding with resistance, commanded in ampere
    ("qbmove_maker_pro_pwm", 0.3, 0.3),  # two motors under voltage, friction that sticks
]


@pytest.mark.parametrize(("name", "preset", "scale"), CASES)
def test_what_the_supply_gives_is_lost_stored_or_moves_the_link(name, preset, scale):
    """The gap falls with the step; the link's energy is that of its inertia, not of the books."""
    (coarse, _), (fine, size) = (gap(*moved(name, step, preset, scale)) for step in (4e-4, 1e-4))
    assert size > 1e-3
    assert abs(fine) < 0.02 * size
    assert abs(fine) < 0.5 * abs(coarse)


def gap(trace, power):
    """What the supply gave less what was lost and is kept [J], and what it gave."""
    used = energy_over(trace.time, power)
    v = trace.velocity[[0, -1]]
    kinetic = np.nansum(power.kinetic_energy[[0, -1], 0], -1) + 0.5 * LINK * v**2
    kept = kinetic + power.elastic_energy[[0, -1], 0]
    lost = np.nansum(used.copper_loss) + np.nansum(used.friction) + used.damping[0]
    return np.nansum(used.electrical) - lost - (kept[1] - kept[0]), np.nansum(used.drawn)


def test_what_teeth_lose_as_they_strike_is_accounted_for_in_proportion_to_the_step():
    """At larger steps two errors of opposite sign hide it."""
    coarse, fine = (
        gap(*moved("mx106_m4_backlash", step, 0.0, 0.6, seconds=0.25))[0] for step in (5e-5, 2.5e-5)
    )
    assert coarse != 0.0
    assert fine / coarse == pytest.approx(0.5, abs=0.1)


def test_heat_and_work_of_a_servo_are_those_of_its_motor_equations():
    """An MX-106 holding a load: i = tau / k_t, P = R i^2 + tau v, written out here."""
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option timestep=".001"/><worldbody><body><joint name="a" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size=".02" mass=".5"/></body></worldbody></mujoco>"""
    )
    attached = pliant.attach(spec, {"a": "mx106_bam_m4"})
    robot = Robot(spec.compile(), attached, target="python")
    robot.reference_1 = [0.8]
    robot.step(20)
    actuator = pliant.load_actuator("mx106_bam_m4")
    k_t, resistance = actuator.value("motor.k_t"), actuator.value("motor.R")
    tau, v = robot.data.actuator_force[0], robot.data.qvel[0]
    power = robot.power
    assert abs(tau) > 0.1
    assert abs(v) > 0.01
    assert power.current[0, 0] == pytest.approx(tau / k_t)
    assert power.copper_loss[0, 0] == pytest.approx(resistance * (tau / k_t) ** 2)
    assert power.total[0] == pytest.approx(resistance * (tau / k_t) ** 2 + tau * v)
    assert np.isnan(power.electrical[0, 1])


def test_a_meter_adds_up_to_the_energy_of_the_arrays():
    robot = pliant.load_robot(EXAMPLES / "compliant_arm.toml")
    robot.reference_1, robot.reference_2 = [0.5, 0.2], [0.3, 0.3]
    meter, before = EnergyMeter(robot), robot.elastic_energy
    electrical = [robot.power.electrical]
    for _ in range(200):
        robot.step()
        meter.add()
        electrical.append(robot.power.electrical)
    by_hand = np.trapezoid(electrical, dx=robot.model.opt.timestep, axis=0)
    np.testing.assert_allclose(meter.energy.electrical, by_hand, rtol=1e-9)
    gained = robot.elastic_energy - before
    np.testing.assert_allclose(meter.energy.elastic, gained, rtol=0.15)


def test_a_winding_with_inductance_takes_voltage_times_current():
    """The current lags: beside heat and work the supply feeds, or is fed by, the inductance."""
    changed = {"winding_1": "inductance", "winding_2": "inductance", "driver_1": "ideal_supply"}
    actuator = with_laws(pliant.load_actuator("qbmove_maker_pro_pwm"), changed)
    rows = [{"own_1.command": 0.5, "winding_1.tau": 0.3, "rotor_1.omega": 1.2}]
    rows += [{"own_1.command": -0.2, "winding_1.tau": 0.3, "rotor_1.omega": -0.7}]
    states = np.array([[row.get(name, 0.0) for name in actuator.state] for row in rows])
    assert {"own_1.command", "winding_1.tau"} <= set(actuator.state)
    n = np.ones(2)
    found = elastic_of(actuator).drive(
        0, states, 0.0 * n, 8.0 * n, n, np.tile(actuator.values, (2, 1))
    )
    current = 0.3 / actuator.value("motor_1.k_t")
    np.testing.assert_allclose(found["current"], current)
    np.testing.assert_allclose(found["electrical"], np.array([0.5, -0.2]) * 8.0 * current)


@pytest.mark.parametrize(("mass", "distance"), [(0.0, 1.0), (1.0, -1.0), (1.0, float("nan"))])
def test_a_cost_of_transport_needs_weight_and_distance(mass, distance):
    trace, power = moved("sea_centauro_188", 1e-3)
    with pytest.raises(PliantError, match="out of range"):
        energy_over(trace.time, power).cost_of_transport(mass, distance)


def test_a_cost_of_transport_is_energy_over_weight_and_distance():
    trace, power = moved("sea_centauro_188", 1e-3)
    used = energy_over(trace.time, power)
    drawn = np.trapezoid(np.maximum(power.electrical[:, 0, 0], 0.0), trace.time)
    assert used.cost_of_transport(2.0, 3.0) == pytest.approx(drawn / (2.0 * 9.81 * 3.0))
    assert used.cost_of_transport(2.0, 3.0, recovers=True) < used.cost_of_transport(2.0, 3.0)
