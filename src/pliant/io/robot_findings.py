"""Findings in a robot's recording, joint by joint, that matter for a fit to it."""

from collections.abc import Iterator

import numpy as np

from pliant.arrays import Floats
from pliant.io.commands_told import dead_time, lag_of
from pliant.io.encoder_steps import counts_of_turn, resolution
from pliant.io.faults import LEAST_ROWS, TURN
from pliant.io.faults_position import REST
from pliant.io.findings import Finding
from pliant.io.robot_log import Bools, RobotLog

UNEVEN = 0.2
"""[of the median interval] Spread from the 5 % to the 95 % quantile from which it is reported."""
SOON, OFTEN_LATE = 0.4, 0.05
"""[mean intervals] A shorter interval means another program's message; share of such that is reported."""
LEAPS = 5.0
"""Median step to the next sample over that to the next but one: 0.5 of a motion, 1 of noise."""
LEAST_LEAP = 0.01
"""[rad, m] Smaller leaps are of a sensor's last digit."""


def timing_findings(log: RobotLog) -> Iterator[Finding]:
    """Uneven times, and samples of two programs."""
    apart = np.diff(log.time)
    usual = float(np.median(apart))
    low, high = (float(np.quantile(apart, q)) for q in (0.05, 0.95))
    if high - low > UNEVEN * usual:
        text = (
            f"{1 / usual:.4g} Hz in the median; nine of ten intervals are from "
            f"{1e3 * low:.3g} to {1e3 * high:.3g} ms"
        )
        yield Finding("rate", "time", text, "note")
    soon = float(np.mean(apart < SOON * np.mean(apart)))
    if soon > OFTEN_LATE:
        text = (
            f"{100 * soon:.0f} % of the samples follow the previous one much sooner than others do: do two "
            "programs publish them?"
        )
        yield Finding("sources", "time", text, "warning")
    yield from _two_sources(log)


def _two_sources(log: RobotLog) -> Iterator[Finding]:
    """Joints that jump back and forth between samples, while every second sample is smooth."""
    for k, joint in enumerate(log.joints):
        line = log.position[:, k]
        to_next, over_one = (float(np.median(np.abs(line[n:] - line[:-n]))) for n in (1, 2))
        if to_next > LEAPS * over_one and to_next > LEAST_LEAP:
            text = (
                f"jumps back and forth by {to_next:.2g} rad from sample to sample, while every second sample "
                f"is smooth: do two programs publish it?"
            )
            yield Finding("sources", f"position_{joint}", text, "warning")


STILL = 0.01
"""[rad, m] A joint that moves less does not move."""
LATE = 0.03
"""[s] Lag from which it is reported."""
ZERO = 5e-3
"""[rad, m] Mean error at rest from which it is reported."""
CLIPPED = 0.05
"""Share of the samples at one end of the command's range from which it is reported."""
OFTEN = 3
"""Number of arrivals at its ends at speed from which it is reported; a step has one at each."""
ABRUPT = 0.3
"""Smallest speed at which a clipped command reaches its end, as a fraction of its largest; a planned one
slows down first."""

GOES_ON = 0.1
"""[rad, m] Range of the commands beyond an end from which the joint should have followed."""
STOPPED = 0.03
"""Share of the samples at such an end from which it is reported."""
BEYOND = 0.03
"""[rad, m] Further beyond its last position, a command was not followed."""
FULL = 0.95
"""Duty that counts as all there is: firmware stops at 97 to 100 %."""
SATURATED = 0.02
"""Share of the samples at a limit of duty, current or speed from which it is reported."""
FINE = 10
"""Smallest number of distinct currents; with fewer, the highest is due to coarse readings, not to a limit."""
FLAT = 5
"""Consecutive samples at the highest current: a limit lasts that long, a peak does not."""
FAR = 0.3
"""[rad, m] Distance from its command at which a joint would move faster if it could."""
STEADY = 1.1
"""Ratio of largest to usual speed up to which the speed counts as constant."""


