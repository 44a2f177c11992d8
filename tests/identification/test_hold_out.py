"""Logs to fit and logs to judge by."""

from dataclasses import replace

import pytest

from pliant.errors import PliantError
from pliant.identification.fit import hold_out
from pliant.io.log import Log, example_logs, read_logs


@pytest.fixture(scope="module")
def recordings() -> list[Log]:
    """Gains 100, 200 and 800, four trajectories each, one load."""
    return read_logs(example_logs())


@pytest.mark.parametrize(
    ("choice", "count"),
    [("gain=800", 4), ("trajectory=sin_sin", 3), ("log=2026-01-15_10h28m42", 1)],
)
def test_logs_are_divided_and_keep_their_order(
    recordings: list[Log], choice: str, count: int
) -> None:
    kept, out = hold_out(recordings, choice)
    kind, _, value = choice.partition("=")
    key = {
        "gain": lambda x: f"{x.gain:g}",
        "log": lambda x: x.name,
        "trajectory": lambda x: x.trajectory,
    }[kind]
    assert out == [log for log in recordings if key(log) == value]
    assert kept == [log for log in recordings if key(log) != value]
    assert len(out) == count


def test_a_load_is_a_mass_at_a_length(logs: list[Log]) -> None:
    kept, out = hold_out(logs, "load=0.5kg@0.15m")
    assert {(log.mass, log.length) for log in out} == {(0.5, 0.15)}
    assert {(log.mass, log.length) for log in kept} == {(0.3, 0.1)}


def test_a_length_holds_out_all_its_loads(logs: list[Log]) -> None:
    kept, out = hold_out([replace(log, mass=0.1 * k) for k, log in enumerate(logs)], "length=0.15m")
    assert {log.length for log in out} == {0.15}
    assert {log.length for log in kept} == {0.1}
    assert len({log.mass for log in out}) == 2


def refusal(logs: list[Log], choice: str) -> str:
    with pytest.raises(PliantError) as caught:
        hold_out(logs, choice)
    return str(caught.value)


@pytest.mark.parametrize("choice", ["gains=800", "gain=", "gain", "=800", ""])
def test_a_choice_that_cannot_be_read(recordings: list[Log], choice: str) -> None:
    assert refusal(recordings, choice) == (
        f"hold-out: cannot be read; found {choice!r}; "
        "accepted: gain=, load=, length=, trajectory= or log= and a value"
    )


def test_a_value_that_no_log_has(recordings: list[Log]) -> None:
    assert refusal(recordings, "trajectory=sin_sim") == (
        "hold-out: holds out no log; found 'sin_sim'; did you mean 'sin_sin'?; "
        "accepted: lift_and_drop, sin_sin, sin_time_square, up_and_down"
    )


def test_a_value_that_all_logs_have(recordings: list[Log]) -> None:
    assert refusal(recordings, "load=0.49kg@0.1m") == (
        "hold-out: holds out every log; found '0.49kg@0.1m'; did you mean '0.49kg@0.1m'?; "
        "accepted: 0.49kg@0.1m"
    )
