"""The learning itself: trial, error, update, until the error is within its band.

1. run the input
2. error = reference - output
3. stop, if the largest error of every output is below the band
4. input of the next trial by the update
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.learn.update import Update

__all__ = ["Iteration", "Learned", "LearningSettings", "learn", "learn_many"]


@dataclass(frozen=True, kw_only=True)
class LearningSettings:
    """End of learning: most trials, and the error that is good enough.

    Attributes:
        iterations: trials at most.
        band: [rad, m] the learning ends when no output errs by more; None: never.
    """

    iterations: int = 30
    band: float | None = None


@dataclass(frozen=True, eq=False)
class Iteration:
    """One trial.

    Attributes:
        number: from 0. input, output, error: (T, m), in the units of `trial`.
    """

    number: int
    input: Floats
    output: Floats
    error: Floats

    @property
    def largest(self) -> Floats:
        """(m,) Largest absolute error of each output."""
        return np.abs(self.error).max(axis=0)

    @property
    def rms(self) -> Floats:
        """(m,) Root mean square error of each output."""
        return np.sqrt((self.error**2).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Learned:
    """All trials of a learning run.

    Attributes:
        iterations: every trial, in order.
    """

    iterations: tuple[Iteration, ...]
    converged: bool
    """Whether the last trial is within the band."""

    @property
    def input(self) -> Floats:
        """(T, m) Input of the last trial."""
        return self.iterations[-1].input


def learn(
    trial: Callable[[Floats], Floats],
    reference: Floats,
    update: Update,
    *,
    first: Floats | None = None,
    settings: LearningSettings | None = None,
) -> Learned:
    """Learn the input that makes the output follow `reference`.

    Args:
        trial: runs (1, T, m) inputs, returns (1, T, m) outputs; each in its own unit.
        reference: (T, m) wanted outputs.
        update: of the input from trial to trial.
        first: (T, m) input of the first trial; the reference if None.
        settings: when to stop.

    Raises:
        PliantError: shapes do not fit, or a trial gave numbers that are not finite.
    """
    begin = None if first is None else first[None]
    return learn_many(trial, reference[None], update, first=begin, settings=settings)[0]


def learn_many(
    trial: Callable[[Floats], Floats],
    reference: Floats,
    update: Update,
    *,
    first: Floats | None = None,
    settings: LearningSettings | None = None,
) -> list[Learned]:
    """As `learn`, for V variations of the robot that run at once and learn each for itself.

    Args:
        trial: runs (V, T, m) inputs. reference, first: (V, T, m), or (1, T, m) for all; in the
            units of output and input.
        update: of each input from trial to trial. settings: when to stop.

    Raises:
        PliantError: shapes do not fit, or a trial gave numbers that are not finite.
    """
    settings = settings or LearningSettings()
    inputs = np.array(reference if first is None else first, dtype=float)
    if inputs.ndim != 3 or inputs.shape[1:] != reference.shape[1:]:
        raise PliantError(
            "one input for each output of the reference is needed",
            field="first",
            found=inputs.shape,
            accepted=str(reference.shape),
        )
    histories: list[list[Iteration]] = [[] for _ in inputs]
    done = np.zeros(len(inputs), dtype=bool)
    for n in range(settings.iterations):
        outputs = trial(inputs)
        _check(outputs, inputs, n)
        errors = reference - outputs
        for k in np.flatnonzero(~done):
            histories[k].append(Iteration(n, inputs[k].copy(), outputs[k].copy(), errors[k].copy()))
            done[k] = settings.band is not None and np.abs(errors[k]).max() < settings.band
        if done.all():
            break
        for k in np.flatnonzero(~done):
            inputs[k] = update.next(n + 1, inputs[k], errors[k])
    return [Learned(tuple(h), bool(d)) for h, d in zip(histories, done, strict=True)]


def _check(outputs: Floats, inputs: Floats, n: int) -> None:
    if outputs.shape != inputs.shape:
        raise PliantError(
            "the trial must return one output for each input",
            field=f"trial {n}",
            found=outputs.shape,
            accepted=str(inputs.shape),
        )
    if not np.isfinite(outputs).all():
        raise PliantError(
            "the trial gave numbers that are not finite",
            field=f"trial {n}",
            accepted="a smaller gain, or a shorter timestep",
        )
