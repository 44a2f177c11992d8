"""Detect recorded "commands" that are none: the joint's own later position, steps added to it, speeds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.encoder_steps import resolution
from pliant.io.findings import Fault, Finding, Kind
from pliant.io.robot_log import Bools, RobotLog
from pliant.io.table import Header, Table

FARTHEST = 1e4
"""[rad] Beyond any joint's travel."""
LATER = (0, 1, -1, 2, 3, 4, 5)
"""[samples] Shifts of the positions that commands are compared with."""
ROUNDED = 0.05
"""[steps of the encoder] Allowed difference between the two, as one of them may have been rounded again."""
UNEQUAL = 0.01
"""Allowed deviation from 1 of the sum of weights of a mean of positions, because of rounding."""
EQUAL = 0.7
"""Share of the samples in motion that are equal to such a position."""
FEWEST = 20
"""Smallest number of such samples."""
MOVED = 0.05
"""[rad, m] A joint that moves less is not checked."""
REVERSALS = 3
"""Crossings of the middle position; with fewer it is less clear whether a joint follows a position or a speed."""
SMOOTH = 0.1
"""[s] Averaging time of both: the speed from a coarse encoder is noisy."""
LONGEST = 0.5
"""[s] Largest lag searched."""
ALIKE = 0.8
"""Smallest correlation with the speed from which commands count as speeds."""
CLEARLY = 0.4
"""Largest ratio of the variance unexplained by the speed to that unexplained by the position; for a short
motion a twentieth of this."""
FAR = 0.3
"""[rad, m] Range of commands that a joint must follow, and range of motion needed to check it."""
MOST_TOLD = 10.0
"""Range of commands over range of motion from which it is checked too; at most 1.4 in 91 recorded joints."""
UNFOLLOWED, SUSPECT = 0.45, 0.15
"""Unexplained fraction of its variance from which a joint does not follow its commands: by itself, and if those
of another joint are already known to be none. In 45 recorded motions one has 0.37, the others at most 0.13."""
OFF, STEADY = 0.5, 0.25
"""[rad, m] Offset from its commands that is reported, and its largest relative spread."""
DRIFT, EVENLY = 0.2, 0.4
"""[rad, m] Drift from its commands that is reported, and allowed relative deviation in each quarter. In 150
recorded motions none drifts further this evenly; weak servos that are raised and lowered reach 0.27."""
FINEST = 1e-3
"""[s] Smallest step of the lags searched."""
LONG = 20_000
"""Samples from the middle of the recording that are compared with the speed."""
MOST = 2000
"""Samples that are compared."""
SCALES, EXPLAINED = (0.8, 1.2), 0.985
"""Ratios of motion to command outside which a joint that follows the commands' shape is reported, and the smallest
correlation if it goes farther. In 150 recorded motions the ratio is 0.3 (weakly held in gravity) to 1.04."""
PROPORTIONAL = 0.05
"""Residual fraction of a joint's error up to which it counts as proportional to the command; a load varies as a sine,
and friction has a sign. In 150 recorded motions, at 0.2 to 0.8 of their commands, it is at least 0.063."""
OTHER_STEPS = 0.1
"""Log ratio from which an encoder's steps differ from those of the other joints."""
WHITE = 0.6
"""Fraction of a joint's errors with the same sign as the previous one, below which they are noise: a joint that follows
has a time constant of a sample or more. In 150 recorded motions it is at least 0.82."""
DEAD, MORE, RISES = 0.1, 1.25, 1.5
"""[s] Dead time of a bus; smallest ratio of the residual within that dead time to the best, and of the residual as far beyond
the best. In 150 recorded motions none has both: 1.2 with 2.1, and 1.5 with 1.4."""
ANSWER, FINE = 0.05, 0.005
"""[s] Time over which a joint responds to its command, and step of the dead times tried."""
FOLLOWED = (0.3, 1.5)
"""Allowed range of motion over command, for a weakly held or an overshooting joint."""


def no_commands(log: RobotLog) -> list[Finding]:
    """A finding for each joint whose "commands" are none: nothing can follow them, or be fitted to them."""
    return [
        Finding("command", f"goal_{joint}", f"{text}: no command", "warning")
        for joint in log.joints
        for text in _no_command(log, joint)
    ]


