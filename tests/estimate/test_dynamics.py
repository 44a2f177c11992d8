"""Rigid-body terms: two engines, closed forms, and derivatives along the motion."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pliant import PliantError
from pliant.estimate.dynamics import load_dynamics

from .chains import URDF, chain, motion

SIZES = (1, 2, 3, 7, 12)
AROUND = (-3, -2, -1, 1, 2, 3)


@pytest.fixture(params=["mujoco", "pinocchio"])
def engine(request):
    if request.param == "pinocchio":
        pytest.importorskip("pinocchio")
    return request.param


def written(folder: Path, text: str, name: str = "robot.xml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def apart(a, b) -> float:
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("n", SIZES)
def test_the_engines_agree_on_random_chains(tmp_path, n):
    pytest.importorskip("pinocchio")
    for seed in range(6):
        path = written(tmp_path, chain(seed, n))
        a, b = load_dynamics(path, "mujoco"), load_dynamics(path, "pinocchio")
        q, v, acc, jerk = motion(seed, n)
        assert a.names == b.names == tuple(f"j{k}" for k in range(n))
        assert apart(a.mass(q), b.mass(q)) < 1e-12
        assert apart(a.coriolis(q, v), b.coriolis(q, v)) < 1e-12
        assert apart(a.gravity(q), b.gravity(q)) < 1e-12
        assert apart(a.inverse(q, v, acc), b.inverse(q, v, acc)) < 1e-12
        assert apart(a.rotatum(q, v, acc, jerk), b.rotatum(q, v, acc, jerk)) < 1e-9


@pytest.mark.parametrize("n", SIZES)
def test_inverse_dynamics_is_the_sum_of_its_terms(tmp_path, engine, n):
    robot = load_dynamics(written(tmp_path, chain(3, n)), engine)
    q, v, a, _ = motion(3, n)
    terms = robot.mass(q) @ a + robot.coriolis(q, v) @ v + robot.gravity(q)
    assert apart(robot.inverse(q, v, a), terms) < 1e-12


@pytest.mark.parametrize("n", SIZES)
def test_the_rate_of_the_mass_is_coriolis_and_its_transpose(tmp_path, engine, n):
    robot = load_dynamics(written(tmp_path, chain(4, n)), engine)
    q, v, *_ = motion(4, n)
    h = 1e-3
    M = [robot.mass(q + k * h * v) for k in (-2, -1, 1, 2)]
    rate = (8.0 * (M[2] - M[1]) - (M[3] - M[0])) / (12.0 * h)
    C = robot.coriolis(q, v)
    assert apart(C + C.T, rate) < 1e-9


@pytest.mark.parametrize("n", SIZES)
def test_rotatum_is_the_derivative_of_inverse_dynamics_along_a_curve(tmp_path, engine, n):
    robot = load_dynamics(written(tmp_path, chain(5, n)), engine)
    rng = np.random.default_rng(5)
    size, pace, phase = rng.uniform([[0.2], [1.0], [0.0]], [[1.0], [3.0], [6.0]], (3, n))

    def at(t: float, order: int):
        return size * pace**order * np.sin(pace * t + phase + order * np.pi / 2.0)

    def torque(t: float):
        return robot.inverse(at(t, 0), at(t, 1), at(t, 2))

    t, h = 0.7, 2e-3
    slope = np.array([-1, 9, -45, 45, -9, 1]) / (60.0 * h)
    numerical = sum(
        s * torque(t + k * h) for s, k in zip(slope, (-3, -2, -1, 1, 2, 3), strict=True)
    )
    assert apart(robot.rotatum(at(t, 0), at(t, 1), at(t, 2), at(t, 3)), numerical) < 1e-9


def test_rotatum_is_the_difference_of_native_inverse_dynamics(tmp_path, engine):
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, chain(6, 4, plain=True))
    robot = load_dynamics(path, engine)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    q, v, a, jerk = motion(6, 4)

    def native(h):
        data.qpos[:] = q + h * v + h**2 / 2 * a + h**3 / 6 * jerk
        data.qvel[:] = v + h * a + h**2 / 2 * jerk
        data.qacc[:] = a + h * jerk
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    h = 1e-4
    assert apart(robot.rotatum(q, v, a, jerk), (native(h) - native(-h)) / (2 * h)) < 1e-6


def test_a_pendulum_has_its_closed_form(tmp_path, engine):
    m, length, inertia, rotor, g = 0.4, 0.3, 0.01, 0.02, 9.81
    text = (
        f'<mujoco><option gravity="0 0 -{g}"/><worldbody><body>'
        f'<joint name="a" axis="0 1 0" armature="{rotor}"/>'
        f'<inertial pos="0 0 -{length}" mass="{m}" diaginertia="{inertia} {inertia} 0.001"/>'
        "</body></worldbody></mujoco>"
    )
    robot = load_dynamics(written(tmp_path, text), engine)
    q, v, a, jerk = (np.array([x]) for x in (0.7, 1.3, -2.0, 5.0))
    M = m * length**2 + inertia + rotor
    assert robot.n == 1
    assert robot.mass(q)[0, 0] == pytest.approx(M, rel=1e-14)
    assert robot.coriolis(q, v)[0, 0] == pytest.approx(0.0, abs=1e-15)
    assert robot.gravity(q)[0] == pytest.approx(m * g * length * np.sin(q[0]), rel=1e-13)
    rate = M * jerk[0] + m * g * length * np.cos(q[0]) * v[0]
    assert robot.rotatum(q, v, a, jerk)[0] == pytest.approx(rate, rel=1e-10)


def test_a_joint_that_alone_moves_feels_its_own_pendulum(tmp_path, engine):
    """The n-joint form with one joint moving, and the one-joint form of the same robot."""
    path = written(tmp_path, chain(7, 4, plain=True))
    whole, single = load_dynamics(path, engine), load_dynamics(path, engine, ["j2"])
    for x in motion(7, 4)[0]:
        q, v, a, jerk = (np.zeros(4) for _ in range(4))
        q[2], v[2], a[2], jerk[2] = x, 1.5, -2.0, 4.0
        parts = [np.array([one[2]]) for one in (q, v, a, jerk)]
        assert whole.inverse(q, v, a)[2] == pytest.approx(single.inverse(*parts[:3])[0], abs=1e-12)
        assert whole.rotatum(q, v, a, jerk)[2] == pytest.approx(single.rotatum(*parts)[0], abs=1e-9)


def test_a_urdf_is_read_as_pinocchio_reads_it(tmp_path, engine):
    """Without its mesh files, and with a joint that Pinocchio stores as cosine and sine."""
    pin = pytest.importorskip("pinocchio")
    path = written(tmp_path, URDF, "arm.urdf")
    robot = load_dynamics(path, engine)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q, v, a, _ = motion(8, 3)
    theirs = pin.neutral(model)
    order = [model.joints[model.getJointId(name)] for name in robot.names]
    for joint, angle in zip(order, q, strict=True):
        theirs[joint.idx_q : joint.idx_q + joint.nq] = (
            angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        )
    places = [joint.idx_v for joint in order]
    speed, rate = np.empty(3), np.empty(3)
    speed[places], rate[places] = v, a
    expected = pin.rnea(model, data, theirs, speed, rate)[places]
    assert robot.names == ("shoulder", "elbow", "a_wrist")
    assert apart(robot.inverse(q, v, a), expected) < 1e-9


def test_joints_come_in_the_order_asked_for(tmp_path, engine):
    path = written(tmp_path, chain(9, 3, plain=True))
    robot, turned = load_dynamics(path, engine), load_dynamics(path, engine, ["j2", "j0", "j1"])
    p = [2, 0, 1]
    q, v, a, jerk = motion(9, 3)
    assert turned.names == ("j2", "j0", "j1")
    assert apart(turned.inverse(q[p], v[p], a[p]), robot.inverse(q, v, a)[p]) < 1e-12
    assert apart(turned.mass(q[p]), robot.mass(q)[np.ix_(p, p)]) < 1e-12
    assert apart(turned.coriolis(q[p], v[p]), robot.coriolis(q, v)[np.ix_(p, p)]) < 1e-12
    ours = robot.rotatum(q, v, a, jerk)[p]
    assert apart(turned.rotatum(q[p], v[p], a[p], jerk[p]), ours) < 1e-9


def test_auto_is_pinocchio_where_it_is_installed(tmp_path, monkeypatch):
    from pliant.estimate import dynamics

    path = written(tmp_path, chain(1, 1))
    monkeypatch.setattr(dynamics, "find_spec", lambda name: None)
    monkeypatch.setattr("pliant.extras.importlib.util.find_spec", lambda name: None)
    assert type(load_dynamics(path)).__name__ == "MujocoDynamics"
    with pytest.raises(
        PliantError, match=r"the package pinocchio is not installed; accepted: pip install"
    ):
        load_dynamics(path, "pinocchio")


def test_importing_loads_no_engine():
    code = (
        "import sys, pliant.estimate.dynamics\n"
        "assert not {'mujoco', 'pinocchio', 'llvmlite'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


BALL = (
    '<mujoco><worldbody><body><joint name="b" type="ball"/><geom size=".1"/></body>{}</worldbody>'
    "</mujoco>"
)
HINGE = '<body><joint name="{}"/><geom size=".1"/></body>'


@pytest.mark.parametrize(
    ("text", "joints", "wording"),
    [
        (
            BALL.format(""),
            None,
            "joint b: has more than one degree of freedom; found 'ball'; accepted: hinge or slide, "
            "or joints= without it",
        ),
        (
            BALL.format(HINGE.format("elbow")),
            ["elbo"],
            "joints: no such joint; found 'elbo'; did you mean 'elbow'?; accepted: b, elbow",
        ),
        ("<mujoco><worldbody/></mujoco>", None, "has no joints"),
        (
            '<!DOCTYPE m [<!ENTITY e SYSTEM "file:///etc/passwd">]><mujoco>&e;</mujoco>',
            None,
            "document types and entities are not read; found '<!DOCTYPE'",
        ),
        ("<mujoco", None, "is not XML"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(tmp_path, text, joints, wording):
    with pytest.raises(PliantError) as refused:
        load_dynamics(written(tmp_path, text), joints=joints)
    assert wording in str(refused.value)


def test_a_missing_file_and_an_unknown_engine_are_refused(tmp_path):
    with pytest.raises(PliantError, match="no such model file"):
        load_dynamics(tmp_path / "none.xml")
    with pytest.raises(PliantError, match="engine: is not an engine; found 'mujoko'"):
        load_dynamics(tmp_path / "none.xml", "mujoko")


def test_a_joint_that_is_not_asked_for_is_held(tmp_path):
    path = written(tmp_path, BALL.format(HINGE.format("elbow")))
    assert load_dynamics(path, joints=["elbow"]).names == ("elbow",)
