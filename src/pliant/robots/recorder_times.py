"""Timing of a recorder, estimated by a fit: actual times of its frames, and its share of the delays.

A data set that stamps frames by their number no longer has the times at which they were read, and reading and
writing share a delay. Neither belongs to the actuators:

    found = identify_robot(model, actuators, logs, fit=["*.timing.delay"])
    for _ in range(PASSES):
        found = identify_robot(model, actuators, frame_times(found, logs), fit=["*.timing.delay"])
        # If the second fit ends worse than the first at these times, repeat it from found.actuators.
    delay, actuators = without_recorder(model, found.actuators, logs_of_another_recorder)

A late frame was read late, and its command acted late. To first order, the errors e of a fit are

    e = J p + S t + noise

with p the remaining parameter error, t the lateness of the frames, and Jacobians J and S of the simulation. The
variances of each joint's noise and of t are estimated by expectation maximisation; p is free, so that no lateness is
found where a parameter explains the error.

In a fit at previously estimated times, t is still the total lateness: e is replaced by e + S t_0, with t_0 from before.
Relative to the estimated times, t would hardly change: the residual looks like noise even if those times absorbed an
error of the earlier fit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.identification.result.identification import Identification
from pliant.identification.result.known import judged
from pliant.identification.search.least_squares import slopes
from pliant.io.formats.runs import digest_of
from pliant.io.robot_log import Recordings, RobotLog
from pliant.robots.identify import evaluate_robot, robot_rig

FIRST_JITTER = 2e-3
"""[s] Standard deviation of a frame's time, where its search begins."""
LEAST_NOISE = 1e-5
"""[rad, m] Of a position, by other causes."""
ANSWER = 15
"""Frames over which a simulation responds to a late one; frames this far apart are shifted at once."""
MOVE = 1e-3
"""[s] Shift of frames to compute the response; for closer frames, a fraction of their distance."""
TOGETHER = 450
"""Number of frames solved for at once."""
OPEN_WIDTH = 12.0
"""Inverse variance of a uniform distribution over a parameter's range."""
ROUNDS = 30


@dataclass(frozen=True, eq=False)
class _Part:
    """Some frames of a log.

    Attributes:
        log: its number. error: (R,) [rad, m] of all joints. parameters, times: (R, D), (R, N) slopes of the
            simulation. joint: (R,) number of the joint of each.
    """

    log: int
    error: Floats
    parameters: Floats
    times: Floats
    joint: NDArray[np.int64]


def lateness(
    found: Identification[RobotLog], recorded: Sequence[RobotLog] | None = None
) -> list[tuple[RobotLog, Floats]]:
    """Each log of a fit, with the lateness (N,) [s] of its frames.

    Args:
        found: the fit. recorded: its logs with the times [s] from which lateness counts; else those of the fit.
    """
    logs = found.fitted.logs
    before = [np.zeros_like(log.time) for log in logs]
    if recorded is not None:
        moved = [log.time - own.time for log, own in zip(logs, recorded, strict=True)]
        # Shifting all frames of a log equally changes nothing.
        before = [late - float(np.mean(late)) for late in moved]
    parts = list(_parts(found, logs, before))
    jitter, noise = FIRST_JITTER, np.full(len(found.actuators), LEAST_NOISE)
    for k in range(len(noise)):
        noise[k] = np.sqrt(np.mean(np.concatenate([p.error[p.joint == k] for p in parts]) ** 2))
    late: list[Floats] = []
    for _ in range(ROUNDS):
        late, jitter, noise = _round(parts, jitter, noise)
    return [
        (log, np.concatenate([t for t, part in zip(late, parts, strict=True) if part.log == k]))
        for k, log in enumerate(logs)
    ]


def _parts(
    found: Identification[RobotLog], logs: Sequence[RobotLog], before: Sequence[Floats]
) -> Iterator[_Part]:
    """The fit's errors and their Jacobians, for some frames at a time, relative to the recorded times."""
    residuals = found.rig.residuals(logs, found.space)
    here = residuals(residuals.given[None])[0]
    by_number = slopes(residuals, residuals.given, here).T
    places = Recordings(logs, list(found.actuators))
    answers = _answers(found, logs, here)
    for number, log in enumerate(logs):
        blocks = [k for k, (other, _) in enumerate(places.blocks) if other is log]
        joints = [list(found.actuators).index(places.blocks[k][1]) for k in blocks]
        for begin in range(0, len(log.time), TOGETHER):
            end = min(begin + TOGETHER, len(log.time))
            rows: list[NDArray[np.int64]] = [
                np.arange(begin, end, dtype=np.int64) + places.starts[k] for k in blocks
            ]
            times = np.concatenate([_banded(answers[:, one], begin) for one in rows])
            yield _Part(
                number,
                times @ before[number][begin:end] - here[np.concatenate(rows)],
                by_number[np.concatenate(rows)],
                times,
                np.repeat(np.array(joints), end - begin),
            )


