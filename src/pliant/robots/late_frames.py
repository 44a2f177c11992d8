"""Lateness of the frames of a data set, by how a fitted robot answers to the time of each.

A frame that came late was read late, and its command acted late. To first order the errors e of a fit are

    e = J p + S t + noise

with p what the parameters are still off by, t the lateness of the frames, and slopes J and S of the simulation. The
variances of the noise of each joint and of t are found by expectation-maximisation; p is free, so that no lateness is
found where a parameter explains it.

Of a fit at times that were found before, t is still the whole lateness: e + S t_0 stands for e, with t_0 from before. Counted
from the found times on, it would hardly move: what they leave looks like noise, also where they stand for an error of the fit before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.identification.result.identification import Identification
from pliant.identification.uncertainty.draws import Chart, finite, sensitivity
from pliant.io.recordings import Recordings
from pliant.io.robot_log import RobotLog

JITTER = 2e-3
"""[s] Standard deviation of a frame's time, where its search begins."""
LEAST_NOISE = 1e-5
"""[rad, m] Of a position, by other causes."""
ANSWER = 15
"""Frames that a simulation answers to one that came late; so many apart, frames are moved at once."""
MOVE = 1e-3
"""[s] By which frames are moved, to see the answer; of closer frames, a part of their distance."""
TOGETHER = 450
"""Frames that are solved for at once."""
OPEN_WIDTH = 12.0
"""Inverse variance of a parameter that may be anywhere in its range."""
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
    """Each log of a fit with the (N,) lateness [s] of its frames.

    Args:
        found: the fit. recorded: its logs with the times [s] from which lateness counts; else those of the fit.
    """
    logs = list(dict.fromkeys(entry.log for entry in found.fitted.entries))
    before = [np.zeros_like(log.time) for log in logs]
    if recorded is not None:
        moved = [log.time - own.time for log, own in zip(logs, recorded, strict=True)]
        # All frames of a log moved alike change nothing.
        before = [late - float(np.mean(late)) for late in moved]
    parts = list(_parts(found, logs, before))
    jitter, noise = JITTER, np.full(len(found.actuators), LEAST_NOISE)
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
    """The fit's errors and their slopes, of so many frames at a time, as if frames had not been moved before."""
    residuals, chart = found.rig.residuals(logs, found.space), Chart(found.space)
    near = sensitivity(residuals, chart.from_cube(residuals.given), chart)
    places = Recordings(logs, list(found.actuators))
    answers = _answers(found, logs, near.residual)
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
                times @ before[number][begin:end] - near.residual[np.concatenate(rows)],
                near.jacobian[np.concatenate(rows)],
                times,
                np.repeat(np.array(joints), end - begin),
            )


def _answers(found: Identification[RobotLog], logs: Sequence[RobotLog], here: Floats) -> Floats:
    """(ANSWER, M) slopes of the residuals, every `ANSWER`-th frame moved at once, from the first, second ... on."""
    apart = min(float(np.diff(log.time).min()) for log in logs)
    step = min(MOVE, 0.3 * apart)
    slopes = np.empty((ANSWER, len(here)))
    for first in range(ANSWER):
        moved: list[RobotLog] = []
        for log in logs:
            time = log.time.copy()
            time[first::ANSWER] += step
            moved.append(replace(log, time=time))
        residuals = found.rig.residuals(moved, found.space)
        slopes[first] = (finite(residuals(residuals.given[None]))[0] - here) / step
    return slopes


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
    """Lateness of the frames of each part, then the jitter and the noise that are most likely with it."""
    spreads: list[Floats] = []
    onto: list[Floats] = []
    normal: Floats = OPEN_WIDTH * np.eye(parts[0].parameters.shape[1])
    right: Floats = np.zeros(len(normal))
    for part in parts:
        weight: Floats = 1.0 / np.square(noise[part.joint][:, None])
        weighed: Floats = part.times * weight
        information: Floats = part.times.T @ weighed + np.eye(part.times.shape[1]) / jitter**2
        spread: Floats = np.linalg.inv(information).astype(np.float64)
        # What the times do not explain of a column or error.
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