def added(log: RobotLog) -> RobotLog:
    """The recording whose goals are its steps added to its positions.

    Raises:
        PliantError: a joint follows its "steps" as they are.
    """
    for k, joint in enumerate(log.joints):
        line, step = log.position[:, k], log.goal[:, k]
        is_moved = bool(np.isfinite([line, step]).all()) and np.ptp(line) > MOVED
        is_long = len(evenly(log.time)) >= 2 * FEWEST
        if is_moved and is_long and left_by(log.time, line, step) < SURELY:
            raise PliantError(
                "follows its commands as they are: they are no steps",
                field=f"goal_{joint}",
                accepted="goal=position",
            )
    return replace(log, goal=log.position + log.goal)


def unfollowed(log: RobotLog, *, is_loaded: bool = False) -> list[Finding]:
    """A finding for each joint that moves, but not as commanded, so that the meaning of its goals is unclear.

    Args:
        log: of any joints. is_loaded: a load may well hold them off their goals.
    """
    limit = SUSPECT if any(one.kind == "command" for one in log.findings) else UNFOLLOWED
    steps = [resolution(line) for line in log.position.T]
    bad = {one.field for one in log.findings if one.severity != "note" and not one.repaired}
    return [
        Finding(kind, f"{'position' if kind == 'zero' else 'goal'}_{joint}", text, "warning")
        for k, joint in enumerate(log.joints)
        if f"position_{joint}" not in bad  # of bad positions nothing more is known
        and log.commanded(joint)
        and log.enabled[:, k].any()
        and (np.abs([log.position[:, k], log.goal[:, k]]) < FARTHEST).all()
        for kind, text in _unlike(log, k, limit, _finer(steps, k), is_loaded=is_loaded)
    ]


def check_followed(table: Table, header: Header) -> list[Fault]:
    """A finding for a joint on a bench that does not move as commanded, beyond the effect of its load."""
    return [
        (replace(one, field=table.names[one.field[:-1]]), None)
        for one in (unfollowed(alone(table), is_loaded=True) if table.finite("goal") else ())
    ]


def alone(table: Table) -> RobotLog:
    """The only joint of a log, without a name."""
    position, goal = table.channels["position"][:, None], table.channels["goal"][:, None]
    on = table.channels["enabled"][:, None] > 0.5
    return RobotLog("", ("",), table.time, position, goal, np.full_like(goal, np.nan), on)


def _unlike(
    log: RobotLog, k: int, limit: float, finer: float, *, is_loaded: bool
) -> Iterator[tuple[Kind, str]]:
    """Kinds and messages of how joint k does not move as commanded."""
    line, goal = log.position[:, k], log.goal[:, k]
    if np.ptp(line) < MOVED or np.ptp(goal) < FAR or len(line) < 2 * FEWEST:
        return
    told, place, _ = aligned(log.time, line, goal)
    is_far = np.ptp(line) > FAR or np.ptp(goal) > MOST_TOLD * np.ptp(line)
    left = _left(told, place) if is_far else 0.0
    if is_far and abs(drift := _drifts(told, place)) > DRIFT:
        yield (
            "zero",
            (
                f"drifts by {drift:+.2f} rad from its command, evenly from start to end: an encoder that loses "
                "counts, or a coupling that slips"
            ),
        )
    elif is_far and not is_loaded and (off := _stands_off(told, place)):
        yield (
            "zero",
            (
                f"stands {off:+.2f} rad from its command, steadily, in a third of the time or more: "
                "an encoder that slipped, a different zero, or something that holds it"
            ),
        )
    elif (scale := _scale(told, place, finer)) != 1.0:
        yield (
            "goal-unit",
            (
                f"moves {scale:.3g} times as far as its command: a different unit, a gear between them, or a load that "
                "drives it or holds it back"
            ),
        )
    elif is_loaded:
        return
    elif other := _followed(log, k, left):
        yield "order", f"follows the commands of {other} instead of its own: are the names right?"
    elif left > limit:
        yield (
            "order",
            (
                f"does not follow its commands: they leave {100 * min(left, 1.0):.0f} % of its motion unexplained. Are they "
                "another joint's, in another unit, or no positions?"
            ),
        )


def _followed(log: RobotLog, k: int, left: float) -> str | None:
    """The joint whose commands joint k clearly follows, when its own leave the fraction `left` of its variance."""
    if left < UNLIKE or len(log.joints) > MOST_JOINTS:
        return None
    by = {
        joint: left_by(log.time, log.position[:, k], log.goal[:, n])
        for n, joint in enumerate(log.joints)
        if n != k and log.commanded(joint) and np.isfinite(log.goal[:, n]).all()
    }
    best = min(by, key=lambda joint: by[joint], default=None)
    return best if best is not None and by[best] < FAR_LESS * left else None