def _answers(found: Identification[RobotLog], logs: Sequence[RobotLog], here: Floats) -> Floats:
    """(ANSWER, M) slopes of the residuals, every `ANSWER`-th frame moved at once, from the first, second ... on."""
    apart = min(float(np.diff(log.time).min()) for log in logs)
    step = min(MOVE, 0.3 * apart)
    answers = np.empty((ANSWER, len(here)))
    for first in range(ANSWER):
        moved: list[RobotLog] = []
        for log in logs:
            time = log.time.copy()
            time[first::ANSWER] += step
            moved.append(replace(log, time=time))
        residuals = found.rig.residuals(moved, found.space)
        answers[first] = (residuals(residuals.given[None])[0] - here) / step
    return answers


def _banded(answers: Floats, begin: int) -> Floats:
    """(N, N) slopes of N samples by the times of their frames, from (ANSWER, N), frame `begin` the first."""
    count = answers.shape[1]
    samples, frames = np.indices((count, count))
    since = samples - frames
    slopes = answers[(begin + frames) % ANSWER, samples]
    return np.where((since >= 0) & (since < ANSWER), slopes, 0.0)


def _round(
    parts: Sequence[_Part], jitter: float, noise: Floats
) -> tuple[list[Floats], float, Floats]:
    """Alternate estimates of the frames' lateness in each part, and of jitter and noise given the lateness."""
    spreads: list[Floats] = []
    onto: list[Floats] = []
    normal: Floats = OPEN_WIDTH * np.eye(parts[0].parameters.shape[1])
    right: Floats = np.zeros(len(normal))
    for part in parts:
        weight: Floats = 1.0 / np.square(noise[part.joint][:, None])
        weighed: Floats = part.times * weight
        information: Floats = part.times.T @ weighed + np.eye(part.times.shape[1]) / jitter**2
        spread: Floats = np.linalg.inv(information).astype(np.float64)
        # The part of a column or error that the times do not explain.
        left: Floats = weight * part.parameters - weighed @ (spread @ (weighed.T @ part.parameters))
        normal, right = normal + left.T @ part.parameters, right + left.T @ part.error
        spreads.append(spread)
        onto.append(spread @ weighed.T)
    off = np.linalg.solve(normal, right)
    errors = [part.error - part.parameters @ off for part in parts]
    late = [one @ error for one, error in zip(onto, errors, strict=True)]
    squares = np.zeros((2, len(noise)))
    for part, error, t, spread in zip(parts, errors, late, spreads, strict=True):
        unsure = np.einsum("ij,jk,ik->i", part.times, spread, part.times, optimize=True)
        rest = (error - part.times @ t) ** 2 + unsure
        squares += [np.bincount(part.joint, w, len(noise)) for w in (rest, np.ones_like(rest))]
    mean = np.mean(np.concatenate([t**2 + np.diag(s) for t, s in zip(late, spreads, strict=True)]))
    return late, float(np.sqrt(mean)), np.sqrt(squares[0] / squares[1]) + LEAST_NOISE


_optimize = extra_module("scipy.optimize", "identify")

JITTER = 3e-3
"""[s] Standard deviation of a frame's time, where its search begins."""
WINDOW, DEGREE = 9, 2
"""Frames, and degree of the polynomial through them: it follows the model error; its residual may be a frame's."""
CLEAR, WORTH = 30.0, 3e-4
"""Mean evidence of logs, and standard deviation [s] of their frames, from which frames count as uneven. Even
frames of simulations, 18 s, came to a mean evidence of 8."""
SHORTEST = 1e-4
"""[s] From one frame to the next."""
LONGEST = 0.04
"""[s] Delay of a recorder, at most."""
APART, EXACT = 2.5e-3, 1e-4
"""[s] Spacing of the delays tried first, and the accuracy of the best."""
PASSES = 2
"""Fits at the times estimated by the previous fit. The second corrects times that absorbed errors of the first."""
DELAY = "timing.delay"


@dataclass(frozen=True)
class Frames:
    """Jitter of a log's frame times, from the likelihood of the errors of a fit.

    Attributes:
        log: as fitted.
        jitter: [s] standard deviation of the times. evidence: twice the gain in log-likelihood over even
            times; above 10 by chance in one of a thousand logs.
    """

    log: RobotLog
    jitter: float
    evidence: float


def frames_of(found: Identification[RobotLog]) -> list[Frames]:
    """Jitter of the frames of each log of a fit, as far as the joints' speeds determine it."""
    entries = found.fitted.entries
    signal = extra_module("scipy.signal", "identify")
    frames: list[Frames] = []
    for log in found.fitted.logs:
        mine = [entry for entry in entries if entry.log is log]
        off = np.column_stack([entry.measured - entry.simulated for entry in mine])
        line = np.column_stack([entry.simulated for entry in mine])
        rough = off - signal.savgol_filter(off, min(WINDOW, len(off)), DEGREE, axis=0)
        frames.append(_frames(log, rough, np.gradient(line, log.time, axis=0)))
    return frames


