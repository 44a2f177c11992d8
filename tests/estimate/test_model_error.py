"""The estimator's own figure for a wrong model, against the error that the model makes."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from pliant import PliantError
from pliant.estimate.dynamics import load_dynamics
from pliant.estimate.model_error import model_errors, worst, wrong_bodies
from pliant.estimate.offline import estimate_log
from pliant.estimate.settings import EstimatorSettings
from pliant.io.encoder_file import read_joint_log

from . import truth
from .joints import MGL, M, link, recording

PENDULUM = f"""<mujoco><worldbody><body><joint name="joint" axis="0 1 0"/>
<inertial pos="0 0 {-0.1:g}" mass="{MGL / 0.981:.9g}" diaginertia="{M - MGL / 0.981 * 0.01:.9g} {M - MGL / 0.981 * 0.01:.9g} 0.0106"/>
</body></worldbody></mujoco>"""

NAMES = ("shoulder", "elbow")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "arm.xml").write_text(truth.ARM)
    columns = truth.simulated(25.0, quantum=2e-4)
    (folder / "run.csv").write_text(truth.as_csv(columns))
    robot = load_dynamics(folder / "arm.xml")
    return folder, estimate_log(read_joint_log(folder / "run.csv", robot.names), robot), columns


def changes(tried):
    return {(one.kind, round(one.part, 3)): one.change for one in tried}


def test_each_kind_of_error_passes_as_it_should(run):
    """All masses: straight through. Centre of mass: straight through at the last joint. Length: it
    is no matter to the last joint."""
    folder, found, _ = run
    change = changes(model_errors(found, folder / "arm.xml", 0.2))
    assert set(change) == {
        (kind, part)
        for kind in ("mass", "centre of mass", "length", "friction")
        for part in (-0.2, 0.2)
    }
    for part in (-0.2, 0.2):
        np.testing.assert_allclose(change["mass", part], part, atol=2e-3)
        # gravity dominates; inertia goes with the square or not at all
        assert change["centre of mass", part][1] == pytest.approx(part, abs=0.04)
        assert 0.4 * abs(part) < abs(change["centre of mass", part][0]) < 1.1 * abs(part)
        assert abs(change["length", part][1]) < 0.02
        assert 0.2 * abs(part) < abs(change["length", part][0]) < 0.7 * abs(part)


def test_the_errors_are_those_against_the_truth(run):
    """A user whose model is 20 % too heavy is told by how much the truth lies lower."""
    folder, found, columns = run
    late = columns["time"] > 12.0
    heavy = truth.ARM.replace('mass="0.6"', 'mass="0.72"').replace('mass="0.4"', 'mass="0.48"')
    for value in ("0.004 0.004 0.001", "0.002 0.002 0.0005"):
        more = " ".join(f"{1.2 * float(x):.6g}" for x in value.split())
        heavy = heavy.replace(value, more)
    (folder / "heavy.xml").write_text(heavy)
    robot = load_dynamics(folder / "heavy.xml")
    wrong = estimate_log(found_log(folder, robot), robot)
    ratio = wrong.estimate.sigma[late, 0] / columns["sigma_shoulder"][late]
    said_so = changes(model_errors(found, folder / "arm.xml", 0.2))["mass", 0.2][0]
    assert np.median(ratio) - 1.0 == pytest.approx(said_so, abs=0.01)
    assert not any("no spring of this form" in text for text in wrong.warnings)  # nothing tells


def test_friction_that_is_known_wrongly_shifts_the_stiffness_as_least_squares_do(tmp_path):
    """Numpy's, of the exact motion: torque of the spring and friction, the latter held at 1.2 of what it is."""
    dry, viscous = 0.1, 0.02
    one = recording("sea", seconds=60.0, extra=lambda t, v: dry * np.tanh(v / 2e-3) + viscous * v)
    t, q, theta = one.log.time, one.log.q[:, 0], one.log.theta[:, 0]
    lines = [
        "time,q_joint,theta_joint",
        *(f"{a:.6f},{b:.9g},{c:.9g}" for a, b, c in zip(t, q, theta, strict=True)),
    ]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    (tmp_path / "pendulum.xml").write_text(PENDULUM)
    robot = load_dynamics(tmp_path / "pendulum.xml")
    found = estimate_log(read_joint_log(tmp_path / "run.csv", robot.names), robot)
    _, v, a, _ = link(t)
    friction, net = dry * np.tanh(v / 2e-3) + viscous * v, -(M * a + MGL * np.sin(q))
    phi = q - theta
    expected = float((net - 1.2 * friction) @ phi / (phi @ phi)) / 20.0 - 1.0
    assert abs(expected) > 0.01
    change = changes(model_errors(found, tmp_path / "pendulum.xml", 0.2))
    assert change["friction", 0.2][0] == pytest.approx(expected, rel=0.1)
    assert change["friction", -0.2][0] == pytest.approx(-expected, rel=0.1)
    plain = estimate_log(
        found_log(tmp_path, robot), robot, settings=EstimatorSettings(friction=False)
    )
    assert ("friction", 0.2) not in changes(model_errors(plain, tmp_path / "pendulum.xml", 0.2))


def found_log(folder, robot):
    return read_joint_log(folder / "run.csv", robot.names)


def test_what_matters_most_to_a_joint_is_the_largest_change(run):
    folder, found, _ = run
    tried = model_errors(found, folder / "arm.xml", 0.2)
    for joint in (0, 1):
        most = worst(tried, joint)
        assert most.kind in ("mass", "centre of mass")
        assert all(abs(one.change[joint]) <= abs(most.change[joint]) for one in tried)


def test_of_a_joint_of_which_nothing_is_known_no_size_is_told(run):
    folder, found, _ = run
    tried = [
        replace(one, change=np.array([np.nan, one.change[1]]))
        for one in model_errors(found, folder / "arm.xml", 0.2)
    ]
    assert worst(tried, 0) is None and worst(tried, 1) is not None


def test_the_bodies_are_wrong_in_one_kind_only(run):
    path = run[0] / "arm.xml"
    exact = mujoco.MjModel.from_xml_string(truth.ARM)
    mass = wrong_bodies(path, NAMES, "mass", 0.1)
    np.testing.assert_allclose(mass.body_mass, 1.1 * exact.body_mass)
    np.testing.assert_allclose(mass.body_inertia, 1.1 * exact.body_inertia)
    np.testing.assert_allclose(mass.body_ipos, exact.body_ipos)
    centre = wrong_bodies(path, NAMES, "centre of mass", 0.1)
    np.testing.assert_allclose(centre.body_ipos, 1.1 * exact.body_ipos)
    np.testing.assert_allclose(centre.body_pos, exact.body_pos)
    length = wrong_bodies(path, NAMES, "length", -0.1)
    np.testing.assert_allclose(length.body_pos[2], 0.9 * exact.body_pos[2])
    np.testing.assert_allclose(length.body_mass, exact.body_mass)


@pytest.mark.parametrize("part", [0.0, 1.0, -0.2])
def test_a_part_that_is_none_is_refused(run, part):
    with pytest.raises(PliantError, match=r"model error: not a part; found .*between 0 and 1"):
        model_errors(run[1], run[0] / "arm.xml", part)