def _no_command(log: RobotLog, joint: str) -> Iterator[str]:
    k = log.column(joint)
    line, goal = log.position[:, k], log.goal[:, k]
    is_sound = bool((np.abs([line, goal]) < FARTHEST).all())
    if not is_sound or np.ptp(line) < MOVED or len(line) < 2 * FEWEST:
        return
    step = float(np.quantile(np.diff(np.unique(line)), 0.05))
    close = max(1e-6 * float(np.ptp(line)), ROUNDED * step)
    for later in LATER:
        told, place = goal[max(-later, 0) : len(goal) - max(later, 0)], line[max(later, 0) :]
        place = place[: len(told)]
        moving = np.abs(np.diff(place, prepend=place[0])) > close
        moving &= log.enabled[max(-later, 0) :, k][
            : len(told)
        ]  # otherwise the value there was not commanded
        off = told - place
        is_equal = (np.abs(off) <= close)[moving].mean() > EQUAL if moving.any() else False
        if np.count_nonzero(moving) >= FEWEST and (is_equal or _is_noise(off, place, moving)):
            many = "one sample" if abs(later) == 1 else f"{abs(later)} samples"
            when = f"{many} {'later' if later > 0 else 'before'}" if later else "of the same sample"
            mrad = 1e3 * float(np.median(np.abs(off[moving])))
            noise = "" if mrad <= 1e3 * close else f", with noise of {mrad:.2g} mrad"
            yield f"is the position {when}{noise}: what the joint did, not what it was told"
            return
    if resolution(line) is not None and _mean_of_readings(line, goal, close):
        yield "is a mean of neighbouring positions: what the joint did, not what it was told"
        return
    yield from _rate(log.time, line, goal)


def _is_noise(off: Floats, place: Floats, moving: Bools) -> bool:
    """Whether the errors between commands and positions are smaller than a step of the motion, and white."""
    pairs = moving[1:] & moving[:-1]
    before, here, step = off[:-1][pairs], off[1:][pairs], np.diff(place)[pairs]
    if len(here) < FEWEST or np.median(np.abs(here)) > np.median(np.abs(step)):
        return False
    return float(np.mean(before * here > 0.0)) < WHITE


def _mean_of_readings(line: Floats, goal: Floats, close: float) -> bool:
    """Whether goals are a fixed weighted mean of nearby readings, finer than their steps, as no command is."""
    reach = max(LATER)
    near = np.asarray(sliding_window_view(line, 2 * reach + 1), np.float64)
    near = near - near.mean(axis=0)
    told = goal[reach:-reach] - goal[reach:-reach].mean()
    moving = np.abs(np.diff(told, prepend=told[0])) > close
    if np.count_nonzero(moving) < FEWEST * reach:
        return False
    # By the normal equations, at most a third of the time: weights need not be exact where positions are alike.
    squares, product = near.T @ near, near.T @ told
    weights = np.asarray(np.linalg.lstsq(squares, product, rcond=None)[0], np.float64)
    equal = np.abs(told - near @ weights) <= close
    return bool(abs(weights.sum() - 1.0) < UNEQUAL and equal[moving].mean() > EQUAL)


