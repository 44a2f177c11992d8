"""Standard motions for the identification of a servo, and the choice of runs by their information about parameters.

A design says how often each candidate run is made. It is judged by the variances v_i of the parameters, against
those of a reference, some of the candidates in turn, for the same time:

    gain of parameter i    g_i = log v_i(reference) / v_i(design)
    remaining uncertainty  o_i = max(0, log v_i(design) / v_i(settled)) / 2
    score                  soft minimum of g, minus the sum of o, minus `LOSS` times the largest loss, max(0, -g_i)

as in standardised maximin design (Dette 1997), in the mean over several guesses of the parameters.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import cos, floor, pi, sin

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError

Course = Callable[[float, float], float]
"""Goal as a share of the range (-1 to 1), from the time [s] and the length [s]."""


@dataclass(frozen=True)
class Motion:
    """One motion of the standard set.

    Attributes:
        name, purpose: for people. course: of the goals. seconds: usual length.
        off_from: share of its length after which torque is off; 1 for never.
    """

    name: str
    purpose: str
    course: Course
    seconds: float
    off_from: float = 1.0

    def goal(self, t: float, reach: float) -> float:
        """[rad] at `t` [s], within ± `reach` [rad]."""
        return reach * self.course(t, self.seconds)

    def enabled(self, t: float) -> bool:
        """Whether torque is on at `t` [s]."""
        return t < self.off_from * self.seconds


def _reversals(t: float, length: float) -> float:
    """Triangles, one slower than the other."""
    phase = 2.0 * t / length
    return _triangle(phase if phase < 1.0 else 3.0 * (phase - 1.0))


def _triangle(phase: float) -> float:
    part = (phase + 0.25) % 1.0
    return 4.0 * part - 1.0 if part < 0.5 else 3.0 - 4.0 * part


def _dwell(t: float, length: float) -> float:
    """Small steps with rests between them, up and back."""
    steps = 12
    k = floor(steps * t / length)
    return 2.0 * min(k, steps - k) / steps * (1.0 if k % 2 else 0.9)


def _fast(t: float, length: float) -> float:
    """Sine that grows in frequency from 0.5 to 4 Hz and shrinks in reach."""
    rate = 3.5 / length
    return (1.0 - 0.6 * t / length) * sin(2.0 * pi * (0.5 * t + 0.5 * rate * t * t))


def _small(t: float, length: float) -> float:
    """Small reversals about four places."""
    place = (-0.6, -0.2, 0.3, 0.7)[min(3, int(4.0 * t / length))]
    return place + 0.04 * _triangle(1.5 * t)


def _full(t: float, length: float) -> float:
    """Steps from end to end: the drive saturates."""
    return 1.0 if int(t / 0.8) % 2 else -1.0


def _lifted(t: float, length: float) -> float:
    """Up slowly, to be let go."""
    return 0.5 - 0.5 * cos(pi * min(1.0, 2.5 * t / length))


MOTIONS: Mapping[str, Motion] = {
    one.name: one
    for one in (
        Motion("slow", "friction, its load dependence, the zero", _reversals, 16.0),
        Motion("dwell", "breakaway, stiffness of the controller", _dwell, 12.0),
        Motion("fast", "rotor inertia, viscous friction, delay", _fast, 8.0),
        Motion("small", "micro-friction, backlash, rotor inertia", _small, 8.0),
        Motion("full", "stall torque, resistance, back-EMF, the limiter", _full, 8.0),
        Motion("drop", "unpowered friction, inertia of the load", _lifted, 6.0, 0.5),
    )
}
"""The standard set, in the order in which it is recorded; `slow` again at its end shows repeatability."""


def _sin_sin(t: float, length: float) -> float:
    return (0.5 * pi * sin(t) + 0.5 * sin(5.0 * t) * sin(2.0 * t)) / _WIDEST


def _sin_time_square(t: float, length: float) -> float:
    return sin(t * t) / _WIDEST


def _up_and_down(t: float, length: float) -> float:
    """Up in half the time, then down by a fifth of it."""
    phase = 2.0 * t / length
    part = _eased(phase) if phase < 1.0 else 1.0 - 0.2 * _eased(phase - 1.0)
    return 0.5 * pi * part / _WIDEST


def _lift_and_drop(t: float, length: float) -> float:
    return -0.5 * pi * _eased(min(1.0, 3.0 * t / length)) / _WIDEST


def _eased(part: float) -> float:
    return part * part * (3.0 - 2.0 * part)


_WIDEST = 1.76
"""[rad] Largest goal of the four published trajectories, which becomes the range."""
USUAL: Mapping[str, Motion] = {
    one.name: one
    for one in (
        Motion("sin_sin", "slow plus fast oscillation", _sin_sin, 6.0),
        Motion("sin_time_square", "rising frequency", _sin_time_square, 6.0),
        Motion("up_and_down", "raise, then lower slowly", _up_and_down, 6.0),
        Motion("lift_and_drop", "lift, then torque off", _lift_and_drop, 6.0, 1.0 / 3.0),
    )
}
"""The four trajectories of the published recordings (Rhoban's bam), in proportion."""


def sine(frequency: float, part: float, seconds: float) -> Motion:
    """A sine of `frequency` [Hz] over a part (0 to 1) of the range; its name is `sine:2:0.3`."""

    def course(t: float, length: float) -> float:
        return part * sin(2.0 * pi * frequency * t)

    return Motion(
        f"sine:{frequency:g}:{part:g}", "chosen for the remaining uncertainty", course, seconds
    )


def motion(name: str) -> Motion:
    """A motion by its name, `slow` or `sine:2:0.3`.

    Raises:
        PliantError: there is none of this name.
    """
    words = name.split(":")
    if words[0] == "sine" and len(words) == 3:
        try:
            frequency, part = float(words[1]), float(words[2])
        except ValueError:
            frequency = part = -1.0
        if not (0.0 < frequency <= 20.0 and 0.0 < part <= 1.0):
            accepted = "sine:HZ:PART, up to 20 Hz, and a part of the range up to 1"
            raise PliantError("no such motion", found=name, accepted=accepted)
        return sine(frequency, part, 8.0)
    if name not in (every := {**MOTIONS, **USUAL}):
        raise PliantError("no such motion", found=name, accepted=[*every, "sine:HZ:PART"])
    return every[name]


Counts = NDArray[np.int64]
"""(C,) times that each candidate is made."""

SHARPNESS = 3.0
"""Exponent of the soft minimum: at 0 it is the mean of the gains, at infinity the least."""
LOSS = 10.0
"""Weight of the largest loss."""


@dataclass(frozen=True)
class Choice:
    """Candidates to choose from.

    Attributes:
        rates: (W, C, D, D) information of each candidate [1/s], for each of W guesses of the parameters.
        known: (D, D) information before. settled: (D,) variances below which parameters count as known.
        seconds: (C,) length of each candidate.
        reference: (C,) times that the reference makes each. cost: (C,) what each takes of `budget`.
    """

    rates: Floats
    known: Floats
    settled: Floats
    seconds: Floats
    reference: Counts
    cost: Floats
    budget: float

    def gains(self, designs: Counts) -> Floats:
        """(W, N, D) gains g of (N, C) designs."""
        return self._judged(designs)[0]

    def scores(self, designs: Counts) -> Floats:
        """(N,) scores of (N, C) designs; see the module."""
        gains, still_open = self._judged(designs)
        soft = -np.log(np.exp(-SHARPNESS * gains).mean(axis=2)).mean(axis=0) / SHARPNESS
        loss = np.maximum(0.0, -gains.min(axis=(0, 2)))
        return soft - still_open.sum(axis=2).mean(axis=0) - LOSS * loss

    def _judged(self, designs: Counts) -> tuple[Floats, Floats]:
        """(W, N, D) g and o."""
        time = self.seconds * designs
        usual = self.seconds * self.reference
        mean = np.tensordot(self.rates, usual / usual.sum(), (1, 0))
        ours = _log_variances(self.known + np.einsum("nc,wcde->wnde", time, self.rates))
        theirs = self.known + time.sum(axis=1)[:, None, None] * mean[:, None]
        return _log_variances(theirs) - ours, 0.5 * np.maximum(0.0, ours - np.log(self.settled))

    def best(self) -> Counts:
        """The best design that exchanges find: of one or two runs, until none is better."""
        return max((self._exchanged(start) for start in self._starts()), key=self._score)

    def order(self, design: Counts) -> list[int]:
        """Candidates of a design, one after the other, starting with the best alone."""
        taken, left, order = np.zeros_like(design), design.copy(), list[int]()
        while left.any():
            each = _one_more(taken, np.flatnonzero(left))
            k = int(np.flatnonzero(left)[int(np.argmax(self.scores(each)))])
            taken[k], left[k] = taken[k] + 1, left[k] - 1
            order.append(k)
        return order

    def _score(self, design: Counts) -> float:
        return float(self.scores(design[None])[0])

    def _starts(self) -> Iterator[Counts]:
        """The reference as often as it fits, then what each parameter would choose for itself."""
        whole = int(self.budget // (self.reference @ self.cost))
        yield self._filled(whole * self.reference)
        once = np.eye(len(self.cost), dtype=np.int64)
        alone = self.gains(once[self.cost <= self.budget]).mean(axis=0)
        for k in dict.fromkeys(np.argmax(alone, axis=0).tolist()):
            yield self._filled(once[self.cost <= self.budget][k])

    def _filled(self, design: Counts) -> Counts:
        """A design with the best runs added, until no other fits."""
        while len(more := self._fitting(design)):
            each = _one_more(design, more)
            design = each[int(np.argmax(self.scores(each)))]
        return design

    def _fitting(self, design: Counts) -> Counts:
        left = self.budget - design @ self.cost
        return np.flatnonzero(self.cost <= left + 1e-9)

    def _exchanged(self, design: Counts) -> Counts:
        score = self._score(design)
        while True:
            others = [self._filled(rest) for rest in _without(design)]
            scores = self.scores(np.array(others))
            k = int(np.argmax(scores))
            if scores[k] <= score + 1e-9:
                return design
            design, score = others[k], float(scores[k])


def _log_variances(information: Floats) -> Floats:
    """(..., D) logarithms of the variances."""
    return np.log(np.diagonal(np.linalg.inv(information), axis1=-2, axis2=-1))


def _one_more(design: Counts, of: Counts) -> Counts:
    """(N, C) the design with one more of each of N candidates."""
    each = np.repeat(design[None], len(of), axis=0)
    each[np.arange(len(of)), of] += 1
    return each


def _without(design: Counts) -> list[Counts]:
    """The design without one run, and without two."""
    runs: Sequence[int] = np.repeat(np.arange(len(design)), design).tolist()
    out = {*((k,) for k in runs), *combinations(runs, 2)}
    return [design - np.bincount(gone, minlength=len(design)) for gone in sorted(out)]
