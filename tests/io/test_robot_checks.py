"""Faults put into one joint of a robot's recording: found, said, and mended as in a log of one joint."""

import re
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.commands_told import LONG, evenly
from pliant.io.findings import Finding
from pliant.io.formats.reading import Reading
from pliant.io.robot_findings import robot_findings
from pliant.io.robot_logs import examined_recording, read_robot_log

RNG = np.random.default_rng(5)
TIME = np.arange(0.0, 12.0, 0.01)
COUNT = 2 * np.pi / 4096


def position(rate: float) -> np.ndarray:
    wave = 0.6 * np.sin(rate * TIME) + 0.3 * np.sin(2.7 * rate * TIME)
    return np.round(wave / COUNT) * COUNT


def written(folder: Path, elbow: np.ndarray, time: np.ndarray = TIME, **more: np.ndarray) -> Path:
    columns = {"time": time, "position_shoulder": position(1.1), "position_elbow": elbow}
    columns |= {f"goal_{name}": 1.05 * position(rate) for name, rate in RATES.items()}
    columns |= more
    rows = np.column_stack(list(columns.values()))
    text = "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows.tolist())])
    (folder / "run.csv").write_text(text)
    return folder / "run.csv"


def found(path: Path) -> list[Finding]:
    return [one for one in read_robot_log(path).findings if one.severity != "note"]


def smoothed(line: np.ndarray, kept: float) -> np.ndarray:
    """As a driver smooths its readings one by one."""
    smooth = line.copy()
    for n in range(1, len(line)):
        smooth[n] = kept * smooth[n - 1] + (1.0 - kept) * line[n]
    return smooth


