"""Energies beside an experiment's figures, against integrals of the motion itself."""

import numpy as np
import pytest

from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import controls, played
from pliant.experiments.mengacci2021 import ilc
from pliant.experiments.support.benches import FLANGE_AND_CUBE, one_joint
from pliant.experiments.support.energy import HEAD, energies, energy_of
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode


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
    assert row["peak power"] == pytest.approx(np.max(torque * omega), rel=0.03)
    assert row["heat"] is None and row["rms current"] is None  # no winding is known
    assert "in 2 simulated motions, without the heat of their windings" in spent.statement("x.csv")


def test_a_stiff_servo_draws_its_work_and_the_heat_of_its_winding():
    h, servo = 5e-4, load_actuator("mx106_bam_m1")
    spec = one_joint(FLANGE_AND_CUBE, timestep=h, damping=0.05, zero=-1.57)
    attached = attach(spec, {"joint": servo})
    model = spec.compile()
    goal = 0.6 * np.sin(6.0 * h * np.arange(2000))
    with energies() as spent:
        motion = played(model, controls(model, 2000, {"joint": goal}), attached=attached)
    assert "J of it heat in windings" in spent.statement("x.csv")
    k_t, R, U = (servo.value(name) for name in ("motor.k_t", "motor.R", "own.voltage"))
    steep = servo.value("control.gain") * servo.value("control.kp")
    q, v = motion.position("joint"), motion.velocity("joint")
    limit = servo.value("control.limit")
    duty = np.clip(steep * (goal - q), -limit, limit)
    i = (duty * U - k_t * v) / R
    energy = energy_of(motion)
    assert energy is not None
    assert energy.mechanical[0, 0] == pytest.approx(np.sum(k_t * i * v) * h, rel=0.02)
    assert energy.copper_loss[0, 0] == pytest.approx(np.sum(R * i**2) * h, rel=0.02)
    (row,) = spent.rows
    assert row["rms current"] == pytest.approx(np.sqrt(np.mean(i**2)), rel=0.02)
    assert row["peak power"] == pytest.approx(np.max(duty * U * i), rel=0.02)
    assert row["heat"] == pytest.approx(energy.copper_loss[0, 0])
    assert energy.electrical[0, 0] == pytest.approx(np.sum(duty * U * i) * h, rel=0.02)


def test_of_motors_that_follow_at_any_load_no_energy_is_made_up():
    spec = one_joint(FLANGE_AND_CUBE, timestep=5e-4, damping=0.05, zero=-1.57)
    attached = attach(spec, {"joint": with_mode(load_actuator("sea_walkman_200"), 3)})
    model = spec.compile()
    with energies() as spent:
        played(model, controls(model, 20, {"joint": 0.3}), attached=attached)
    assert spent.rows == []
    assert spent.statement("x.csv").startswith(
        "Energy: unknown, because the motors of these 1 simulated"
    )


def test_a_trial_is_repeated_as_it_was():
    settings = ilc.Settings(tip_masses=(0.1,), duration=2.0, settle=0.5, iterations=1)
    (one,) = ilc.learned(settings)
    trial = one.iterations[-1]
    motion = ilc.repeated(trial, 0.1, settings)
    ends = round(0.5 / settings.timestep) + 10 * np.arange(1, len(trial.output) + 1) - 1
    for k, joint in enumerate(ilc.JOINTS):
        np.testing.assert_allclose(motion.position(joint)[ends], trial.output[:, k], atol=1e-9)
