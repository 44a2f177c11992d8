"""Iterative learning: trial, error, update, until the error is within its band.

1. run the input
2. error = reference - output
3. stop, if the largest error of every output is below the band
4. input of the next trial by the update, a function of the last input and error

    P             u' = u + gamma(n) e
    PD            u' = u + gamma(n) (k_p e + k_d de/dt)
    norm-optimal  u' = argmin |e'|_Q^2 + |u'|_R^2 + |u' - u|_S^2  with  e' = e - G (u' - u)

n counts the trials from 1; gamma(n) = decay^n. Inputs and errors are (T, m).

Left out: filters of the error other than the shift, constraints on the input.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module


def lifted(impulse: Floats) -> Floats:
    """(m, T, T) lifted model from the (T, m) responses of each joint to an impulse of its own input.

    Row k of y corresponds to row k of u: impulse[0] is the effect of an input on the output in the
    same row. If a trial settles on its first input before it starts, the first row has a larger effect
    than the model says; do not change it, or start trials at rest.
    """
    return np.stack([_linalg.toeplitz(h, np.zeros(len(h))) for h in impulse.T])


def impulse_response(
    trial: Callable[[Floats], Floats], first: Floats, amplitude: float = 0.05
) -> Floats:
    """(T, m) Responses to unit impulses [output/input], from a step of `amplitude` added to the first row of `first`.

    All joints get the step at once: coupling between joints is assumed to be small.

    Args:
        trial: runs (1, T, m) inputs.
        first: (T, m) inputs; the first row, held throughout, is the operating point.
        amplitude: of the step, in the input's unit.
    """
    rest = np.repeat(first[:1], len(first), axis=0)
    step = rest.copy()
    step[1:] += amplitude
    answer = (trial(step[None])[0] - trial(rest[None])[0]) / amplitude
    # The step begins in row 1, so that a trial that first settles starts from the same rest.
    return np.diff(answer, axis=0, append=answer[-1:])


_linalg = extra_module("scipy.linalg", "identify")


class Update(Protocol):
    """A learning law: computes the next trial's input from those so far."""

    def next(self, n: int, u: Floats, e: Floats) -> Floats:
        """The (T, m) input of trial n.

        Args:
            n: number of the trial, from 1.
            u, e: (T, m) input and error of the trial before, each in its own unit.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Proportional:
    """u' = u + gain decay^n e, with the error `lead` samples later.

    Attributes:
        gain: [input/output]. decay: of the gain from trial to trial [1], 1 for none; the published
            0.5 exp(-n/10) is gain 0.5 and decay exp(-0.1).
        lead: samples that the plant needs to respond.
    """

    gain: float
    decay: float = 1.0
    lead: int = 0

    def next(self, n: int, u: Floats, e: Floats) -> Floats:
        """See `Update`."""
        return u + self.gain * self.decay**n * shifted(e, self.lead)


@dataclass(frozen=True, kw_only=True)
class ProportionalDerivative:
    """u' = u + decay^n (gain e + rate_gain de/dt), with the error `lead` samples later.

    Attributes:
        gain: [input/output]. rate_gain: [s input/output]. period: [s] between samples.
        decay, lead: as for `Proportional` [1].
    """

    gain: float
    rate_gain: float
    period: float
    decay: float = 1.0
    lead: int = 0

    def next(self, n: int, u: Floats, e: Floats) -> Floats:
        """See `Update`."""
        later = shifted(e, self.lead)
        rate = np.gradient(later, self.period, axis=0)
        return u + self.decay**n * (self.gain * later + self.rate_gain * rate)


@dataclass(frozen=True, eq=False, kw_only=True)
class NormOptimal:
    """Norm-optimal update: the best next input according to a model of the plant, for each joint separately.

    Attributes:
        plant: (m, T, T) lifted model G of each joint [output/input]: y = y_0 + G u; see `lifted`.
        error: weight Q of the error [1/output^2]. input: weight R of the input [1/input^2].
        change: weight S of its change [1/input^2].

    Raises:
        PliantError: a weight is negative, or they leave the input undetermined.
    """

    plant: Floats
    error: float = 1.0
    input: float = 0.0
    change: float = 0.0
    _factors: list[tuple[Floats, bool]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if min(self.error, self.input, self.change) < 0.0:
            raise PliantError("a weight is negative", accepted="0 or more")
        ridge = (self.input + self.change) * np.eye(self.plant.shape[1])
        try:
            factors = [_linalg.cho_factor(self.error * G.T @ G + ridge) for G in self.plant]
        except np.linalg.LinAlgError:
            raise PliantError(
                "the weights leave the input undetermined",
                field="input, change",
                found=(self.input, self.change),
                accepted="at least one above 0",
            ) from None
        object.__setattr__(self, "_factors", factors)

    def next(self, n: int, u: Floats, e: Floats) -> Floats:
        """See `Update`."""
        better = u.copy()
        for k, (G, factor) in enumerate(zip(self.plant, self._factors, strict=True)):
            pull = self.error * G.T @ e[:, k] - self.input * u[:, k]
            better[:, k] += _linalg.cho_solve(factor, pull)
        return better


def shifted(e: Floats, lead: int) -> Floats:
    """Shift by `lead`: row k of the result is row k + lead of the input; the last row repeats."""
    return e[np.minimum(np.arange(len(e)) + lead, len(e) - 1)]


@dataclass(frozen=True, kw_only=True)
class LearningSettings:
    """Stopping rule: the number of trials, and the tolerated error.

    Attributes:
        iterations: largest number of trials.
        band: [rad, m] learning stops when no output's error exceeds it; None: never.
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
        PliantError: shapes do not match, or a trial returned numbers that are not finite.
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
    """Like `learn`, for V variations of the robot that run at once and learn separately.

    Args:
        trial: runs (V, T, m) inputs. reference, first: (V, T, m), or (1, T, m) for all; in the
            units of output and input.
        update: of each input from trial to trial. settings: when to stop.

    Raises:
        PliantError: shapes do not match, or a trial returned numbers that are not finite.
    """
    settings = settings or LearningSettings()
    inputs = np.array(reference if first is None else first, dtype=float)
    if inputs.ndim != 3 or inputs.shape[1:] != reference.shape[1:]:
        raise PliantError(
            "needs one input for each output of the reference",
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
            "the trial returned numbers that are not finite",
            field=f"trial {n}",
            accepted="a smaller gain, or a shorter timestep",
        )
