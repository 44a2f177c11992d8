"""When commands act and positions are true: conventions of a recording, against shifted motion."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator, with_law
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.errors import PliantError
from pliant.identification.fit import identify
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.sampling import as_recorded
from pliant.identification.search.search import SearchSettings
from pliant.identification.uncertainty.draws import UncertaintySettings
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.log import Log

TINY = SearchSettings(starts=1, jacobians=2)


def test_commands_of_the_next_sample_or_the_one_before(servo: Actuator, logs: list[Log]) -> None:
    log = replace(logs[0], goal=np.arange(len(logs[0].time), dtype=float))
    for sampling, goals in (("next", [0, 0, 1, 2]), ("before", [1, 2, 3, 4]), ("hold", range(4))):
        (shifted,), rig = JointRig(servo).as_recorded([log], sampling, 0.0)
        assert list(shifted.goal[:4]) == list(goals)
        assert rig.settings.hold
    (same,), rig = JointRig(servo).as_recorded([log], "linear", 0.0)
    assert same is log
    assert not rig.settings.hold


def test_a_position_that_is_older_is_put_at_its_own_time(logs: list[Log]) -> None:
    """A line stays a line, `age` further on."""
    line = replace(logs[0], position=3.0 * logs[0].time)
    (younger,) = as_recorded([line], "hold", 0.002)
    np.testing.assert_allclose(younger.position, 3.0 * (younger.time + 0.002), rtol=1e-12)
    assert len(younger.goal) == len(younger.time) == len(younger.enabled) == len(line.time) - 1


def test_no_fit_tells_an_age_from_a_command_delay(servo: Actuator, logs: list[Log]) -> None:
    """Why it is given: a delay of 4 ms seen at once, and none seen 4 ms too late, are the same."""
    fine = np.linspace(0.0, 3.0, 1501)
    log = replace(
        logs[0],
        time=fine,
        goal=np.sign(np.sin(3.0 * fine)),
        position=np.zeros(1501),
        enabled=np.ones(1501, bool),
        voltage=None,
        velocity=None,
    )
    delayed = with_law(servo, "timing", "command_delay").with_values(
        {"timing.delay": 0.004}, "test", "assumed"
    )
    prompt = JointEngine(servo).rollout(log).position
    late = JointEngine(delayed).rollout(log).position
    np.testing.assert_allclose(late, np.interp(fine - 0.004, fine, prompt), atol=1e-9)
    (mended,) = as_recorded([replace(log, position=late)], "hold", 0.004)
    np.testing.assert_allclose(mended.position, prompt[: len(mended.time)], atol=1e-9)


def test_the_record_says_the_convention(servo: Actuator, logs: list[Log]) -> None:
    found = identify(servo, logs[:1], search_settings=TINY, sampling="next", sample_age=0.0015)
    record = found.actuator.identification
    assert (record["sampling"], record["sample_age"]) == ("next", 0.0015)
    plain = identify(servo, logs[:1], search_settings=TINY, settings=JointSettings(hold=False))
    assert plain.actuator.identification["sampling"] == "linear"


@pytest.mark.parametrize(("sampling", "hold"), [("linear", False), ("next", True)])
def test_intervals_take_commands_as_the_fit_did(
    servo: Actuator, logs: list[Log], monkeypatch: pytest.MonkeyPatch, sampling: str, hold: bool
) -> None:
    found = identify(servo, logs[:1], search_settings=TINY, sampling=sampling)
    asked: list[bool] = []

    def engine(actuator: Actuator, *, settings: JointSettings) -> JointEngine:
        asked.append(settings.hold)
        return JointEngine(actuator, settings=settings)

    monkeypatch.setattr("pliant.identification.problem.joint_rig.JointEngine", engine)
    few = UncertaintySettings(draws=4)
    intervals(found, uncertainty_settings=few)
    assert set(asked) == {hold}


@pytest.mark.parametrize(
    ("sampling", "age", "said"),
    [
        (
            "later",
            0.0,
            "sampling: no such convention; found 'later'; accepted: before, hold, linear, next",
        ),
        ("hold", -0.001, "sample age: out of range; found -0.001; accepted: 0 to 0.1 s"),
        ("hold", 0.5, "sample age: out of range; found 0.5; accepted: 0 to 0.1 s"),
    ],
)
def test_what_cannot_be_is_refused(logs: list[Log], sampling: str, age: float, said: str) -> None:
    with pytest.raises(PliantError) as caught:
        as_recorded(logs, sampling, age)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == said
