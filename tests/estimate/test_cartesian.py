"""Stiffness at the end point, against arms with springs that are pushed in MuJoCo."""

import mujoco
import numpy as np
import pytest
from scipy.optimize import root

from pliant import PliantError
from pliant.estimate.cartesian import EndPoint, cartesian_stiffness
from pliant.estimate.dynamics import load_dynamics

from .chains import chain

POINT = np.array([0.05, -0.02, -0.2])


def planar(n: int) -> str:
    """Hanging in the x-z plane."""
    text = ""
    for k in range(n):
        place = "0 0 0" if k == 0 else "0 0 -0.3"
        text += (
            f'<body name="b{k}" pos="{place}"><joint name="j{k}" axis="0 1 0"/>'
            '<inertial pos="0 0 -0.14" mass="0.7" diaginertia="0.01 0.01 0.001"/>'
        )
    return f"<mujoco><worldbody>{text}{'</body>' * n}</worldbody></mujoco>"


class Sprung:
    """The same arm in MuJoCo with springs at its joints, in balance at q under a load."""

    def __init__(self, path, body, q, sigma, force):
        spec = mujoco.MjSpec.from_file(str(path))
        self.model = spec.compile()
        self.body = self.model.body(body).id
        self.data = mujoco.MjData(self.model)
        self.q, self.sigma = q, sigma
        self.spring_torque = np.zeros(len(q))
        self.spring_torque = self.residual(q, force) * -1.0

    def residual(self, q, force):
        """Torque that is left at rest, by MuJoCo's own inverse dynamics and applied force."""
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, 0.0, 0.0
        mujoco.mj_forward(self.model, data)
        point = data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ POINT
        applied = np.zeros(self.model.nv)
        moment = np.append(force, np.zeros(3))[3:6]
        mujoco.mj_applyFT(self.model, data, force[:3], moment, point, self.body, applied)
        spring = self.spring_torque - self.sigma * (q - self.q)
        return applied - data.qfrc_bias + spring

    def tip(self, force):
        found = root(self.residual, self.q, args=(force,), tol=1e-14)
        assert np.abs(self.residual(found.x, force)).max() < 1e-10
        return self.data.xpos[self.body] + self.data.xmat[self.body].reshape(3, 3) @ POINT

    def compliance(self, force, push=0.02):
        columns = []
        for axis in np.eye(3):
            # a difference of fourth order
            at = [self.tip(force + k * push * axis).copy() for k in (-2, -1, 1, 2)]
            columns.append((8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * push))
        return np.column_stack(columns)

    def turned(self, wrench, push=0.01):
        """(6, 6) Place and turn of the tip for each part of a wrench more."""
        columns = []
        for axis in np.eye(6):
            ends = []
            for sign in (-1.0, 1.0):
                place = self.tip(wrench + sign * push * axis).copy()
                ends.append((place, self.data.xmat[self.body].reshape(3, 3).copy()))
            turn = 0.5 * (ends[1][1] @ ends[0][1].T - ends[0][1] @ ends[1][1].T)
            turn = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
            columns.append(np.append(ends[1][0] - ends[0][0], turn) / (2 * push))
        return np.column_stack(columns)


def written(folder, text):
    path = folder / "robot.xml"
    path.write_text(text)
    return path


ARMS = {
    "planar, 2 joints": (planar(2), "b1", (0, 2), 2),
    "planar, 3 joints, redundant": (planar(3), "b2", (0, 2), 3),
    "spatial, 3 joints": (chain(21, 3, plain=True), None, (0, 1, 2), 3),
    "spatial, 6 joints, redundant": (chain(22, 6, plain=True), None, (0, 1, 2), 6),
}


@pytest.fixture(params=ARMS)
def arm(request, tmp_path):
    text, body, axes, n = ARMS[request.param]
    if body is None:
        parts = text.rsplit("<body", 1)
        text, body = parts[0] + '<body name="tip"' + parts[1], "tip"
    rng = np.random.default_rng(n)
    path = written(tmp_path, text)
    q, sigma = rng.uniform(-0.8, 0.8, n), rng.uniform(30, 90, n)
    force = np.zeros(3)
    force[list(axes)] = rng.uniform(-8, 8, len(axes))
    tip = EndPoint(path, body, point=POINT, axes=axes)
    return path, body, q, sigma, force, tip


def test_a_pushed_arm_gives_as_computed(arm):
    path, body, q, sigma, force, tip = arm
    expected = Sprung(path, body, q, sigma, force).compliance(force)[np.ix_(tip.axes, tip.axes)]
    found = cartesian_stiffness(sigma, q, load_dynamics(path), tip, force=force[tip.axes])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.compliance, expected, atol=1e-6 * scale)
    np.testing.assert_allclose(found.stiffness @ expected, np.eye(len(tip.axes)), atol=1e-6)
    np.testing.assert_allclose(found.compliance, found.compliance.T, atol=1e-9 * scale)


