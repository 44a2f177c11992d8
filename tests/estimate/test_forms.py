"""One joint and many, one engine and the other, saved and whole: the same estimates."""

import pickle
import re
import tracemalloc

import numpy as np
import pytest

from pliant.estimate.core import entries
from pliant.estimate.dynamics import load_dynamics, sample_terms
from pliant.estimate.estimator import StiffnessEstimator
from pliant.estimate.layout import box_kernels, new_buffers
from pliant.estimate.settings import EstimatorSettings, Joint
from pliant.io.encoder_file import EncoderLog
from pliant.lower import machine
from pliant.lower.llvm_text import llvm_text

from .chains import chain, motion
from .joints import DT, MGL, M, model, recording, rounded

ENGINES = ("mujoco", "pinocchio")
G = 9.81
WIDTH = {"torque": 5, "rotatum": 12}
PENDULUM = f"""<mujoco><option gravity="0 0 -{G}"/><worldbody><body><joint name="joint"
axis="0 1 0"/><inertial pos="0 0 -{{at}}" mass="{{mass}}" diaginertia="{{I}} {{I}} {{I}}"/>
{{more}}</body></worldbody></mujoco>"""


def pendulum(folder, more=""):
    """MJCF of the pendulum of `joints.model`."""
    mass = 1.0
    at = MGL / (mass * G)
    path = folder / "pendulum.xml"
    path.write_text(PENDULUM.format(at=at, mass=mass, I=M - mass * at**2, more=more))
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mode", ["torque", "rotatum"])
def test_a_robot_of_one_joint_and_the_closed_form_give_the_same(tmp_path, engine, mode):
    if engine == "pinocchio":
        pytest.importorskip("pinocchio")
    one = recording("avsa", seconds=10.0)
    log = rounded(one.log, 2e-4)
    robot = load_dynamics(pendulum(tmp_path), engine)
    settings = EstimatorSettings(width=WIDTH[mode])
    closed, general = (
        StiffnessEstimator(d, [one.joint], DT, mode=mode, settings=settings).fit(log)
        for d in (model(), robot)
    )
    np.testing.assert_allclose(general.sigma[-1000:], closed.sigma[-1000:], rtol=1e-6)
    np.testing.assert_allclose(general.parameters, closed.parameters, rtol=1e-5, atol=1e-7)


