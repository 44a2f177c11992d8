"""Energy of a servo on its bench over a log: against the bench's own mechanics and the motor's equations."""

import numpy as np
import pytest

import pliant
from pliant.engines.joint.engine import JointEngine
from pliant.errors import PliantError
from pliant.identification import evaluate
from pliant.io.log import example_logs, read_logs
from pliant.robots import energy_of_log

NAME = "xl330_bam_m6"


@pytest.fixture(scope="module")
def logs():
    return read_logs(example_logs())


def test_what_friction_leaves_of_the_work_lifts_and_moves_the_load(logs):
    """Potential and kinetic energy of a point on a light arm, at both ends of the motion."""
    actuator = pliant.load_actuator(NAME)
    log = max(logs, key=lambda one: abs(one.position[-1] - one.position[0]))
    (entry,) = evaluate(actuator, [log]).entries
    energy = energy_of_log(actuator, log)
    bench = {name: number.value for name, number in actuator.all_numbers.items()}
    zero, arm = bench.get("plant.position_offset", 0.0), bench.get("plant.arm_mass", 0.0)
    if log.arm_mass is not None:
        arm = log.arm_mass
    lift = 9.81 * log.length * (log.mass + 0.5 * arm)
    turn = (log.mass + arm / 3.0) * log.length**2 + bench.get("own.armature", 0.0)
    q = entry.simulated + zero
    v = np.gradient(entry.simulated, log.time)[[0, -1]]
    gained = lift * (np.cos(q[0]) - np.cos(q[-1])) + 0.5 * turn * (v[1] ** 2 - v[0] ** 2)
    assert abs(gained) > 0.05
    assert energy.link[0] == pytest.approx(gained, abs=0.05 * energy.mechanical[0, 0])
    left = energy.mechanical[0, 0] - energy.friction[0, 0]
    assert left == pytest.approx(energy.link[0], abs=1e-9)


def test_heat_and_supply_are_those_of_the_winding(logs):
    """P = R (tau / k_t)^2, and the supply gives it and the work; written out here."""
    actuator, log = pliant.load_actuator(NAME), logs[0]
    torque = JointEngine(actuator).rollout(log).torque[:, 0]
    k_t, resistance = actuator.value("motor.k_t"), actuator.value("motor.R")
    heat = np.trapezoid(resistance * (torque / k_t) ** 2, log.time)
    energy = energy_of_log(NAME, log)
    assert heat > 0.1
    assert energy.copper_loss[0, 0] == pytest.approx(heat, rel=1e-9)
    assert energy.electrical[0, 0] == pytest.approx(heat + energy.mechanical[0, 0], rel=1e-9)
    assert energy.drawn[0, 0] >= energy.electrical[0, 0]
    assert np.isnan(energy.electrical[0, 1])


def test_a_topology_that_does_not_say_its_power_is_refused(logs, monkeypatch):
    monkeypatch.setattr(
        "pliant.robots.log_energy.lower_actuator",
        lambda *_: type("Laws", (), {"columns": {}})(),
    )
    with pytest.raises(PliantError, match="does not say its power"):
        energy_of_log(NAME, logs[0])
