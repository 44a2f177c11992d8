"""Bags: rosbag2 in sqlite3 or MCAP, and MCAP of other writers, as recordings of robots.

Read are the state of a JointTrajectoryController (command and motion in one), `/joint_states` with a
topic of commands, or Unitree's LowState with LowCmd. No ROS is needed.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.io.commands_told import check_order
from pliant.io.findings import Finding
from pliant.io.formats import series as of
from pliant.io.formats.messages import Bag, Topic, of_kind
from pliant.io.formats.publishers import one_publisher
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import LEAST, run
from pliant.io.formats.series import Series, read_series
from pliant.io.formats.unitree import in_effect, motors
from pliant.io.robot_log import RobotLog
from pliant.words import counted

APART = 1.0
"""[s] Between a header's stamp and the log's time: more is another clock."""
ACCEPTED = (
    "a JointTrajectoryControllerState, a JointState (or Foxglove's JointStates) with commands "
    "(JointState, JointTrajectory of one point, Float64MultiArray), or LowState with LowCmd"
)


def is_bag(path: Path) -> bool:
    """Whether a folder is a bag."""
    return (path / "metadata.yaml").is_file()


def read_bag(path: Path, reading: Reading) -> list[RobotLog]:
    """The recording in a bag.

    Raises:
        PliantError: it is no bag, is cut off, or has no topics of joints, or several that would do.
    """
    bag = Bag(path)
    with located(path):
        state, command = _chosen(bag.topics, reading)
        topics = [state] if command is None else [state, command]
        found = read_series(bag, topics, command)
        for topic in topics:
            if topic.name not in found:
                raise PliantError("has no messages", field=topic.name)
        findings = list(bag.findings)
        several = len(topics) > 1
        parts = [
            one_publisher(
                found[topic.name],
                reading.publishers.get(topic.name, reading.publishers.get("")),
                findings,
                f"{topic.name}=" if several else "",
            )
            for topic in topics
        ]
        wanted = max(reading.publishers.values(), default=1)
        for name in reading.publishers:
            if name not in ("", *found):
                raise PliantError("no such topic", field="publisher", found=name, accepted=found)
        if wanted > 1 and not any(one.kind == "sources" for one in findings):
            problem = "one program alone publishes the joints here"
            raise PliantError(problem, field="publisher", found=wanted, accepted="1")
        told = parts[1] if several else None
        if reading.command_joints:
            if told is None or told.joints:
                problem = "there are no commands" if told is None else "the commands have names"
                raise PliantError(f"{problem} here: leave this out", field="command_joints")
            told = replace(told, joints=tuple(reading.command_joints))
        return [_log(path, parts[0], told, findings, reading)]


def _chosen(topics: Sequence[Topic], reading: Reading) -> tuple[Topic, Topic | None]:
    """The topic of positions, and that of commands if it is another one."""
    known = [topic for topic in topics if topic.plain in of.KINDS]
    if not known:
        kinds = sorted({f"{topic.name} ({topic.kind})" for topic in topics})[:30]
        found = ", ".join(kinds) or "nothing"
        raise PliantError("has no topic of joints", field="topics", found=found, accepted=ACCEPTED)
    for kinds in (of.LOW_STATES, (of.CONTROLLER,), (of.STATE,)):
        states = of_kind(known, kinds)
        if reading.state is not None:
            states = [topic for topic in states if topic.name == reading.state]
        if not states:
            continue
        usual = [topic for topic in states if topic.name.strip("/") in ("joint_states", "lowstate")]
        state = _one(usual or states, "state")
        if kinds == (of.CONTROLLER,):
            return state, None
        told = of.LOW_COMMANDS if kinds == of.LOW_STATES else (of.STATE, of.TRAJECTORY, *of.ARRAYS)
        commands = [topic for topic in of_kind(known, told) if topic.name != state.name]
        if reading.command is not None:
            commands = [topic for topic in commands if topic.name == reading.command]
            if not commands:
                names = [topic.name for topic in known if topic.name != state.name]
                raise PliantError(
                    "no such topic of commands",
                    field="command",
                    found=reading.command,
                    accepted=names,
                )
        return state, _one(commands, "command") if commands else None
    if reading.state is not None:
        names = [topic.name for topic in known]
        raise PliantError("no such topic", field="state", found=reading.state, accepted=names)
    raise PliantError("has no topic of positions", field="topics", accepted=ACCEPTED)


def _one(topics: Sequence[Topic], option: str) -> Topic:
    if len(topics) > 1:
        names = sorted(topic.name for topic in topics)
        raise PliantError(
            f"several topics match: name one with --reading {option}=TOPIC", accepted=names
        )
    return topics[0]


def _log(
    path: Path, state: Series, told: Series | None, findings: list[Finding], reading: Reading
) -> RobotLog:
    stamps, commanded_at = _clock(state, told, findings)
    keep = _once(state, stamps, findings)
    if told is not None and commanded_at is not None:
        keep &= stamps >= commanded_at.min()
        if not keep.any():
            raise PliantError("all commands come after the last position", field=told.topic)
    joints, channels, commands = _channels(state, told, findings, reading)
    if told is not None and commanded_at is not None and commands:
        order = np.argsort(commanded_at, kind="stable")
        held = np.searchsorted(commanded_at[order], stamps[keep], side="right") - 1
        commands = {name: values[order][held] for name, values in commands.items()}
        age = 1e-6 * (stamps[keep] - commanded_at[order][held])
        text = (
            f"is held until the next; at the time of a position it is {np.median(age):.3g} ms old in the "
            f"median, {np.quantile(age, 0.95):.3g} ms at most in 95 %"
        )
        findings.append(Finding("order", told.topic, text, "note"))
    else:
        commands = {name: values[keep] for name, values in commands.items()}
    for one in (state,) if told is None else (state, told):
        if one.left_out:
            who = f" ({', '.join(one.others[:6])})" if one.others else ""
            text = f"{counted(one.left_out, 'message')} of other joints{who} on the same topic are left out"
            findings.append(Finding("missing", one.topic, text, "warning"))
    kept = {name: values[keep] for name, values in channels.items()} | commands
    goal = kept.pop("goal", None)
    if state.kind in of.LOW_STATES and goal is not None:
        goal = in_effect(joints, kept, goal, findings)
    time = 1e-9 * (stamps[keep] - stamps[keep][0]).astype(np.float64)
    if (
        told is not None
        and goal is not None
        and not told.joints
        and state.kind not in of.LOW_STATES
    ):
        check_order(told.topic, joints, time, kept["position"], goal)
    supply = kept.pop("supply", None)
    log = run(
        path.stem,
        path,
        joints,
        time,
        kept.pop("position"),
        goal=goal,
        channels=kept,
        supply=None if supply is None else supply[:, 0],
        findings=findings,
    )
    return log if told is None else replace(log, also=told.joints)


def _clock(
    state: Series, told: Series | None, findings: list[Finding]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Times [ns] of positions and commands by a common clock, and findings about them."""
    streams = [state] if told is None else [state, told]
    away = {one.topic: _offset(one) for one in streams}
    at_once = [one for one in streams if len(one.logged) >= LEAST and np.ptp(one.logged) == 0]
    if at_once:
        for one in streams:
            if one.stamped is None:
                raise PliantError(
                    "has no stamps, and all messages were logged at one time: their times are not known",
                    field=one.topic,
                    accepted="messages with a header's stamp, or a bag with the times of logging",
                )
        names = " and ".join(one.topic for one in at_once)
        text = f"all messages of {names} were logged at one time: the header's stamps are used"
        findings.append(Finding("rate", "log time", text, "warning"))
        return _times(state), None if told is None else _times(told)
    if any(abs(middle) > APART for middle, _ in away.values()):
        text = "; ".join(f"{topic}: {middle:.4g} s" for topic, (middle, _) in away.items())
        findings.append(
            Finding(
                "rate",
                "header.stamp",
                f"uses another clock than the log ({text} apart): the times of logging are used",
                "warning",
            )
        )
        return state.logged, None if told is None else told.logged
    for one in streams:
        if one.stamped is not None:
            middle, spread = away[one.topic]
            text = (
                f"was logged {1e3 * middle:.3g} ms after its header's stamp in the median "
                f"(95 %: {1e3 * spread:.3g} ms); the header's is used"
            )
            findings.append(Finding("rate", one.topic, text, "note"))
    return _times(state), None if told is None else _times(told)