def robot_findings(log: RobotLog) -> list[Finding]:
    """Findings about times and about each joint: units, motion, lag, zero, resolution, clipping."""
    if len(log.time) < LEAST_ROWS:
        return list(log.findings)
    said = [*log.findings, *timing_findings(log)]
    untold = not any(map(log.commanded, log.joints))
    if untold and not any(one.kind == "missing" for one in log.findings):
        text = "no joint has a command: actuators cannot be identified, joints can only follow the recording"
        said.append(Finding("missing", "goal", text, "warning"))
    return said + [one for joint in log.joints for one in _of_joint(log, joint)]


def _of_joint(log: RobotLog, joint: str) -> Iterator[Finding]:
    column = log.column(joint)
    line, goal = log.position[:, column], log.goal[:, column]
    where = f"position_{joint}"
    unit = (
        "is it in the unit given?" if joint in log.in_unit else "degrees, or percent of the range?"
    )
    if np.abs(line).max() > TURN:
        unit = "counts of an encoder?" if np.abs(line).max() > np.degrees(TURN) else unit
        text = f"reaches {np.abs(line).max():.4g} rad: {unit}"
        yield Finding("position-unit", where, text, "warning")
    elif log.commanded(joint) and np.abs(goal).max() > max(TURN, 2.0 * np.abs(line).max()):
        text = (
            f"reaches {np.abs(goal).max():.4g} rad, its positions {np.abs(line).max():.4g}: {unit}"
        )
        yield Finding("goal-unit", f"goal_{joint}", text, "warning")
    step = resolution(line)
    counts = None if step is None or joint in log.in_unit else counts_of_turn(line, step)
    if counts is not None:
        text = f"is in steps of 1/{counts}, as of an encoder in revolutions: --unit rev?"
        yield Finding("position-unit", where, text, "warning")
    elif step is not None:
        yield Finding("resolution", where, f"has a resolution of {1e3 * step:.3g} mrad", "note")
    if np.ptp(line) < STILL:
        told = log.commanded(joint) and np.ptp(goal) > STILL
        text = "never moves" + (", though it is commanded to" if told else "")
        yield Finding("still", where, text, "warning" if told else "note")
        return
    yield from _driven_hard(log, joint)
    bad = {one.field for one in log.findings if one.severity != "note" and not one.repaired}
    if log.commanded(joint) and where not in bad:  # of bad positions nothing more is known
        yield from _commanded(joint, log.time, line, goal)
        yield from _at_one_speed(joint, log.time, line, goal)


def _driven_hard(log: RobotLog, joint: str) -> Iterator[Finding]:
    """Duty or current at a limit, where they are recorded."""
    column = log.column(joint)
    if (duty := log.others.get("duty")) is not None:
        share = float(np.mean(np.abs(duty[:, column]) >= FULL))
        if share > SATURATED:
            text = f"is at full duty for {100 * share:.0f} % of the time: load or speed is too much"
            yield Finding("saturation", f"duty_{joint}", text, "note")
    if log.current is None or not np.isfinite(current := np.abs(log.current[:, column])).all():
        return
    top = current >= current.max() * (1.0 - 1e-6)
    runs = np.diff(np.flatnonzero(np.diff(np.r_[False, top, False])))[::2]
    share = float(runs[runs >= FLAT].sum() / len(top))
    if len(np.unique(current)) > FINE and share > SATURATED:
        text = f"stands at its highest, {current.max():.4g}, for {100 * share:.0f} % of the time: a limit"
        yield Finding("saturation", f"current_{joint}", text, "note")


def _at_one_speed(joint: str, time: Floats, line: Floats, goal: Floats) -> Iterator[Finding]:
    """A joint that is far from its command but moves no faster than elsewhere."""
    speed = np.abs(np.gradient(line, time))
    far = (np.abs(goal - line) > FAR) & (speed > 0.5 * speed.max())
    if far.mean() < SATURATED:
        return
    usual, most = np.quantile(speed[far], (0.5, 0.95))
    if most < STEADY * usual:
        text = (
            f"moves at {usual:.2g} rad/s and no faster, {FAR:g} rad or more from its command, for "
            f"{100 * far.mean():.0f} % of the time: saturated, or a limit of speed"
        )
        yield Finding("saturation", f"position_{joint}", text, "note")


