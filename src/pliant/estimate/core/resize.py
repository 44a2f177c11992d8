"""Sizes of the springs after a change, from what was learned before it and from the samples since.

What was known before a change, R x = z, holds for the old springs. With parts a and b of them left, the
new springs x have

    R x' = z,   x' = x with the terms of each spring divided by its part

so that the parts and x are found together, by least squares over the old equations and the new (Gauss and
Newton, where the parts are linear unknowns of the old equations). How the torque was shared between
two springs may have been badly known: a part found for springs that were held fixed is then wrong, and what
is multiplied by it is wrong and sure of itself. The parts are therefore found again as samples come.
"""

from math import sqrt

from pliant.arrays import Matrix, Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.basis import rotate_in, solve
from pliant.estimate.core.noise import STRIDE
from pliant.estimate.core.state import EstimatorState, Options
from pliant.lower.memory import apart

UNKNOWN = 1.0
"""Standard deviation of a part beside what was found of it, before its own data are counted."""
KNOWN = 0.03
"""The same where the parts are taken from the watch beside another mode."""
SMALLEST, LARGEST = 0.1, 10.0
"""Least and largest part of a spring that a change leaves: none reverses its sign."""
ROUNDS = 6
"""Steps of Gauss and Newton when a change is told: from a third of a part off they find it to 1e-4."""
AGAIN = 2
"""Steps when more samples have come."""
MORE = 1.1
"""Growth of the number of new samples, after which the parts are found again."""


def gather(s: EstimatorState, i: int, into: Matrix, row: Vector, memory: float) -> None:
    """One of STRIDE equations, [psi | y], into a triangle of new ones; it counts for all of them."""
    width = into.shape[1]
    for k in range(width):
        s.wider[k] = sqrt(1.0 * STRIDE) * row[k]
    rotate_in(into, s.wider[:width], memory)


@apart
def begin(s: EstimatorState, o: Options, i: int, a: float, b: float, count: float) -> None:
    """Take what is learned, `State.old`, and `State.fresh` for the springs before and after a change.

    The parts a and b were found with the shares of both springs held fixed: one of them alone, or both,
    may have changed as well.
    """
    part = a if abs(a - 1.0) > abs(b - 1.0) else b
    best, best_a, best_b = -1.0, a, b
    for trial in range(4):
        one = a if trial == 0 else 1.0 if trial == 2 else part
        other = b if trial == 0 else 1.0 if trial == 1 else part
        _start(s, i, one, other)
        left = _fit(s, o, i, ROUNDS)
        if best < 0.0 or left < best:
            best, best_a, best_b = left, s.sizes[i, core.PART_A], s.sizes[i, core.PART_B]
    _start(s, i, best_a, best_b)
    _fit(s, o, i, AGAIN)
    s.sizes[i, core.GATHERED], s.sizes[i, core.NEXT] = count, MORE * count


def again(s: EstimatorState, o: Options, i: int) -> bool:
    """Find the parts again, where enough samples have come."""
    x = s.sizes[i]
    if x[core.GATHERED] < x[core.NEXT]:
        return False
    x[core.NEXT] = MORE * x[core.GATHERED]
    _fit(s, o, i, AGAIN)
    return True


@apart
def take(s: EstimatorState, o: Options, i: int, a: float, b: float) -> None:
    """The springs with parts that somebody else has found."""
    _start(s, i, a, b)
    _combine(s, o, i, KNOWN)


@apart
def _start(s: EstimatorState, i: int, a: float, b: float) -> None:
    """The old springs with these parts left."""
    p, x = s.parameters.shape[1], s.sizes[i]
    x[core.PART_A], x[core.PART_B] = a, b
    solve(s.old[i], p, s.parameters[i])
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        s.parameters[i, t] *= a if s.terms[i, t, core.MOTOR] == s.terms[i, 0, core.MOTOR] else b


@apart
def _fit(s: EstimatorState, o: Options, i: int, rounds: int) -> float:
    """Parts and springs from all equations; returns the sum of squares that is left."""
    left = 0.0
    for _ in range(rounds):
        _combine(s, o, i, UNKNOWN)
        left = _correct(s, i)
    _combine(s, o, i, UNKNOWN)
    return left