RATES = {"shoulder": 1.1, "elbow": 1.7}
GOOD = position(1.7)
NOISY: np.ndarray = np.r_[GOOD[1:], GOOD[-1]] + np.random.default_rng(6).normal(
    0.0, 1e-3, len(GOOD)
)
LOST = np.isin(np.arange(len(TIME)), RNG.choice(len(TIME), len(TIME) // 6, replace=False))


@pytest.mark.parametrize(
    ("elbow", "kind", "repair"),
    [
        (np.where(np.arange(len(TIME)) % 100 == 50, 0.0, GOOD), "dropout", "dropout"),
        (np.where(LOST, 0.0, GOOD), "dropout", "dropout"),
        (np.where((TIME > 4.0) & (TIME < 4.1), 3.0, GOOD), "dropout", "dropout"),
        (np.mod(GOOD, 2 * np.pi), "wrap", "wrap"),
        (np.where(GOOD < 0, 16 * np.pi - GOOD, GOOD), "wrap", "wrap"),
        (GOOD - 2 * np.pi, "wrap", "wrap"),
        (GOOD + 2 * np.pi * (TIME > 7.105), "wrap", "wrap"),  # as it rises through 0
        (np.where(GOOD < 0, 16 * np.pi - GOOD, GOOD) - 4 * np.pi, "wrap", "wrap"),
        (GOOD + 0.3 * (TIME > 6.0), "jump", None),
        (GOOD - 0.4 * TIME / TIME[-1], "zero", None),
        (np.where(TIME > 8.0, GOOD[800], GOOD), "held", None),
        (np.where((TIME > 5.75) & (TIME < 7.105), GOOD[575], GOOD), "held", None),
        (np.where((TIME > 2.975) & (TIME < 3.325), GOOD[298], GOOD), "held", None),
        (np.repeat(GOOD[::2], 2), "held", None),
        (np.repeat(GOOD[::4], 4), "held", None),
        (np.where(np.arange(len(TIME)) % 10 == 1, np.roll(GOOD, 1), GOOD), "held", None),
        (smoothed(GOOD, 0.5), "lag", None),
        (smoothed(GOOD, 0.9).astype(np.float32).astype(float), "lag", None),
    ],
)
def test_a_fault_of_one_joint_is_told_and_mended(
    tmp_path: Path, elbow: np.ndarray, kind: str, repair: str | None
) -> None:
    path = written(tmp_path, elbow)
    assert [(one.kind, one.field, one.repair) for one in found(path)] == [
        (kind, "position_elbow", repair)
    ]
    np.testing.assert_array_equal(read_robot_log(path).position[:, 1], elbow)
    if repair:
        mended = read_robot_log(path, Reading(repair=[repair])).position[:, 1]
        off = np.abs(mended - GOOD)
        assert np.quantile(off, 0.99) < 0.01 and off.max() < 0.15


@pytest.mark.parametrize(
    ("elbow", "kind"),
    [
        (np.where(TIME > 11.98, 0.0, GOOD), "dropout"),
        (GOOD + 0.8, "zero"),
        (np.abs(GOOD), "order"),  # a sign bit that was then taken for a turn
        # It slipped while readings were lost.
        (np.where(TIME > 5.5, GOOD - 0.9, np.where(TIME > 5.0, np.nan, GOOD)), "zero"),
    ],
)
def test_what_only_its_end_or_its_commands_show_is_told(
    tmp_path: Path, elbow: np.ndarray, kind: str
) -> None:
    elbow = np.where(np.isin(np.arange(len(TIME)), [200, 700]), 0.0, elbow)  # reads that failed
    log = read_robot_log(written(tmp_path, elbow), Reading(repair=("all", "stretch")))
    told = [one for one in log.findings if one.severity == "warning" and one.kind == kind]
    assert [one.field for one in told] == [f"{'goal' if kind == 'order' else 'position'}_elbow"]
    assert told[0].repaired == (kind == "dropout")
    if kind == "dropout":
        assert np.abs(log.position[-4:, 1] - position(1.7)[-4:]).max() < 0.1


def test_a_good_recording_is_not_spoken_of(tmp_path: Path) -> None:
    assert found(written(tmp_path, GOOD)) == []


def test_how_often_a_position_was_read_and_how_it_was_filtered_are_told(tmp_path: Path) -> None:
    for elbow, said in (
        (np.repeat(GOOD[::3], 3), "each reading appears 3 times: it was read every 30 ms"),
        (
            smoothed(GOOD, 0.8),
            "each value is 0.8 times the previous one plus 0.2 times a reading in steps of 1.53 mrad; the filter's lag of 40 ms",
        ),
    ):
        assert said in found(written(tmp_path, elbow))[0].message


def test_readings_that_repeat_now_and_then_are_told_and_a_single_one_is_chance(
    tmp_path: Path,
) -> None:
    often = GOOD.copy()
    moment = np.round((np.clip(TIME - 5.0, 0.0, 0.3) + 0.01 * TIME) / COUNT) * COUNT
    often[50:-50:10] = often[49:-51:10]
    moment[515] = moment[514]
    for elbow, is_told in ((often, True), (moment, False)):
        texts = [one.message for one in found(written(tmp_path, elbow, goal_elbow=1.1 * elbow))]
        assert any("repeat the previous one" in text for text in texts) == is_told, texts


def test_a_joint_that_moves_for_a_moment_is_told_and_one_that_moves_slowly_is_not(
    tmp_path: Path,
) -> None:
    moment = np.clip(TIME - 5.0, 0.0, 0.3)
    said = "moves for 0.31 s in all, less than the 0.5 s that a servo may lag"
    assert said in found(written(tmp_path, moment, goal_elbow=1.1 * moment))[0].message
    slow = np.round(0.011 * TIME / COUNT) * COUNT
    assert found(written(tmp_path, slow, goal_elbow=0.0115 * TIME)) == []


def test_a_slow_motion_and_a_servo_that_follows_steps_like_a_filter_are_neither(
    tmp_path: Path,
) -> None:
    """Its steps shrink as those of a filter do, and what it follows is no encoder."""
    slow = position(0.1)
    assert found(written(tmp_path, slow, goal_elbow=1.05 * slow)) == []
    goal = 0.8 * np.sin(7.0 * np.floor(TIME / 1.5))
    elbow = np.r_[0.0, smoothed(np.r_[0.0, goal[:-1]], 0.8)[1:]]
    assert found(written(tmp_path, elbow, goal_elbow=goal)) == []


def test_steps_of_a_coarse_encoder_are_no_jumps(tmp_path: Path) -> None:
    """Hall sensors of 42 steps in a turn, and degrees of 12 bits taken for rad."""
    for size, step in ((1.0, 2 * np.pi / 42), (57.3, 0.0879)):
        coarse = np.round(size * GOOD / step) * step
        kinds = {one.kind for one in found(written(tmp_path, coarse))}
        assert not kinds & {"jump", "held"}, kinds
        kinds = {one.kind for one in found(written(tmp_path, coarse + 1.2 * size * (TIME > 6.0)))}
        assert "jump" in kinds


def test_a_slip_inside_a_step_is_told(tmp_path: Path) -> None:
    goal = 0.8 * np.sin(7.0 * np.floor(TIME / 1.5))
    elbow = np.zeros(len(TIME))
    for n in range(1, len(TIME)):  # within 50 ms
        elbow[n] = elbow[n - 1] + (1.0 - np.exp(-0.2)) * (goal[n - 1] - elbow[n - 1])
    goal[-1] += 0.9  # nothing can have followed this one
    assert found(written(tmp_path, elbow, goal_elbow=goal)) == []
    slipped = elbow - 0.35 * (TIME > 6.015)
    (one,) = found(written(tmp_path, slipped, goal_elbow=goal))
    assert (one.kind, one.field) == ("jump", "position_elbow")
    assert "stands -0.34" in one.message and "t = 6.020 s" in one.message


def test_a_gap_as_long_as_millions_of_samples_costs_no_more(tmp_path: Path) -> None:
    time = np.where(TIME < 6.0, 1e-3 * TIME, 1e-3 * TIME + 590.0)  # 10 us apart
    log = read_robot_log(written(tmp_path, GOOD, time))
    assert len(evenly(log.time)) <= LONG
    assert any(one.kind == "gap" for one in robot_findings(log))


def test_an_unusable_beginning_is_cut_by_time_or_to_the_longest_stretch(tmp_path: Path) -> None:
    path = written(tmp_path, np.where(TIME < 0.195, np.nan, GOOD))
    with pytest.raises(PliantError, match=r"20 values are not finite .*repair 'stretch'"):
        read_robot_log(path)
    for reading in (Reading(repair=["stretch"]), Reading(cut=(0.195, None))):
        log = read_robot_log(path, reading)
        np.testing.assert_array_equal(log.position[:, 1], GOOD[20:])
        assert log.time[0] == 0.0
        assert any(one.kind == "cut" and "1180" in one.message for one in log.findings)


@pytest.mark.parametrize("left", [0, 1, 2, 4])
@pytest.mark.parametrize("repair", [(), ("stretch",), ("all", "stretch")])
def test_a_recording_of_which_almost_nothing_is_left_is_refused(
    tmp_path: Path, left: int, repair: tuple[str, ...]
) -> None:
    lost = (np.arange(len(TIME)) < 50) | (np.arange(len(TIME)) >= 50 + left)
    path = written(tmp_path, np.where(lost, np.nan, GOOD))
    with pytest.raises(PliantError, match=r"not finite|only . without lost values"):
        read_robot_log(path, Reading(repair=repair))
    short = Reading(repair=repair, cut=(1.0, 1.0 + 0.01 * max(left, 1) - 0.001))
    with pytest.raises(PliantError, match=f"only {max(left, 1)} complete, at least 8 are needed"):
        read_robot_log(written(tmp_path, GOOD), short)
    assert [one.kind for one in robot_findings(examined_recording(path, short)[0])]


def test_a_gap_is_cut_at_on_request(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, TIME + 3.0 * (TIME > 3.0))
    assert [one.kind for one in found(path)] == ["gap"]
    assert len(read_robot_log(path, Reading(repair=["stretch"])).time) == np.sum(TIME > 3.0)


def test_a_value_lost_where_the_longest_stretch_begins_goes_with_what_is_before_it(
    tmp_path: Path,
) -> None:
    """Of the elbow alone it is a single one; the shoulder's lost rows end just before it."""
    elbow, shoulder = np.where(np.arange(len(TIME)) == 20, np.nan, GOOD), position(1.1)
    shoulder = np.where(np.arange(len(TIME)) < 20, np.nan, shoulder)
    path = written(tmp_path, elbow, position_shoulder=shoulder)
    log = read_robot_log(path, Reading(repair=("all", "stretch")))
    np.testing.assert_array_equal(log.position[:, 1], GOOD[21:])


def test_two_steps_of_time_that_were_exchanged_are_sorted_on_request(tmp_path: Path) -> None:
    time = TIME.copy()
    time[[300, 301]] = time[[301, 300]]
    path = written(tmp_path, GOOD, time)
    with pytest.raises(PliantError, match=r"time: 1 step backward \(first at line 303\)"):
        read_robot_log(path)
    log = read_robot_log(path, Reading(repair=["time"]))
    np.testing.assert_array_equal(log.time, TIME)


ROWS = np.arange(len(TIME))


@pytest.mark.parametrize(
    "time",
    [
        *(TIME - (0.01 + back) * (ROWS > 600) for back in (0.005, 0.015, 0.02, 0.025)),
        TIME - 0.009 * (ROWS % 10 == 0) - 0.055 * (ROWS > 600),  # of messages in bursts
    ],
)
def test_a_clock_that_was_set_back_is_not_sorted(tmp_path: Path, time: np.ndarray) -> None:
    path = written(tmp_path, GOOD, time)
    with pytest.raises(PliantError, match=r"the clock goes back by .*: cut the file"):
        read_robot_log(path, Reading(repair=["all"]))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (np.r_[GOOD[1:], GOOD[-1]], "is the position one sample later"),
        (np.r_[GOOD[3:], GOOD[-3:]], "is the position 3 samples later"),
        (np.r_[GOOD[:1], GOOD[:-1]], "is the position one sample before"),
        (np.round(np.r_[GOOD[1:], GOOD[-1]], 5), "is the position one sample later"),
        (GOOD, "is the position of the same sample"),
        (NOISY, "with noise of 0."),
        (0.5 * (GOOD + np.r_[GOOD[1:], GOOD[-1]]), "is a mean of neighbouring positions"),
        (np.convolve(np.pad(GOOD, 3, "edge"), np.full(7, 1 / 7), "valid"), "is a mean of neighb"),
        (np.gradient(position(1.7), 0.01), "a speed was commanded"),
        (np.r_[np.diff(GOOD), 0.0], "steps to be added to the position"),
    ],
)
def test_what_is_no_command_is_told(tmp_path: Path, told: np.ndarray, said: str) -> None:
    log = read_robot_log(written(tmp_path, GOOD, goal_elbow=told))
    assert not log.commanded("elbow") and log.commanded("shoulder")
    assert said in log.why_no_command("elbow")


