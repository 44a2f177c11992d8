"""Recorded "commands" that are none: the joint's own later position, steps added to it, speeds."""

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
"""[rad] No joint goes that far."""
LATER = (0, 1, -1, 2, 3, 4, 5)
"""[samples] By which the positions that are looked at are later."""
ROUNDED = 0.05
"""[steps of the encoder] By which the two may differ: one of them was rounded again."""
UNEQUAL = 0.01
"""Distance from 1 of the sum of the weights of a mean of rounded positions."""
EQUAL = 0.7
"""Share of the samples in motion that are equal to such a position."""
FEWEST = 20
"""Such samples, at least."""
MOVED = 0.05
"""[rad, m] A joint that moves less does not show what it is told."""
REVERSALS = 3
"""Passages through its middle, below which a joint shows less well whether it follows a place or a speed."""
SMOOTH = 0.1
"""[s] Over which both are averaged: the speed of a coarse encoder is noise."""
LONGEST = 0.5
"""[s] Lags that are looked for."""
ALIKE = 0.8
"""Least correlation with the speed of what are no positions."""
CLEARLY = 0.4
"""Part of the variance that a position leaves, which the speed may leave at most; of a short motion a
twentieth of it."""
FAR = 0.3
"""[rad, m] Commands, at least, that a joint ought to follow, and motion in which it shows that it does."""
MOST_TOLD = 10.0
"""Span of its commands over that of a joint's motion, from which on it shows so too: 91 recorded joints have 1.4 at most."""
UNFOLLOWED, SUSPECT = 0.45, 0.15
"""Part of its variance that is left, from which on a joint does not follow its commands: of itself, and where
those of another joint are none. Of 45 recorded motions one leaves 0.37, the others 0.13 at most."""
OFF, STEADY = 0.5, 0.25
"""[rad, m] Distance from its commands that is told, and the spread of it, as a part of it, at most."""
DRIFT, EVENLY = 0.2, 0.4
"""[rad, m] Drift from its commands that is told, and by how much a quarter of it may differ, as a part of it.
Of 150 recorded motions none drifts further as evenly; weak servos that are raised and lowered come to 0.27."""
FINEST = 1e-3
"""[s] Step, at least, at which lags are looked for."""
LONG = 20_000
"""Samples of the middle that are compared with the speed."""
MOST = 2000
"""Samples that are compared."""
SCALES, EXPLAINED = (0.8, 1.2), 0.985
"""Parts of its commands beyond which a joint that follows their shape is looked at, and the least correlation of
one that goes farther. Of 150 recorded motions the part is 0.3, weakly held in gravity, to 1.04."""
PROPORTIONAL = 0.05
"""Part of what a joint lacks of its commands, up to which that is proportional to them; a load is a sine, and friction
has a sign. Of 150 recorded motions, at 0.2 to 0.8 of their commands, it is 0.063 at least."""
OTHER_STEPS = 0.1
"""By which the steps of an encoder differ from those of the other joints' (logarithm)."""
WHITE = 0.6
"""Part of a joint's errors that are to the side of the one before, below which they are noise: what follows has a
time constant of a sample or more. Of 150 recorded motions it is 0.82 at least."""
DEAD, MORE, RISES = 0.1, 1.25, 1.5
"""[s] Dead time of a bus; by how many times more such leaves of the motion than the best, at least, and by how many times
more is left so much beyond the best. Of 150 recorded motions none has both: 1.2 with 2.1, and 1.5 with 1.4."""
ANSWER, FINE = 0.05, 0.005
"""[s] Over which a joint moves in answer to its command, and step of the times that are looked at."""
FOLLOWED = (0.3, 1.5)
"""Part of a position command that a joint goes, weakly held or overshooting."""


def no_commands(log: RobotLog) -> list[Finding]:
    """A word on each joint whose "commands" are none: they cannot be followed, or fitted to."""
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
    """A word on each joint that moves, and not as it is told: nothing says what its goals are then.

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
    """A joint on a bench that does not move as it is told, by more than its load may do."""
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
    """Kind and words of how joint k does not move as it is told."""
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
                f"drifts by {drift:+.2f} rad from its command, evenly from begin to end: an encoder that loses "
                "counts, or a coupling that slips"
            ),
        )
    elif is_far and not is_loaded and (off := _stands_off(told, place)):
        yield (
            "zero",
            (
                f"stands {off:+.2f} rad from its command, steadily, in a third of the time or more: "
                "an encoder that slipped, another zero, or something that holds it"
            ),
        )
    elif (scale := _scale(told, place, finer)) != 1.0:
        yield (
            "goal-unit",
            (
                f"moves {scale:.3g} times as far as its command: another unit, a gear between them, or a load that "
                "drives it on or holds it back"
            ),
        )
    elif is_loaded:
        return
    elif other := _followed(log, k, left):
        yield "order", f"does not follow its commands but those of {other}: are the names right?"
    elif left > limit:
        yield (
            "order",
            (
                f"does not follow its commands: they leave {100 * min(left, 1.0):.0f} % of its motion. Are they of "
                "another joint, in another unit, or no positions?"
            ),
        )


def _followed(log: RobotLog, k: int, left: float) -> str | None:
    """The joint whose commands joint k follows, and by far not its own, which leave `left` of its variance."""
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
        ]  # else what stands there was not told
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
    """Whether the distances of commands from positions are less than a step of the motion, and white."""
    pairs = moving[1:] & moving[:-1]
    before, here, step = off[:-1][pairs], off[1:][pairs], np.diff(place)[pairs]
    if len(here) < FEWEST or np.median(np.abs(here)) > np.median(np.abs(step)):
        return False
    return float(np.mean(before * here > 0.0)) < WHITE


def _mean_of_readings(line: Floats, goal: Floats, close: float) -> bool:
    """Whether goals are one weighted mean of the readings around them, finer than their steps: no command is."""
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
    """Whether commands go with the speed, whatever the position."""
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
    """Part of the variance of a position that such commands leave."""
    told, place = told - told.mean(), place - place.mean()
    gain = float(np.dot(told, place)) / max(float(np.dot(told, told)), 1e-300)
    rest = place - min(max(gain, FOLLOWED[0]), FOLLOWED[1]) * told
    return float(np.dot(rest, rest)) / max(float(np.dot(place, place)), 1e-300)


def _scale(told: Floats, place: Floats, finer: float) -> float:
    """Part of its commands that a joint moves, where no load or friction leaves it so; else 1.

    Args:
        told, place: (N,) [rad, m]. finer: steps of its encoder, in those of the others'.
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
    """Steps of joint k's encoder, as a part of the other joints'; 1 where there are none."""
    own, others = steps[k], [one for n, one in enumerate(steps) if n != k and one is not None]
    return own / float(np.median(others)) if own is not None and others else 1.0