def _once(one: Series, stamps: NDArray[np.int64], findings: list[Finding]) -> NDArray[np.bool_]:
    """(N,) whether messages differ from the previous one, in content or stamp."""
    again = np.diff(stamps) == 0
    for values in one.values.values():
        both_nan = np.isnan(values[1:]) & np.isnan(values[:-1])
        again &= ((values[1:] == values[:-1]) | both_nan).all(axis=1)
    if (clash := (np.diff(stamps) == 0) & ~again).any():
        raise PliantError(
            "successive messages have the same stamp but different content: do two programs publish them?",
            field=one.topic,
            found=f"{clash.sum()} of {len(stamps)}, the first at message {int(np.argmax(clash)) + 2}",
            accepted="one publisher of these joints",
        )
    if again.any():
        text = (
            f"{counted(int(again.sum()), 'message')} repeat the previous one, including its stamp, and are left out: "
            f"published or recorded twice"
        )
        findings.append(Finding("held", one.topic, text, "warning"))
    return np.r_[True, ~again]


def _offset(one: Series) -> tuple[float, float]:
    """[s] Median, and 95 % quantile, of the time from stamp to log."""
    if one.stamped is None:
        return 0.0, 0.0
    late = 1e-9 * (one.logged - one.stamped).astype(np.float64)
    return float(np.median(late)), float(np.quantile(late, 0.95))


