"""Recordings that a model cannot follow are refused with what would fit."""

import dataclasses

import mujoco
import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import check_fits, doubtful_zeros

MODEL = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body>
<joint name="j" limited="true" range="-20 120"/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>""")
TRUE = np.linspace(-0.3, 2.0, 50)


def refusal(line: np.ndarray) -> str:
    nothing = np.full((len(line), 1), np.nan)
    time = np.arange(float(len(line)))
    log = RobotLog("a", ("j",), time, line[:, None], nothing, nothing, nothing > 0.0)
    with pytest.raises(PliantError) as caught:
        check_fits(MODEL, [log], ["j"])
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (np.degrees(TRUE), "degrees"),
        (-TRUE, "the other sign"),
        (TRUE - np.pi, "a zero that is +180 degrees off"),
    ],
)
def test_the_reading_that_fits_is_proposed(line: np.ndarray, said: str) -> None:
    assert f"they fit as {said}" in refusal(line)


def test_zeros_that_the_range_allows_are_told_where_no_quarter_turn_fits() -> None:
    """-20 to 120 degrees are -0.349 to 2.094 rad."""
    low, high = -0.349 - 0.5, 2.094 - 2.9
    said = f"a zero that is {low:+.2g} to {high:+.2g} rad off (the range determines no more)"
    assert f"they fit as {said}" in refusal(np.linspace(0.5, 2.9, 50))
    assert "zero" not in refusal(np.linspace(0.5, 3.1, 50))


@pytest.mark.parametrize(("shift", "said"), [(0.2, "add -0.2 "), (-0.2, "add +0.2 ")])
def test_a_zero_is_doubted_where_a_joint_goes_beyond_its_range(shift: float, said: str) -> None:
    """The range in degrees, swept from end to end."""
    line = np.radians(np.linspace(-20.0, 120.0, 50))
    nothing = np.full((50, 1), np.nan)
    log = RobotLog("a", ("j",), np.arange(50.0), line[:, None], nothing, nothing, nothing > 0.0)
    assert not [*doubtful_zeros(MODEL, [log], ["j"])]
    (doubt,) = doubtful_zeros(
        MODEL, [log, dataclasses.replace(log, position=log.position + shift)], ["j"]
    )
    assert said in str(doubt) and doubt.parameters == ("j",)


def test_percent_of_the_range_is_proposed_where_degrees_do_not_fit() -> None:
    assert "percent of the range" in refusal(np.linspace(-90.0, 100.0, 50))


def test_a_unit_must_fit_every_joint_and_both_are_named_where_both_do() -> None:
    """Some degrees of one joint would fit its range as they are; the other joint's do not."""
    two = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body>
    <joint name="j" limited="true" range="-20 120"/><geom type="sphere" size="0.1"/><body>
    <joint name="k" limited="true" range="-90 90"/><geom type="sphere" size="0.1"/></body></body>
    </worldbody></mujoco>""")
    nothing = np.full((50, 2), np.nan)

    def told(one: np.ndarray, other: np.ndarray) -> str:
        lines = np.column_stack([one, other])
        log = RobotLog("a", ("j", "k"), np.arange(50.0), lines, nothing, nothing, nothing > 0.0)
        with pytest.raises(PliantError) as caught:
            check_fits(two, [log], ["j", "k"])
        return str(caught.value)

    small = told(np.linspace(0.5, 1.5, 50), np.linspace(-4.0, 4.0, 50))
    assert "as degrees: --unit deg or as percent of the range: --unit percent" in small
    assert "position_k" in small
    large = told(np.linspace(0.5, 1.5, 50), np.linspace(-300.0, 80.0, 50))
    assert "--unit" not in large


def test_steps_of_an_encoder_tell_degrees_from_percent() -> None:
    quantum = 2.0 * np.pi / 4096
    motion = quantum * np.round(np.linspace(0.1, 0.6, 200) / quantum)
    low, high = np.radians([-20.0, 120.0])
    percent = -100.0 + 200.0 * (motion - low) / (high - low)
    assert "degrees: --unit deg" in refusal(np.degrees(motion))
    assert "percent" not in refusal(np.degrees(motion))
    assert "percent of the range: --unit percent" in refusal(percent)


@pytest.mark.parametrize("count", [2.0 * np.pi / 4096, None])
def test_one_joint_in_another_unit_is_told_as_that_joint_alone(count: float | None) -> None:
    """Where the others' steps are those of an encoder in rad, all in degrees is out of the question."""
    two = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body>
    <joint name="j" limited="true" range="-20 120"/><geom type="sphere" size="0.1"/><body>
    <joint name="k" limited="true" range="-90 90"/><geom type="sphere" size="0.1"/></body></body>
    </worldbody></mujoco>""")
    wave = np.linspace(0.1, 1.2, 3000)
    wave = wave if count is None else count * np.round(wave / count)
    nothing = np.full((3000, 2), np.nan)
    lines = np.column_stack([np.degrees(wave), wave])
    log = RobotLog("a", ("j", "k"), np.arange(3000.0), lines, nothing, nothing, nothing > 0.0)
    with pytest.raises(PliantError) as caught:
        check_fits(two, [log], ["j", "k"])
    assert "--unit j=deg" in str(caught.value)
    assert ("--unit deg" in str(caught.value)) == (count is None)


def test_what_fits_is_not_refused() -> None:
    nothing = np.full((50, 1), np.nan)
    log = RobotLog("a", ("j",), np.arange(50.0), TRUE[:, None], nothing, nothing, nothing > 0.0)
    check_fits(MODEL, [log], ["j"])


@pytest.mark.parametrize("slips", [False, True])
def test_a_fast_motion_in_degrees_is_no_jump_of_radians(slips: bool) -> None:
    time = 0.01 * np.arange(600.0)
    line = np.degrees(0.8 + 0.8 * np.sin(2.0 * time))[:, None]
    goal = line.copy()
    line[400:] += 20.0 if slips else 0.0
    nothing = np.full((600, 1), np.nan)
    jump = Finding("jump", "position_j", "jumps", "warning")
    log = RobotLog("a", ("j",), time, line, goal, nothing, nothing != 0.0, findings=(jump,))
    said = "its samples are not sound" if slips else "they fit as degrees: --unit deg"
    with pytest.raises(PliantError, match=said):
        check_fits(MODEL, [log], ["j"])