def test_a_speed_is_told_of_a_short_motion_too(tmp_path: Path) -> None:
    speed = np.gradient(position(1.1), 0.01)
    elbow = np.where(TIME > 4.0, np.nan, position(1.1))
    path = written(tmp_path, elbow, goal_elbow=speed)
    log = read_robot_log(path, Reading(repair=["stretch"]))
    assert "a speed was commanded" in log.why_no_command("elbow")


def test_steps_are_added_to_the_position_where_they_are_said_to_be_steps(tmp_path: Path) -> None:
    goals = {f"goal_{n}": np.interp(TIME + 0.15, TIME, position(r)) for n, r in RATES.items()}
    steps = {f"goal_{n}": goals[f"goal_{n}"] - position(r) for n, r in RATES.items()}
    log = read_robot_log(written(tmp_path, GOOD, **steps), Reading(steps=True))
    np.testing.assert_allclose(log.goal, np.column_stack([*goals.values()]), atol=1e-12)
    assert log.commanded("shoulder") and log.commanded("elbow")
    with pytest.raises(PliantError, match="goal_shoulder: follows its commands as they are"):
        read_robot_log(written(tmp_path, GOOD, **goals), Reading(steps=True))


def test_joints_that_follow_each_others_commands_are_told(tmp_path: Path) -> None:
    turned = {"goal_elbow": 1.05 * position(1.1), "goal_shoulder": 1.05 * GOOD}
    told = found(written(tmp_path, GOOD, **turned))
    assert [(one.kind, one.field) for one in told] == [
        ("order", "goal_shoulder"),
        ("order", "goal_elbow"),
    ]
    assert "follows the commands of elbow" in told[0].message and "of shoulder" in told[1].message