def test_the_form_for_one_joint_with_second_differences_finds_the_same_spring():
    """y = -(M K2 q + K0 G), solved by least squares, beside the momentum form of the estimator."""
    one = recording("sea", seconds=20.0)
    q, phi = one.log.q[:, 0], (one.log.q - one.log.theta)[:, 0]
    k0, _, k2 = box_kernels(4, 5, DT)
    y = -(M * np.convolve(q, k2, "valid") + np.convolve(MGL * np.sin(q), k0, "valid"))
    row = np.convolve(phi, k0, "valid")
    found = StiffnessEstimator(model(), [one.joint], DT).fit(one.log)
    assert found.sigma[-1, 0] == pytest.approx(row @ y / (row @ row), rel=2e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_joint_beside_one_that_rests_learns_as_alone(tmp_path, engine):
    if engine == "pinocchio":
        pytest.importorskip("pinocchio")
    wrist = (
        '<body pos="0 0 -.1"><joint name="wrist" axis="0 1 0"/>'
        '<inertial pos="0 0 -.02" mass=".1" diaginertia="1e-4 1e-4 1e-4"/></body>'
    )
    path = pendulum(tmp_path, wrist)
    one = recording("sea", seconds=10.0)
    rests = np.zeros_like(one.log.q)
    both = EncoderLog(
        time=one.log.time,
        q=np.hstack([one.log.q, rests]),
        theta=np.hstack([one.log.theta, rests + 0.01]),
    )
    whole = StiffnessEstimator(load_dynamics(path, engine), [one.joint] * 2, DT).fit(both)
    alone = StiffnessEstimator(load_dynamics(path, engine, ["joint"]), [one.joint], DT)
    np.testing.assert_allclose(
        whole.sigma[-1000:, 0], alone.fit(one.log).sigma[-1000:, 0], rtol=1e-6
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [1, 3, 7])
def test_terms_of_a_sample_are_momentum_and_what_changes_it(tmp_path, engine, n):
    """p = M v and dp/dt = tau - (G - C' v), against inverse dynamics along a short motion."""
    if engine == "pinocchio":
        pytest.importorskip("pinocchio")
    path = tmp_path / "robot.xml"
    path.write_text(chain(11, n))
    robot, h = load_dynamics(path, engine), 1e-3
    q, v, a, _ = motion(11, n)
    terms, out = sample_terms(robot, "torque"), np.empty((5, 2, n))
    for k, at in enumerate((-2, -1, 0, 1, 2)):
        s = at * h
        moved = np.array([q + s * v + s * s / 2 * a, v + s * a, a, np.zeros(n)])
        terms(moved, out[k])
    rate = (8.0 * (out[3, 0] - out[1, 0]) - (out[4, 0] - out[0, 0])) / (12.0 * h)
    torque = robot.inverse(q, v, a)
    np.testing.assert_allclose(out[2, 0], robot.mass(q) @ v, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rate + out[2, 1], torque, atol=1e-8 * np.abs(torque).max())
    terms(np.array([q, 0.0 * v, a, a]), out[0])
    np.testing.assert_allclose(out[0, 1], robot.gravity(q), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("mode", ["torque", "rotatum"])
def test_an_estimator_that_was_saved_goes_on_to_the_last_bit(mode):
    one = recording("svsa", seconds=10.0)
    log = rounded(one.log, 2e-4)
    settings = EstimatorSettings(memory=30.0, width=WIDTH[mode])

    def fresh():
        return StiffnessEstimator(model(), [one.joint], DT, mode=mode, settings=settings)

    whole, first, second = fresh(), fresh(), fresh()
    half = 1501

    def step(estimator, k):
        return estimator.step(log.q[k], log.theta[k], t=float(log.time[k]))

    for k in range(half):
        step(whole, k), step(first, k)
    second.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
    for k in range(half, 2000):
        a, b = step(whole, k), step(second, k)
        np.testing.assert_array_equal(a.numbers, b.numbers)
        np.testing.assert_array_equal(a.parameters, b.parameters)
    assert np.isfinite(a.sigma).all()
    saved = whole.state_dict(), second.state_dict()
    assert saved[0].keys() == saved[1].keys()
    for name, value in saved[0].items():
        np.testing.assert_array_equal(value, saved[1][name], err_msg=name)
    learned = whole._state._asdict()
    for name in ("trial", "info", "memory", "table"):
        np.testing.assert_array_equal(learned[name], getattr(second._state, name), err_msg=name)


def test_a_saved_state_stays_frozen():
    one = recording("sea", seconds=8.0)
    first, second = (StiffnessEstimator(model(), [one.joint], DT) for _ in range(2))
    first.fit(one.log)
    first.freeze()
    second.load_state_dict(first.state_dict())
    assert second.step(one.log.q[-1], one.log.theta[-1]).status[0].name == "FROZEN"


def test_the_core_calls_only_functions_of_mathematics(monkeypatch):
    """So it allocates nothing."""
    programs = []
    monkeypatch.setattr(machine, "compiled", lambda program, name: programs.append(program))
    entries._compiled.__wrapped__()
    called = re.findall(r"^declare .*@(?:llvm\.)?(\w+)", llvm_text(programs[0]), re.MULTILINE)
    assert set(called) == {"sqrt", "fabs", "pow", "hypot", "tanh", "fptosi"}


def test_a_sample_leaves_nothing_behind():
    compiled = entries.Core(
        *new_buffers([Joint(kind="avsa")] * 3, "torque", DT, EstimatorSettings())
    )

    def samples(count):
        for _ in range(count):
            compiled.place()
            compiled.advance()

    def kept():
        tracemalloc.start()
        try:
            samples(10)
            before, _ = tracemalloc.get_traced_memory()
            samples(2000)
            return tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()

    samples(100)
    # Threads of tests before this one may allocate meanwhile: not three times.
    assert min(kept() for _ in range(3)) < 1000  # half a byte a sample