@apart
def _combine(s: EstimatorState, o: Options, i: int, unsure: float) -> None:
    """Old equations for the parts found, those of the samples since, and their solution."""
    p, info, x = s.parameters.shape[1], s.info[i], s.sizes[i]
    for r in range(p):
        for c in range(p + 1):
            info[r, c] = s.old[i, r, c]
        for t in range(s.layout[i, core.COUNT_OF_TERMS]):
            info[r, t] /= (
                x[core.PART_A]
                if s.terms[i, t, core.MOTOR] == s.terms[i, 0, core.MOTOR]
                else x[core.PART_B]
            )
    _open(s, o, i, True, unsure)
    _open(s, o, i, False, unsure)
    for r in range(p):
        for c in range(p + 1):
            s.wider[c] = s.fresh[i, r, c]
        rotate_in(info, s.wider[: p + 1], 1.0)
    solve(info, p, s.parameters[i])


@apart
def _correct(s: EstimatorState, i: int) -> float:
    """Parts that fit the old equations best to the springs found; returns what all equations leave."""
    p, x, springs = s.parameters.shape[1], s.sizes[i], s.parameters[i]
    ee = ea = eb = aa = ab = bb = 0.0
    for r in range(p):
        e, a, b = -s.old[i, r, p], 0.0, 0.0
        for t in range(r, p):
            of = s.old[i, r, t] * springs[t]
            if t >= s.layout[i, core.COUNT_OF_TERMS]:
                e += of
            elif s.terms[i, t, core.MOTOR] == s.terms[i, 0, core.MOTOR]:
                a += of / x[core.PART_A]
            else:
                b += of / x[core.PART_B]
        e += a + b
        ee += e * e
        ea += e * a
        eb += e * b
        aa += a * a
        ab += a * b
        bb += b * b
    by_a, by_b, whole = 0.0, 0.0, aa * bb - ab * ab
    if bb > 0.0 and whole > 1e-12 * aa * bb:
        by_a, by_b = (ea * bb - eb * ab) / whole, (eb * aa - ea * ab) / whole
    elif aa > 0.0:
        by_a = ea / aa
    x[core.PART_A] = min(max(x[core.PART_A] * (1.0 + by_a), SMALLEST), LARGEST)
    x[core.PART_B] = min(max(x[core.PART_B] * (1.0 + by_b), SMALLEST), LARGEST)
    left = ee - by_a * ea - by_b * eb
    for r in range(p + 1):
        e = -s.fresh[i, r, p]
        for t in range(r, p):
            e += s.fresh[i, r, t] * springs[t]
        left += e * e
    return left


@apart
def _open(s: EstimatorState, o: Options, i: int, first: bool, unsure: float) -> None:
    """The size of one spring as good as unknown, P + u^2 c c', its form known as before.

    With w = R c the triangle becomes (1 - g w w') R, made triangular again row by row.
    """
    p, info, w = s.parameters.shape[1], s.info[i], s.slope
    for r in range(p):
        w[r] = 0.0
        for t in range(r, s.layout[i, core.COUNT_OF_TERMS]):
            if (s.terms[i, t, core.MOTOR] == s.terms[i, 0, core.MOTOR]) == first:
                w[r] += info[r, t] * s.parameters[i, t]
    power = 0.0
    for r in range(p):
        power += w[r] * w[r]
    if power == 0.0:
        return
    unit = o.window * max(s.memory[i, core.VARIANCE], o.floor**2)
    spread = unsure**2 / max(unit, 1e-30)
    share = (1.0 - 1.0 / sqrt(1.0 + spread * power)) / power
    whole = s.whole
    for r in range(p):
        for c in range(p + 1):
            whole[r, c], info[r, c] = info[r, c], 0.0
    row = s.wider
    for r in range(p):
        for c in range(p + 1):
            row[c] = whole[r, c]
            for k in range(p):
                row[c] -= share * w[r] * w[k] * whole[k, c]
        rotate_in(info, row[: p + 1], 1.0)
