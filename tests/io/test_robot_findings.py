"""Findings of a robot's recording: each fault is made on purpose, and nothing else is said."""

import numpy as np

from pliant.io.robot_findings import robot_findings
from pliant.io.robot_log import RobotLog

TIME = np.arange(0.0, 10.0, 0.02)
WAVE = 0.5 * np.sin(1.5 * TIME)


def said(position: np.ndarray, goal: np.ndarray) -> dict[str, str]:
    columns = [x[:, None] for x in (position, goal)]
    nothing = np.full_like(columns[0], np.nan)
    log = RobotLog("a", ("j",), TIME[: len(goal)], columns[0], columns[1], nothing, nothing != 0.0)
    return {finding.kind: finding.message for finding in robot_findings(log)}


def test_a_joint_that_follows_is_not_spoken_of() -> None:
    assert said(WAVE, WAVE) == {}


def test_lag_is_that_of_the_shift() -> None:
    assert "160 ms late" in said(0.5 * np.sin(1.5 * (TIME - 0.16)), WAVE)["lag"]


def test_a_joint_that_moves_before_its_command_is_told() -> None:
    uneven = np.sin(1.5 * TIME) + 0.5 * np.sin(3.7 * TIME + 1.0)
    assert "moves 200 ms before its command" in said(uneven[10:], uneven[:-10])["lag"]
    assert "200 ms late" in said(uneven[:-10], uneven[10:])["lag"]


def test_resolution_is_the_step_of_the_values() -> None:
    assert "1.53 mrad" in said(np.round(WAVE / 1.534e-3) * 1.534e-3, WAVE)["resolution"]


def test_a_position_that_no_joint_has_is_told_as_such_and_overflows_nothing() -> None:
    assert (
        "1e+300 rad"
        in said(np.where(np.arange(len(TIME)) == 77, 1e300, WAVE), WAVE)["position-unit"]
    )


def test_zero_is_the_difference_at_rest() -> None:
    steps = np.where(TIME % 4.0 < 2.0, 0.3, -0.3)
    assert "+12.0 mrad" in said(steps + 0.012, steps)["zero"]


def test_a_joint_that_is_told_to_move_and_does_not_is_a_warning() -> None:
    assert "though it is commanded to" in said(0.0 * WAVE, WAVE)["still"]
    assert said(0.0 * WAVE, 0.0 * WAVE)["still"] == "never moves"


def test_clipped_commands_stop_at_speed_and_planned_ones_do_not() -> None:
    assert "highest" in said(WAVE, np.minimum(WAVE, 0.3))["clipped"]
    planned = np.clip(0.4 * np.cos(np.pi * np.clip(TIME % 5.0 - 1.0, 0.0, 1.0)), -1.0, 1.0)
    assert "clipped" not in said(planned, planned)


def test_two_visits_at_each_end_are_clipped_and_a_step_to_each_is_not() -> None:
    both = np.clip(0.4 * np.sin(2.0 * np.pi * TIME / TIME[-1] * 2.0), -0.2, 0.2)
    assert "highest and lowest" in said(both, both)["clipped"]
    once = np.clip(0.4 * np.sin(2.0 * np.pi * TIME / TIME[-1]), -0.2, 0.2)
    assert "clipped" not in said(once, once)


def test_goals_alone_in_degrees_are_told() -> None:
    assert "degrees, or percent" in said(WAVE, np.degrees(WAVE))["goal-unit"]


def recorded(**channels: np.ndarray) -> RobotLog:
    columns = {name: x[:, None] for name, x in channels.items() if name != "duty"}
    nothing = np.full((len(TIME), 1), np.nan)
    parts = {"position": WAVE[:, None], "goal": WAVE[:, None], "speed": nothing} | columns
    others = {"duty": channels["duty"][:, None]} if "duty" in channels else {}
    return RobotLog("a", ("j",), TIME, **parts, enabled=nothing != 0.0, others=others)


def test_duty_and_current_at_their_limit_are_saturation() -> None:
    force = 2.0 * np.sin(1.5 * TIME)
    for channels, said in (
        ({"duty": np.clip(force, -0.97, 0.97)}, "full duty for 70 %"),
        ({"current": np.minimum(np.abs(force), 1.5)}, "stands at its highest, 1.5, for 48 %"),
        ({"current": np.minimum(np.abs(force), 0.5)}, "stands at its highest, 0.5, for 85 %"),
    ):
        found = {one.kind: one.message for one in robot_findings(recorded(**channels))}
        assert said in found["saturation"]
    free = recorded(duty=0.4 * force, current=np.abs(force))
    assert [one.kind for one in robot_findings(free)] == []


def test_one_speed_however_far_the_command_is_saturation() -> None:
    square = np.where(TIME % 5.0 < 2.5, 1.5, -1.5)
    slow = np.interp(
        TIME,
        [0.0, 1.0, 2.5, 4.5, 5.0, 7.0, 7.5, 9.5, 10.0],
        [0.5, 1.5, 1.5, -1.5, -1.5, 1.5, 1.5, -1.5, -1.5],
    )
    assert "moves at 1.5 rad/s and no faster" in said(slow, square)["saturation"]
    quick = np.where(np.abs(np.gradient(square)) > 0.0, 0.0, square)
    assert "saturation" not in said(quick, square)


def test_degrees_are_suspected() -> None:
    assert "degrees" in said(np.degrees(WAVE), np.degrees(WAVE))["position-unit"]
    counts = 2048.0 + WAVE * 4096 / (2.0 * np.pi)
    assert said(counts, counts)["position-unit"].endswith("rad: counts of an encoder?")


def test_steps_of_an_encoder_in_revolutions_are_told_and_in_rad_not() -> None:
    for counts in (1024, 4096, 16384):
        turns = np.round(0.3 * WAVE * counts) / counts + 0.123
        assert f"steps of 1/{counts}" in said(turns, turns)["position-unit"]
        for size in (2.0 * np.pi, np.pi / 180.0):
            assert "position-unit" not in said(size * turns, size * turns)


def test_commands_beyond_where_a_joint_rests_are_told_with_how_far() -> None:
    for low, high, end in ((-1.0, 0.3, 0.3), (-0.3, 1.0, -0.3)):
        text = said(np.clip(WAVE, low, high), WAVE)["beyond"]
        assert f"0.2 rad beyond {end}," in text
    assert "beyond" not in said(0.9 * WAVE, WAVE)
