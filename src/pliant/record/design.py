"""Choice of runs by their information about parameters: a design that settles what is open and loses nothing.

A design says how often each candidate run is made. It is judged by the variances v_i of the parameters, against
those of a reference, some of the candidates in turn, for the same time:

    gain of parameter i    g_i = log v_i(reference) / v_i(design)
    what is still open     o_i = max(0, log v_i(design) / v_i(settled)) / 2
    score                  soft minimum of g, less the sum of o, less `LOSS` times the largest loss, max(0, -g_i)

as in standardised maximin design (Dette 1997), in the mean over several guesses of the parameters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats

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
        """Candidates of a design, one after the other: first what is best alone."""
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