def test_a_servo_whose_commands_its_motion_gives_exactly_is_not_taken_for_a_mean(
    tmp_path: Path,
) -> None:
    """Without an encoder's steps, a linear servo's command is a weighted sum of its own positions."""
    elbow = np.sin(1.7 * TIME) + 0.4 * np.sin(4.1 * TIME)
    speed = 1.7 * np.cos(1.7 * TIME) + 1.64 * np.cos(4.1 * TIME)
    told = read_robot_log(written(tmp_path, elbow, goal_elbow=elbow + 0.05 * speed))
    assert told.commanded("elbow")


GOAL = 3.0 * position(1.1) + 0.2 * position(2.3)


def weak(seconds: float, dry: float) -> np.ndarray:
    """A servo half as stiff as its load, a pendulum of 49 /s2, with friction [rad/s2] and such a dead time."""
    q, v = 0.0, 0.0
    path: list[float] = []
    for k in range(12 * len(TIME)):
        goal = GOAL[max(k // 12 - round(100 * seconds), 0)]
        v += (25.0 * (goal - q) - 49.0 * np.sin(q) - dry * np.tanh(100.0 * v) - 8.0 * v) / 1200
        q += v / 1200
        path.append(q)
    return np.round(np.array(path[::12]) / COUNT) * COUNT


@pytest.mark.parametrize("scale", [0.5, 0.15, 1.3, 2])
def test_a_joint_that_goes_another_part_of_what_it_is_told_is_told(
    tmp_path: Path, scale: float
) -> None:
    elbow = scale * np.interp(TIME - 0.05, TIME, GOAL)
    said = [(one.kind, one.field) for one in found(written(tmp_path, elbow, goal_elbow=GOAL))]
    assert said == [("goal-unit", "goal_elbow")]


def test_a_weak_servo_under_load_lacks_no_fixed_part_and_its_scaled_encoder_shows_its_steps(
    tmp_path: Path,
) -> None:
    assert np.ptp(weak(0.0, 12.0)) < 0.5 * np.ptp(GOAL)
    assert found(written(tmp_path, weak(0.0, 12.0), goal_elbow=GOAL)) == []
    dragged = [0.0]  # by its command, which is up to 0.6 rad ahead of it
    for goal in GOAL[1:]:
        dragged.append(float(np.clip(dragged[-1], goal - 0.6, goal + 0.6)))
    stiff = np.round(np.array(dragged) / COUNT) * COUNT
    assert found(written(tmp_path, stiff, goal_elbow=GOAL)) == []
    late = np.round(np.interp(TIME - 0.05, TIME, GOAL) / COUNT) * COUNT
    assert found(written(tmp_path, 0.95 * late, goal_elbow=GOAL)) == []
    (one,) = found(written(tmp_path, 0.5 * stiff, goal_elbow=GOAL))
    assert (one.kind, one.field) == ("goal-unit", "goal_elbow")


def test_a_dead_time_is_told_and_slowness_is_not(tmp_path: Path) -> None:
    for seconds, lagging in ((0.0, 0), (0.05, 0), (0.3, 1)):
        log = read_robot_log(written(tmp_path, weak(seconds, 5.0), goal_elbow=GOAL))
        told = [
            one for one in robot_findings(log) if one.kind == "lag" and one.severity == "warning"
        ]
        assert len(told) == lagging
    late = int(re.search(r"a dead time of (\d+)", told[0].message).group(1))  # type: ignore[union-attr]
    assert abs(late - 300) < 50


def test_goals_that_are_one_value_for_a_moment_again_and_again_are_told_and_mended(
    tmp_path: Path,
) -> None:
    goal = 1.05 * position(1.7)
    lost = RNG.random(len(TIME)) < 0.1
    path = written(tmp_path, GOOD, goal_elbow=np.where(lost, 0.0, goal))
    assert [(one.kind, one.field) for one in found(path)] == [("dropout", "goal_elbow")]
    mended = read_robot_log(path, Reading(repair=["dropout"])).goal[:, 1]
    assert np.quantile(np.abs(mended - goal), 0.99) < 0.03


def test_pulses_to_either_side_and_steps_of_goals_are_commands(tmp_path: Path) -> None:
    row = np.arange(len(TIME))
    pulses = np.where(row % 120 == 60, 0.3, np.where(row % 120 == 0, -0.3, 0.0))
    for goal in (1.05 * GOOD + pulses, 1.05 * GOOD + 0.3 * (row % 120 > 110)):
        assert found(written(tmp_path, GOOD, goal_elbow=goal)) == []


def test_a_step_of_goals_in_the_last_samples_is_a_command(tmp_path: Path) -> None:
    goal = 1.05 * GOOD
    goal[-2:] = 1.8
    assert found(written(tmp_path, GOOD, goal_elbow=goal)) == []


def test_goals_of_a_joint_that_is_off_were_not_told_and_prove_nothing(tmp_path: Path) -> None:
    on = (
        TIME > 7.0
    )  # before, the reader of a maker's bag puts the position in the place of the goal
    told = np.where(on, 1.05 * GOOD + 0.05, GOOD)
    assert found(written(tmp_path, GOOD, goal_elbow=told, enabled_elbow=on.astype(float))) == []
    (wrong,) = found(written(tmp_path, GOOD, goal_elbow=told))
    assert wrong.kind == "command"


def test_a_little_motion_beside_wide_goals_shows_that_they_are_none(tmp_path: Path) -> None:
    little = np.round(0.28 * GOOD / np.ptp(GOOD) / COUNT) * COUNT
    pulses = 3.0 * np.sign(GOOD) * (TIME % 1.0 < 0.03)
    (said,) = found(written(tmp_path, little, goal_elbow=pulses))
    assert (said.kind, said.field) == ("order", "goal_elbow")