def left_by(time: Floats, line: Floats, goal: Floats) -> float:
    """Part of the variance of a position that such commands leave, at the lag at which they leave least."""
    return _left(*aligned(time, line, goal)[:2])


def _stands_off(told: Floats, place: Floats) -> float:
    """[rad, m] By which a position is off its commands in the worst third of the time, steadily; else 0."""
    worst = 0.0
    for off in np.array_split(place - told, 3):
        low, middle, high = map(float, np.quantile(off, (0.25, 0.5, 0.75)))
        if high - low < STEADY * abs(middle) and abs(middle) > abs(worst):
            worst = middle
    return worst if abs(worst) > OFF else 0.0


def _drifts(told: Floats, place: Floats) -> float:
    """[rad, m] By which a position leaves its commands over a recording, alike in each quarter; else 0."""
    along = np.linspace(-0.5, 0.5, len(told))
    known = np.column_stack([told, along, np.ones_like(told)])
    gain, drift, _ = map(float, np.linalg.lstsq(known, place, rcond=None)[0])
    middles = [np.median(part) for part in np.array_split(place - gain * told, 4)]
    is_even = np.abs(4.0 * np.diff(middles) - drift).max() < EVENLY * abs(drift)
    return drift if is_even else 0.0


def aligned(
    time: Floats, line: Floats, goal: Floats, most: int = MOST
) -> tuple[Floats, Floats, float]:
    """Commands and the positions that follow them, at the lag at which they leave least, and that lag [s]."""
    step = max(float(np.median(np.diff(time))), float(time[-1] - time[0]) / most)
    grid = np.arange(time[0], time[-1], step)
    told, place = np.interp(grid, time, goal), np.interp(grid, time, line)
    lags = range(min(round(LONGEST / step), len(grid) // 4) + 1)
    pairs = [(told[: len(told) - lag], place[lag:], lag * step) for lag in lags]
    return min(pairs, key=lambda pair: _left(*pair[:2]))


def lag_of(time: Floats, line: Floats, goal: Floats) -> float:
    """[s] by which a position follows its commands best, below 0 if clearly before."""
    late, early = aligned(time, line, goal, LONG), aligned(time, goal, line, LONG)
    is_before = _left(*early[:2]) < min(CLEARLY * _left(*late[:2]), SURELY)
    return -early[2] if is_before else late[2]


def dead_time(time: Floats, line: Floats, goal: Floats) -> float:
    """[s] After which a joint begins to answer its commands, if that is clearly longer than a bus takes; else 0.

    Least squares of the motion that follows on the command of some time ago, the position, the motion so far
    and its direction: a servo with friction under a load. What a joint was told after it moved cannot have moved it: beyond
    the dead time much more is left. Where friction or weak gains make it late, it is not.
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
"""Part of what a joint's own commands leave, which those of another leave at most where they are its own."""
MOST_JOINTS = 64
"""Joints that are compared: the effort is the square of it."""
SURELY = 0.3
"""Part of the variance left by the order assumed, which another leaves at most where it is the right one."""
UNLIKE = 0.05
"""Part of a joint's variance that its own commands leave, at least, to be doubted."""


def check_order(
    topic: str, joints: Sequence[str], time: Floats, position: Floats, goal: Floats
) -> None:
    """Refuse commands whose order, by the motion, is another than that of the positions.

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
        return  # two joints follow one command best: no order does
    changed = [k for k, other in enumerate(meant) if other != k]
    clear = all(left[k, k] > UNLIKE and left[k, meant[k]] < SURELY * left[k, k] for k in changed)
    if not changed or not clear:
        return
    order = ",".join(joints[meant.index(k)] for k in range(len(joints)))
    raise PliantError(
        "has no names, and by the motion its numbers are not in the order of the positions",
        field=topic,
        found=",".join(joints),
        accepted=f"--reading command_joints={order} (as the motion has it), or {','.join(joints)} if that is wrong",
    )