def test_a_moment_makes_the_stiffness_to_a_wrench_asymmetric(tmp_path):
    parts = chain(22, 6, plain=True).rsplit("<body", 1)
    path = written(tmp_path, parts[0] + '<body name="tip"' + parts[1])
    rng = np.random.default_rng(5)
    q, sigma = rng.uniform(-0.8, 0.8, 6), rng.uniform(30, 90, 6)
    tip, robot = EndPoint(path, "tip", point=POINT, axes=range(6)), load_dynamics(path)
    wrench = np.array([3.0, -2.0, 1.0, 1.5, -1.0, 2.0])
    found = cartesian_stiffness(sigma, q, robot, tip, force=wrench)
    expected = Sprung(path, "tip", q, sigma, wrench).turned(wrench)
    np.testing.assert_allclose(found.compliance, expected, atol=1e-4 * np.abs(expected).max())
    # Ciblak and Lipkin: K - K^T is the cross product with the wrench, whatever the arm.
    cross = np.cross(np.eye(3), wrench[3:])
    assert np.abs(np.abs(2.0 * found.asymmetric[3:, 3:]) - np.abs(cross)).max() < 1e-6
    without = cartesian_stiffness(sigma, q, robot, tip)
    assert np.abs(without.asymmetric).max() < 1e-6 * np.abs(without.stiffness).max()


def test_load_and_gravity_matter(arm):
    path, _, q, sigma, force, tip = arm
    found = cartesian_stiffness(sigma, q, load_dynamics(path), tip, force=force[tip.axes])
    J = tip.jacobian(q)
    without = J @ np.diag(1.0 / sigma) @ J.T
    assert np.abs(without - found.compliance).max() > 0.01 * np.abs(found.compliance).max()


def test_both_forms_agree_where_both_hold(tmp_path):
    path = written(tmp_path, planar(2))
    tip = EndPoint(path, "b1", point=POINT, axes=(0, 2))
    robot, q = load_dynamics(path), np.array([0.4, 0.9])
    one, other = (
        cartesian_stiffness([40.0, 25.0], q, robot, tip, force=[3.0, -2.0], form=form)
        for form in ("stiffness", "compliance")
    )
    assert (one.form, other.form) == ("stiffness", "compliance")
    np.testing.assert_allclose(one.stiffness, other.stiffness, rtol=1e-10)


def test_a_stiffness_matrix_of_the_joints_is_taken(tmp_path):
    path = written(tmp_path, planar(2))
    tip = EndPoint(path, "b1", axes=(0, 2))
    robot, q = load_dynamics(path), [0.4, 0.9]
    one = cartesian_stiffness([40.0, 25.0], q, robot, tip)
    other = cartesian_stiffness(np.diag([40.0, 25.0]), q, robot, tip)
    np.testing.assert_allclose(one.compliance, other.compliance)


def test_an_arm_of_fewer_joints_has_compliance_and_no_stiffness(tmp_path):
    path = written(tmp_path, planar(2))
    found = cartesian_stiffness([40, 25], [0.4, 0.9], load_dynamics(path), EndPoint(path, "b1"))
    assert found.stiffness is None
    assert np.linalg.matrix_rank(found.compliance) == 2 or found.compliance[1, 1] == 0.0


def test_the_jacobian_is_the_derivative_of_the_position(arm):
    _, _, q, _, _, tip = arm
    h = 1e-6
    steps = h * np.eye(len(q))
    slope = [(tip.position(q + e) - tip.position(q - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(tip.jacobian(q), np.column_stack(slope), atol=1e-8)


@pytest.mark.parametrize(
    ("change", "wording"),
    [
        ({"sigma": [0.5, 0.5]}, "the arm would collapse under this load"),
        ({"sigma": [40.0]}, "sigma: does not fit the robot; found (1,); accepted: (2,), joints j0"),
        ({"q": [0.1, 0.2, 0.3]}, "q: does not fit the robot"),
        ({"q": [0.1, float("nan")]}, "q: is not finite"),
        ({"force": [1.0]}, "force: does not fit the robot"),
        ({"form": "stiff"}, "form: is not a form; found 'stiff'; did you mean 'stiffness'?"),
        (
            {"q": [0.3, 0.0], "form": "stiffness"},
            "form: the stiffness form needs a square, regular Jacobian; found a singular one",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused(tmp_path, change, wording):
    path = written(tmp_path, planar(2))
    given = {"sigma": [40.0, 25.0], "q": [3.0, 0.5], **change}
    tip = EndPoint(path, "b1", point=(0, 0, -0.3), axes=(0, 2))
    with pytest.raises(PliantError) as refused:
        cartesian_stiffness(dynamics=load_dynamics(path), tip=tip, **given)
    assert wording in str(refused.value).replace("'a singular one'", "a singular one")


def test_a_body_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PliantError, match="body: no such body; found 'hand'; accepted: b0, b1"):
        EndPoint(written(tmp_path, planar(2)), "hand")