def _times(one: Series) -> NDArray[np.int64]:
    return one.logged if one.stamped is None else one.stamped


def _channels(
    state: Series, told: Series | None, findings: list[Finding], reading: Reading
) -> tuple[tuple[str, ...], dict[str, Floats], dict[str, Floats]]:
    """Joints; channels by the log's names; and the commands in the order of these joints ("goal", gains)."""
    if state.kind in of.LOW_STATES:
        return motors(state, told, findings)
    width = state.values["position"].shape[1]
    joints = state.joints or tuple(f"joint_{k}" for k in range(width))
    if not state.joints:
        text = "has no names of joints: they are called by number; --rename gives the model's"
        findings.append(Finding("missing", state.topic, text, "note"))
    names = {"position": "position", "velocity": "speed", "effort": "torque"}
    channels = {
        ours: state.values[theirs] for theirs, ours in names.items() if theirs in state.values
    }
    if "goal" in state.values:
        return joints, channels, {"goal": state.values["goal"]}
    if told is None:
        text = "no topic of commands: the joints can only follow their recording"
        findings.append(Finding("missing", state.topic, text, "warning"))
        return joints, channels, {}
    given = told.values["position"]
    goal = np.full((len(given), width), np.nan)
    if told.joints:
        meant = reading.commands_of(joints, told.joints)
        for joint, place in meant.items():
            goal[:, joints.index(joint)] = given[:, place]
        if strangers := [n for k, n in enumerate(told.joints) if k not in meant.values()]:
            text = (
                f"commands {', '.join(strangers[:6])}, of which {state.topic} has no position: it has "
                f"{', '.join(joints[:6])}"
            )
            if np.isnan(goal).all():
                text += "; without commands joints can only follow the recording"
            findings.append(Finding("missing", told.topic, text, "warning"))
        return joints, channels, {"goal": goal}
    if given.shape[1] != width:
        raise PliantError(
            "has no joint names, and another number of values than there are joints",
            field=told.topic,
            found=given.shape[1],
            accepted=f"{width} numbers",
        )
    text = f"has no names: its numbers are taken as positions, in the order of {state.topic}"
    findings.append(Finding("order", told.topic, text, "warning"))
    return joints, channels, {"goal": given}
