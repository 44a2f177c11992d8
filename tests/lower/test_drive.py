"""The actuator's own sub-steps, on a spring whose other end moves steadily, in closed form."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pliant.lower import drive

H, V, END = 0.01, 2.0, 0.3
"""Step [s], speed of the joint and of the spring's other end [rad/s]."""


@pytest.fixture
def spring(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A topology; its state is where the spring's other end is. `steps` is what it was asked to do."""
    own = SimpleNamespace(k=50.0, d=0.1, rate=0.0, limit=1e9, slip=0.0, IS_ELASTIC=True, steps=[])

    def step(s: Any, goal: Any, preset: Any, x: Any, v: Any, supply: Any, on: Any, p: Any, dt: Any):
        own.steps.append((x, v, dt, goal, preset, supply, on, p))
        return s + END * dt

    own.step = step
    own.torque = lambda s, goal, preset, x, v, supply, on, p: -own.k * (x - s) - own.d * (v - END)
    own.reached = lambda s, q, p: -own.k * (1.0 + q - s)
    own.damping = lambda p: own.d
    own.fastest = lambda p: own.rate
    own.most = lambda s, v, p: own.limit
    own.slips = lambda s: own.slip
    own.carried = lambda s: END
    monkeypatch.setattr(drive, "topology", own, raising=False)
    return own


def moved(own: SimpleNamespace, count: int, others: float, m: float, decay: float) -> np.ndarray:
    """x, speed and the spring's other end after `count` sub-steps from x = 0.1: a linear map."""
    dt = H / count
    # end, then speed, then position: each with those before it already new
    end = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, END * dt], [0, 0, 0, 1]])
    by = m * np.array([-own.k, -own.d, own.k, own.d * END + others])
    by = by + decay * np.array([0.0, -1.0, 0.0, END])
    speed = np.eye(4) + dt * np.outer([0, 1, 0, 0], by)
    place = np.eye(4) + dt * np.outer([1, 0, 0, 0], [0, 1, 0, 0])
    return np.linalg.matrix_power(place @ speed @ end, count) @ [0.1, V, 0.0, 1.0]


@pytest.mark.parametrize("command", [1e10, -1e10, 0.0])
def test_a_command_up_to_mujocos_largest_number_is_one(command: float) -> None:
    assert drive.acting(command, 3.0) == command


@pytest.mark.parametrize("command", [1.01e10, -1.01e10, np.nan, np.inf, -np.inf])
def test_beyond_there_is_no_command(command: float) -> None:
    assert drive.acting(command, 3.0) == 3.0


@pytest.mark.parametrize(("turned", "count"), [(0.0, 1), (0.4, 1), (0.41, 2), (8.1, 21)])
def test_a_sub_step_turns_by_a_fifth_of_the_stability_limit_at_most(
    turned: float, count: int
) -> None:
    assert drive.substeps_for(H, turned / H) == count


def test_without_a_stiff_spring_the_joint_moves_on_and_the_torque_is_the_mean(
    spring: SimpleNamespace,
) -> None:
    s, tau = drive.drive(0.0, 1.0, 2.0, 0.1, V, 3.0, 4.0, "p", H, 4)
    dt, k = H / 4, np.arange(4)
    x, end = 0.1 + k * dt * V, END * dt * (k + 1)
    assert s == pytest.approx(END * H)
    assert tau == pytest.approx(np.mean(-50.0 * (x - end) - 0.1 * (V - END)))
    np.testing.assert_allclose([one[:3] for one in spring.steps], [(at, V, dt) for at in x])
    assert {one[3:] for one in spring.steps} == {(1.0, 2.0, 3.0, 4.0, "p")}


def test_the_pace_is_that_of_the_stiffest_place_or_of_the_damping(spring: SimpleNamespace) -> None:
    assert drive.pace_along(0.0, 0.1, V, 3.0, None, H) == pytest.approx(H**2 * 3.0 * 50.0 * 1.12)
    assert drive.pace_along(0.0, 0.1, -V, 3.0, None, H) == pytest.approx(H**2 * 3.0 * 50.0 * 1.1)
    spring.d = 7.0
    assert drive.pace_along(0.0, 0.1, V, 3.0, None, H) == pytest.approx(H * 3.0 * 7.0)


@pytest.mark.parametrize(
    ("rate", "pace", "d", "count"),
    [(300.0, 16.0, 0.1, 13), (300.0, 16.0, 4.0, 31), (0.0, 2.0, 0.1, 4), (9e3, 2.0, 0.1, 100)],
)
@pytest.mark.parametrize("slip", [0.0, 1.0])
def test_a_stiff_spring_moves_the_joint_in_the_sub_steps(
    spring: SimpleNamespace, rate: float, pace: float, d: float, count: int, slip: float
) -> None:
    spring.rate, spring.d, spring.slip, m, others = rate, d, slip, 300.0, 1.5
    s, tau = drive.drive_along(0.0, 1.0, 2.0, 0.1, V, others, m, pace, 3.0, 4.0, "p", H)
    assert len(spring.steps) == count
    assert all(one[3:] == (1.0, 2.0, 3.0, 4.0, "p") for one in spring.steps)
    resolved = 1.0 / (1.0 + (pace / 2.0) ** 2)
    decay = 0.0 if slip else 2.0 * np.sqrt(pace) / H * (1.0 - resolved)
    x, w, end, _ = moved(spring, count, others, m, decay)
    speed = w if slip else resolved * w + (1.0 - resolved) * (x - 0.1) / H
    assert s == pytest.approx(end)
    assert tau == pytest.approx((speed - V) / (H * m) - others, rel=1e-9)


@pytest.mark.parametrize("speed", [V, -V])
def test_the_spring_brakes_no_more_than_it_can_pull(spring: SimpleNamespace, speed: float) -> None:
    spring.limit, m, others = 1e-3, 300.0, 1.5
    _, tau = drive.drive_along(0.0, 0.0, 0.0, 0.1, speed, others, m, 1e4, 0.0, 1.0, None, H)
    count, dt = len(spring.steps), H / 100
    held = np.array([one[1] for one in spring.steps])
    assert count == 100
    side = -1.0 if speed > END else 1.0
    fast = np.abs(held - END) > 1.0
    begins = speed + dt * m * (others + side * 1e-3) * np.arange(count)
    np.testing.assert_allclose(held[: fast.argmin() or count], begins[: fast.argmin() or count])
    assert abs(tau) == pytest.approx(1e-3)


def test_the_joint_is_moved_where_its_spring_is_too_stiff_for_the_engine(
    spring: SimpleNamespace,
) -> None:
    h, mobility = 2.0**-7, 256.0
    spring.k, spring.d = 64.0, 0.0  # a pace of exactly 1

    def steps(mobility: float) -> int:
        spring.steps.clear()
        drive.drive_either(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, mobility, 0.0, 1.0, None, h, 2)
        return len(spring.steps)

    assert steps(0.0) == steps(mobility) == 2
    drive.drive_along(0.0, 0.0, 0.0, 0.1, V, 0.0, mobility, 1.0, 0.0, 1.0, None, h)
    assert len(spring.steps) == 2  # none more
    assert steps(mobility * 1.01) > 2
    spring.IS_ELASTIC = False
    assert steps(mobility * 1.01) == 2