def _rate(time: Floats, line: Floats, goal: Floats) -> Iterator[str]:
    """Whether commands correlate with the speed instead of the position."""
    above = line > line.mean()
    grid = evenly(time)
    if np.ptp(goal) == 0.0 or len(grid) < 2 * FEWEST:
        return
    step = float(grid[1] - grid[0])
    clearly = CLEARLY if np.count_nonzero(above[1:] != above[:-1]) >= REVERSALS else CLEARLY / 20.0
    width = max(1, round(SMOOTH / step))
    mean = np.full(width, 1.0 / width)
    told, place = (np.convolve(np.interp(grid, time, x), mean, "valid") for x in (goal, line))
    speed = np.gradient(place, step)
    longest = min(round(LONGEST / step), len(told) // 4)
    lags = range(0, longest + 1, max(1, longest // 50))
    with_speed = [_correlation(told[: len(told) - lag], speed[lag:]) for lag in lags]
    lag = int(np.argmax(with_speed))
    as_place = min(_left(told[: len(told) - n], place[n:]) for n in lags)
    if with_speed[lag] < ALIKE or 1.0 - with_speed[lag] ** 2 > clearly * as_place:
        return
    early = told[: len(told) - lag]
    times = float(np.dot(early, early) / np.dot(early, speed[lag:]))
    what = ": a speed was commanded"
    if not 0.5 < times < 2.0:
        what = f", {times:.2g} s times as large: steps to be added to the position, one in {step:.2g} s (--reading goal=step adds them)"
    yield f"goes with the speed of the joint ({with_speed[lag]:.2f}), not with its position{what}"


def evenly(time: Floats) -> Floats:
    """Even times [s] in the middle of a recording, at most `LONG`: a gap may be as long as millions of samples."""
    if not np.isfinite(time).all():
        return time[:0]
    step = max(float(np.median(np.diff(time))), FINEST)
    middle = 0.5 * float(time[0] + time[-1])
    half = 0.5 * min(float(time[-1] - time[0]), LONG * step)
    return np.arange(middle - half, middle + half, step)


def _correlation(one: Floats, other: Floats) -> float:
    one, other = one - one.mean(), other - other.mean()
    size = math.sqrt(float(np.dot(one, one)) * float(np.dot(other, other)))
    return float(np.dot(one, other)) / size if size > 0.0 else 0.0


def _left(told: Floats, place: Floats) -> float:
    """Fraction of a position's variance not explained by these commands."""
    told, place = told - told.mean(), place - place.mean()
    gain = float(np.dot(told, place)) / max(float(np.dot(told, told)), 1e-300)
    rest = place - min(max(gain, FOLLOWED[0]), FOLLOWED[1]) * told
    return float(np.dot(rest, rest)) / max(float(np.dot(place, place)), 1e-300)


def _scale(told: Floats, place: Floats, finer: float) -> float:
    """Ratio of a joint's motion to its commands, if load or friction cannot explain it; else 1.

    Args:
        told, place: (N,) [rad, m]. finer: steps of its encoder, relative to the others'.
    """
    alike = _correlation(told, place)
    scale = alike * float(place.std() / told.std())
    unlike = math.sqrt(max(1.0 - alike**2, 0.0)) * float(place.std() / told.std())
    is_other = scale > SCALES[1] and alike > EXPLAINED
    is_other |= scale < SCALES[0] and unlike < PROPORTIONAL * (1.0 - scale)
    if alike > ALIKE and abs(math.log(finer)) > OTHER_STEPS:
        is_other |= abs(math.log(scale / finer)) < 0.5 * abs(math.log(finer))
    return scale if is_other else 1.0


def _finer(steps: Sequence[float | None], k: int) -> float:
    """Steps of joint k's encoder, relative to the other joints'; 1 if there are none."""
    own, others = steps[k], [one for n, one in enumerate(steps) if n != k and one is not None]
    return own / float(np.median(others)) if own is not None and others else 1.0


def left_by(time: Floats, line: Floats, goal: Floats) -> float:
    """Fraction of a position's variance not explained by these commands, at the best lag."""
    return _left(*aligned(time, line, goal)[:2])


def _stands_off(told: Floats, place: Floats) -> float:
    """[rad, m] Steady offset of a position from its commands in the worst third of the time; else 0."""
    worst = 0.0
    for off in np.array_split(place - told, 3):
        low, middle, high = map(float, np.quantile(off, (0.25, 0.5, 0.75)))
        if high - low < STEADY * abs(middle) and abs(middle) > abs(worst):
            worst = middle
    return worst if abs(worst) > OFF else 0.0


def _drifts(told: Floats, place: Floats) -> float:
    """[rad, m] Drift of a position from its commands over a recording, if even over all quarters; else 0."""
    along = np.linspace(-0.5, 0.5, len(told))
    known = np.column_stack([told, along, np.ones_like(told)])
    gain, drift, _ = map(float, np.linalg.lstsq(known, place, rcond=None)[0])
    middles = [np.median(part) for part in np.array_split(place - gain * told, 4)]
    is_even = np.abs(4.0 * np.diff(middles) - drift).max() < EVENLY * abs(drift)
    return drift if is_even else 0.0


def aligned(
    time: Floats, line: Floats, goal: Floats, most: int = MOST
) -> tuple[Floats, Floats, float]:
    """Commands, the positions that follow them at the best lag, and that lag [s]."""
    step = max(float(np.median(np.diff(time))), float(time[-1] - time[0]) / most)
    grid = np.arange(time[0], time[-1], step)
    told, place = np.interp(grid, time, goal), np.interp(grid, time, line)
    lags = range(min(round(LONGEST / step), len(grid) // 4) + 1)
    pairs = [(told[: len(told) - lag], place[lag:], lag * step) for lag in lags]
    return min(pairs, key=lambda pair: _left(*pair[:2]))


def lag_of(time: Floats, line: Floats, goal: Floats) -> float:
    """[s] Best lag of a position behind its commands; negative if it is clearly ahead."""
    late, early = aligned(time, line, goal, LONG), aligned(time, goal, line, LONG)
    is_before = _left(*early[:2]) < min(CLEARLY * _left(*late[:2]), SURELY)
    return -early[2] if is_before else late[2]


def dead_time(time: Floats, line: Floats, goal: Floats) -> float:
    """[s] Dead time before a joint responds to its commands, if clearly longer than a bus takes; else 0.

    Least-squares fit of the subsequent motion to an earlier command, the position, the past motion and its
    direction: a servo with friction under a load. Commands given after the motion cannot have caused it: beyond
    the dead time the residual rises sharply. It does not if friction or weak gains cause the lag.
    """
    grid = evenly(time)[:: max(1, round(FINE / float(np.median(np.diff(time)))))][: 2 * MOST]
    step = float(grid[1] - grid[0]) if len(grid) > 1 else np.inf
    if len(grid) * step < 2.0 or step > ANSWER:
        return 0.0
    answer, most, bus = (round(x / step) for x in (ANSWER, LONGEST, DEAD))
    here = np.arange(most + bus + answer, len(grid) - answer)
    place = np.interp(grid, time, line)
    told = goal[np.searchsorted(time, grid + 1e-9, side="right") - 1]
    told = np.convolve(told, np.full(answer, 1.0 / answer), "valid")
    ago = sliding_window_view(told, most + bus + 1)[answer : answer + len(here), ::-1]
    motion, so_far = place[here + answer] - place[here], place[here] - place[here - answer]
    known = np.linalg.qr(np.column_stack([place[here], so_far, np.sign(so_far), so_far**0]))[0]
    motion, free = motion - known @ (known.T @ motion), ago - known @ (known.T @ ago)
    size = np.maximum(np.sum(free**2, axis=0), 1e-9 * np.sum(ago**2, axis=0) + 1e-300)
    left = np.dot(motion, motion) - (motion @ free) ** 2 / size
    best = int(np.argmin(left[: most + 1]))
    clear = left[: bus + 1].min() > MORE * left[best] and left[best + bus] > RISES * left[best]
    return best * step if clear else 0.0


FAR_LESS = 0.1
"""Largest ratio of the variance left by another joint's commands to that left by its own, for an exchange."""
MOST_JOINTS = 64
"""Largest number of joints compared; the cost is quadratic."""
SURELY = 0.3
"""Largest ratio of the variance left by another order to that left by the assumed one, to prefer it."""
UNLIKE = 0.05
"""Fraction of a joint's variance that its own commands must leave for its order to be doubted."""


def check_order(
    topic: str, joints: Sequence[str], time: Floats, position: Floats, goal: Floats
) -> None:
    """Refuse commands whose order, judging by the motion, differs from that of the positions.

    Args:
        topic: of the commands. joints: (J,) in the order of the positions. time: (N,) [s].
        position, goal: (N, J).
    """
    if (
        not 1 < len(joints) <= MOST_JOINTS
        or not np.isfinite(position).all()
        or not np.isfinite(goal).all()
    ):
        return
    moved = [
        k for k in range(len(joints)) if np.ptp(position[:, k]) > 0.0 and np.ptp(goal[:, k]) > 0.0
    ]
    if len(moved) < len(joints):
        return
    left = np.array([[left_by(time, line, told) for told in goal.T] for line in position.T])
    meant = [int(k) for k in left.argmin(axis=1)]
    if len({*meant}) < len(meant):
        return  # two joints follow the same command best, so no order is right
    changed = [k for k, other in enumerate(meant) if other != k]
    clear = all(left[k, k] > UNLIKE and left[k, meant[k]] < SURELY * left[k, k] for k in changed)
    if not changed or not clear:
        return
    order = ",".join(joints[meant.index(k)] for k in range(len(joints)))
    raise PliantError(
        "has no names, and judging by the motion its numbers are not in the order of the positions",
        field=topic,
        found=",".join(joints),
        accepted=f"--reading command_joints={order} (judging by the motion), or {','.join(joints)} if that is wrong",
    )