def _commanded(joint: str, time: Floats, line: Floats, goal: Floats) -> Iterator[Finding]:
    is_short = np.ptp(goal) < 5.0 * STILL or np.abs(line).max() > TURN
    lag = 0.0 if is_short else lag_of(time, line, goal)
    dead = 0.0 if is_short else dead_time(time, line, goal)
    if lag < -LATE:
        text = (
            f"moves {-1e3 * lag:.0f} ms before its command: their times come from two clocks, or it is not a "
            "command"
        )
        yield Finding("lag", f"goal_{joint}", text, "warning")
    elif dead:
        text = (
            f"follows its command {1e3 * lag:.0f} ms late, with a dead time of {1e3 * dead:.0f} ms, longer than a "
            "bus takes: was it stamped too early, or by another clock?"
        )
        yield Finding("lag", f"goal_{joint}", text, "warning")
    elif lag > LATE:
        text = f"follows its command {1e3 * lag:.0f} ms late: delay, friction and weak gains"
        yield Finding("lag", f"position_{joint}", text, "note")
    rest = (np.abs(np.gradient(line, time)) < REST) & (np.abs(np.gradient(goal, time)) < REST)
    if rest.mean() > 0.05 and abs(middle := float(np.quantile((line - goal)[rest], 0.5))) > ZERO:
        text = (
            f"rests {1e3 * middle:+.1f} mrad from its command (median): load, or a different zero"
        )
        yield Finding("zero", f"position_{joint}", text, "note")
    yield from _clipped(joint, goal)
    yield from _stopped(joint, time, line, goal)


def _clipped(joint: str, goal: Floats) -> Iterator[Finding]:
    """Ends of the commands that are reached repeatedly at speed, one or both together."""
    pace: Floats = np.abs(np.diff(goal))
    found: dict[str, tuple[float, int]] = {}
    for name, end in (("highest", goal.max()), ("lowest", goal.min())):
        at = np.abs(goal - end) < 1e-9
        begins = np.flatnonzero(at[2:] & ~at[1:-1])
        often = int(np.count_nonzero(pace[begins] > ABRUPT * pace.max()))
        if at.mean() > CLIPPED and often:
            found[name] = float(at.mean()), often
    if sum(often for _, often in found.values()) < OFTEN:
        return
    share = sum(share for share, _ in found.values())
    text = f"stops at its {' and '.join(found)} at speed, for {100 * share:.0f} % of the time: clipped?"
    yield Finding("clipped", f"goal_{joint}", text, "warning")


def _stopped(joint: str, time: Floats, line: Floats, goal: Floats) -> Iterator[Finding]:
    """Ends of the motion at which a joint rests while its command continues beyond them.

    The cause may be a stop, or a command that was clipped after it was recorded.
    """
    for sign, end, there in stood(time, line, goal):
        text = (
            f"is up to {(sign * goal[there]).max() - end:.3g} rad beyond {sign * end:.4g}, where the "
            f"joint rests, for {100 * there.mean():.0f} % of the time: a stop, or clipped when it was sent "
            f"(--reading clip=... takes the ends of what was sent)"
        )
        yield Finding("beyond", f"goal_{joint}", text, "warning")


def stood(time: Floats, line: Floats, goal: Floats) -> Iterator[tuple[float, float, Bools]]:
    """Sign of an end of the motion, sign times the end, and the samples at which the joint rests there.

    Args:
        time: (N,) [s]. line, goal: (N,) [rad, m], the goals going on beyond the end.
    """
    rest = np.abs(np.gradient(line, time)) < REST
    for sign in (1.0, -1.0):
        end = float((sign * line).max())
        there: Bools = rest & (sign * line > end - ZERO) & (sign * goal > end + BEYOND)
        # A weak servo under load rests short of a constant goal; this goal continues.
        goes_on = there.any() and np.subtract(*np.quantile(goal[there], (0.95, 0.05))) > GOES_ON
        if float(there.mean()) > STOPPED and goes_on:
            yield sign, end, there