def frame_times(
    found: Identification[RobotLog], recorded: Sequence[RobotLog] | None = None
) -> list[RobotLog]:
    """Logs of a fit with the actual times of their frames, as far as the motion determines them.

    Each frame gets its most likely time, from the response of the simulation (`lateness`). Fit again at these
    times from the original start: the end of the first fit may be in a valley due to wrong times.

    Args:
        found: a fit of a robot's recordings, with its actuators and each log's nuisance parameters.
        recorded: the same logs as recorded, if `found` is already a fit at estimated times.

    Returns:
        The logs of `found`, in their order, with other times [s].
    """
    logs: list[RobotLog] = []
    late_frames = lateness(found, recorded)
    begun = [log for log, _ in late_frames] if recorded is None else recorded
    for (log, late), own in zip(late_frames, begun, strict=True):
        order = SHORTEST * np.arange(len(late))
        time = np.maximum.accumulate(own.time + late - order) + order
        time = time - time[0]
        digest = digest_of([time, log.position, log.goal, log.speed])
        logs.append(replace(log, time=time, digest=digest))
    return logs


def evenly_timed(log: RobotLog) -> bool:
    """Whether the recorded times are even, as for frames that were counted, not clocked."""
    return bool(np.ptp(np.diff(log.time)) < SHORTEST)


def uneven(frames: Sequence[Frames]) -> float | None:
    """Jitter [s] of frames about recorded times that are even; None if it is not clear.

    At least two joints are needed: with one, a late frame cannot be told from an error of the joint.
    """
    even = all(evenly_timed(one.log) for one in frames)
    jitter = float(np.median([one.jitter for one in frames]))
    evidence = float(np.mean([one.evidence for one in frames]))
    several = all(len(one.log.joints) > 1 for one in frames)
    return jitter if several and even and evidence > CLEAR and jitter > WORTH else None


def _frames(log: RobotLog, off: Floats, speed: Floats) -> Frames:
    """The most likely jitter, of (N, J) errors [rad, m] at these speeds.

    An error is noise of its joint and the frame's lateness times the speed, both normal.
    """

    def cost(logarithms: Floats) -> float:
        jitter, noise = float(np.exp(logarithms[0])), np.exp(logarithms[1:])
        error, slope = off / noise, jitter * speed / noise
        seen = (slope * slope).sum(axis=1)
        explained = (slope * error).sum(axis=1) ** 2 / (1.0 + seen)
        rest = (error * error).sum() - explained.sum() + np.log1p(seen).sum()
        return float(0.5 * rest + len(off) * np.log(noise).sum())

    even = np.log(np.sqrt((off * off).mean(axis=0)) + LEAST_NOISE)
    # The noise of a joint that never moves has no maximum of likelihood: it ends at its lower bound.
    box = [(-50.0, 0.0), *[(np.log(LEAST_NOISE), None)] * len(even)]
    best = _optimize.minimize(cost, [np.log(JITTER), *even], method="L-BFGS-B", bounds=box)
    gained = 2.0 * (cost(np.array([-50.0, *even])) - float(best.fun))
    return Frames(log, float(np.exp(best.x[0])), max(0.0, gained))


def without_recorder(
    model: Path | str,
    actuators: Mapping[str, Actuator],
    logs: Sequence[RobotLog],
    *,
    settings: ManySettings | None = None,
    replace: bool = False,
) -> tuple[float, dict[str, Actuator]]:
    """Delay [s] of the recorder that actuators were fitted to, and the actuators without it.

    Motion alone determines only the sum of the servo's and the recorder's delay. Logs of a recorder without delay, or
    one taken as such, determine the difference, which is the same in all joints.

    Args:
        model: MJCF or URDF file. actuators: joint to actuator, as fitted, each with a command delay.
        logs: of the other recorder. settings, replace: as of `evaluate_robot`.

    Raises:
        PliantError: an actuator has no delay; as `evaluate_robot`.
    """
    for joint, actuator in actuators.items():
        if DELAY not in actuator.all_numbers:
            raise PliantError(
                "has no command delay", field=joint, accepted="the law command_delay for timing"
            )

    rig = robot_rig(model, actuators, logs, settings=settings, replace=replace)
    calibrated = judged(rig, logs, recorder_by=None).logs

    def error(delay: float) -> float:
        return evaluate_robot(
            model,
            _earlier(actuators, delay),
            calibrated,
            settings=settings,
            replace=replace,
            zero_by=None,
            recorder_by=None,
        ).mae

    longest = min(LONGEST, *(actuator.value(DELAY) for actuator in actuators.values()))
    tried = APART * np.arange(1 + int(longest / APART))  # only 0 if a joint has no delay
    best = float(tried[int(np.argmin([error(delay) for delay in tried]))])
    ends = max(0.0, best - APART), min(longest, best + APART)
    found = _optimize.minimize_scalar(
        error, bounds=ends, method="bounded", options={"xatol": EXACT}
    )
    delay = float(found.x) if found.fun < error(0.0) else 0.0
    return delay, _earlier(actuators, delay)


def _earlier(actuators: Mapping[str, Actuator], by: float) -> dict[str, Actuator]:
    """Actuators whose command delays are shorter [s]."""
    return {
        joint: actuator.with_values(
            {DELAY: actuator.value(DELAY) - by},
            "the fit, without its recorder's delay",
            "identified",
        )
        for joint, actuator in actuators.items()
    }
