"""The velocity channel against the derivative of position."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.io.log import check_log, example_logs, read_log, read_logs
from pliant.io.velocity import derivative, relation

Write = Callable[[dict[str, Any]], Path]
QUANTUM = 2.0 * np.pi / 4096


def swing(
    lag: float, scale: float = 1.0, dt: float = 0.005, hz: float = 2.0
) -> tuple[NDArray[np.float64], ...]:
    """Irregular times, a quantised swing, its exact rate, and what a late sensor says of it."""
    rng = np.random.default_rng(1)
    time = np.arange(0.0, 6.0, dt) + rng.uniform(-0.1, 0.1, int(np.ceil(6.0 / dt))) * dt
    w = 2 * np.pi * hz

    def rate(t: NDArray[np.float64]) -> NDArray[np.float64]:
        return w * np.cos(w * t) + 0.7 * w * np.cos(0.7 * w * t + 1.0)

    angle = np.sin(w * time) + np.sin(0.7 * w * time + 1.0)
    return time, np.round(angle / QUANTUM) * QUANTUM, rate(time), scale * rate(time - lag)


@pytest.mark.parametrize("lag", [-0.012, 0.0, 0.004, 0.018, 0.05])
@pytest.mark.parametrize("scale", [1.0, 57.29578, -9.549297])
@pytest.mark.parametrize("dt", [0.002, 0.007])
def test_scale_and_lag_are_measured(lag: float, scale: float, dt: float) -> None:
    time, position, _, told = swing(lag, scale, dt)
    found = relation(time, position, told)
    assert found is not None
    assert found.lag == pytest.approx(lag, abs=3e-4)
    assert found.scale == pytest.approx(scale, rel=0.01)


def test_the_derivative_of_a_quantised_position_is_its_rate() -> None:
    time, position, rate, _ = swing(0.0)
    error = derivative(time, position) - rate
    assert np.sqrt(np.mean(error**2)) < 0.02 * np.sqrt(np.mean(rate**2))


def test_every_shipped_recording_lags_by_18_to_22_ms() -> None:
    for log in read_logs(example_logs()):
        assert log.velocity is not None
        found = relation(log.time, log.position, log.velocity)
        assert found is not None
        assert 0.018 < found.lag < 0.022
        assert 0.95 < found.scale < 1.06
        message = next(f.message for f in log.findings if f.kind == "velocity-lag")
        assert message == f"lags the derivative of position by {1e3 * found.lag:.1f} ms"


def test_a_velocity_without_lag_has_no_finding(run: dict[str, Any], write: Write) -> None:
    path = write(run)
    log = read_log(path, repair=["velocity-lag"])
    assert log.velocity is not None
    for entry, velocity in zip(run["entries"], log.velocity, strict=True):
        entry["speed"] = float(velocity)
    assert [f.kind for f in check_log(write(run))] == ["missing"]


def test_the_lag_repair_restores_the_rate(run: dict[str, Any], write: Write) -> None:
    time, position, rate, told = swing(0.02)
    run["entries"] = [
        {"timestamp": t, "position": q, "speed": v, "goal_position": 0.0, "torque_enable": True}
        for t, q, v in zip(time.tolist(), position.tolist(), told.tolist(), strict=True)
    ]
    path = write(run)
    unasked, asked = read_log(path), read_log(path, repair=["velocity-lag"])
    assert unasked.velocity is not None and asked.velocity is not None
    np.testing.assert_array_equal(unasked.velocity, told)
    size = np.sqrt(np.mean(rate**2))
    assert np.sqrt(np.mean((unasked.velocity - rate) ** 2)) > 0.15 * size
    assert np.sqrt(np.mean((asked.velocity - rate) ** 2)) < 0.02 * size
    assert [str(f) for f in asked.findings if f.field == "speed"] == [
        (
            "warning: speed: lags the derivative of position by 20.0 ms (repaired: the channel is "
            "replaced by the derivative of position, smoothed over 10 ms)"
        )
    ]


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (180.0 / np.pi, "in deg/s"),
        (30.0 / np.pi, "in rpm"),
        (4096 / (2 * np.pi), "in 4096 counts/s"),
        (-1.0, "in rad/s, with the sign turned"),
        (-180.0 / np.pi, "in deg/s, with the sign turned"),
    ],
)
def test_a_velocity_in_another_unit_is_named_and_rescaled(
    run: dict[str, Any], write: Write, factor: float, words: str
) -> None:
    before = [entry["speed"] for entry in run["entries"]]
    for entry in run["entries"]:
        entry["speed"] *= factor
    path = write(run)
    with pytest.raises(PliantError) as caught:
        read_log(path)
    assert str(caught.value) == (
        f"{path}: speed: is {caught.value.problem.split()[1]} times the derivative of position: "
        f"{words}; accepted: repair 'velocity-unit': the channel is rescaled to rad/s, or derived "
        "from position if no unit fits"
    )
    assert float(caught.value.problem.split()[1]) == pytest.approx(factor, rel=0.02)
    log = read_log(path, repair=["velocity-unit"])
    assert log.velocity is not None
    np.testing.assert_allclose(log.velocity, np.array(before), rtol=1e-12)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (3.0, "it may be a motor's speed, before a gear of 2.98"),
        (1 / 6, "it may be a speed behind a further gear of 6.041; turns/s is the nearest"),
        (10.0, "it may be a motor's speed, before a gear of 9.932; rpm is the nearest"),
    ],
)
def test_a_scale_of_no_unit_is_derived_from_position(
    run: dict[str, Any], write: Write, factor: float, words: str
) -> None:
    for entry in run["entries"]:
        entry["speed"] *= factor
    log = read_log(write(run), repair=["velocity-unit"])
    finding = next(f for f in log.findings if f.field == "speed")
    assert finding.message.endswith(f"times the derivative of position: in no known unit; {words}")
    np.testing.assert_array_equal(log.velocity, derivative(log.time, log.position))


@pytest.mark.parametrize(
    ("per_rad", "unit"), [(57.29578, "degrees"), (4096 / 6.283185, "counts of a 12-bit encoder")]
)
def test_a_position_in_another_unit_is_not_blamed_on_the_velocity(
    run: dict[str, Any], write: Write, per_rad: float, unit: str
) -> None:
    for entry in run["entries"]:
        entry["position"] *= per_rad
    errors = [f for f in check_log(write(run)) if f.blocks]
    assert [(f.kind, f.field, f.repair) for f in errors] == [("position-unit", "position", None)]
    assert errors[0].message.startswith(f"looks like {unit}, not rad: speed is 0.0")


@pytest.mark.parametrize("what", ["zeros", "noise"])
def test_an_unrelated_velocity_is_found(run: dict[str, Any], write: Write, what: str) -> None:
    noise = np.random.default_rng(0).normal(size=len(run["entries"]))
    for entry, value in zip(run["entries"], noise.tolist(), strict=True):
        entry["speed"] = 0.0 if what == "zeros" else value
    finding = next(f for f in check_log(write(run)) if f.field == "speed")
    assert finding.kind == "velocity-unit"
    assert finding.message == (
        "is not the derivative of position with any scale or lag (100 % unexplained)"
    )


def test_a_joint_that_hardly_moves_has_no_finding(run: dict[str, Any], write: Write) -> None:
    for row, entry in enumerate(run["entries"]):
        entry["position"], entry["speed"] = QUANTUM * (row % 2), 0.0
    assert [f.kind for f in check_log(write(run))] == ["missing"]
