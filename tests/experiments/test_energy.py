"""Energies beside an experiment's figures, against integrals of the motion itself."""

import numpy as np
import pytest

from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import controls, played
from pliant.experiments.support.benches import FLANGE_AND_CUBE, one_joint
from pliant.experiments.support.energy import HEAD, energies
from pliant.io.actuator_file import load_actuator


def test_the_energies_of_a_motion_are_those_of_its_motors_and_springs():
    spec = one_joint(FLANGE_AND_CUBE, timestep=5e-4, damping=0.05, zero=-1.57)
    attached = attach(spec, {"joint": load_actuator("sea_centauro_188")})
    model = spec.compile()
    goal = 0.6 * np.sin(6.0 * 5e-4 * np.arange(2000))
    with energies() as spent:
        motion = played(model, controls(model, 2000, {"joint": goal}), attached=attached)
        played(model, controls(model, 500, {"joint": 0.0}), attached=attached)
    assert spent.motions == 2
    row = spent.rows[0]
    theta, omega = (motion.state("joint", f"rotor.{name}") for name in ("theta", "omega"))
    torque = np.clip(1000.0 * (goal - theta), -33.0, 33.0)
    assert row["work"] == pytest.approx(np.sum(torque * omega) * 5e-4, rel=0.03)
    assert row["friction"] == pytest.approx(np.sum(24.768 * omega**2) * 5e-4, rel=0.03)
    phi = motion.position("joint") - theta
    assert row["into springs"] == pytest.approx(94.0 * (phi[-1] ** 2 - phi[0] ** 2), abs=2e-3)
    assert spent.csv().splitlines()[0] == ",".join(HEAD)
    assert "in 2 simulated motions" in spent.statement("x.csv")
