"""Numbers that stay, all that changes, and where both lie: two flat buffers and views on them.

A compiled function is handed two buffers instead of some thirty arrays and numbers.
`EstimatorState` and `Options` are the only lists of what is in them: the functions that take the
buffers apart are made from their annotations, in Python and for the compiler.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import numpy as np

from pliant.arrays import Floats, Integers

WINDOW = 5
"""Positions that one motion is made of."""
CENTRE = 2
"""The one in their middle, which the motion belongs to."""
TABLE = 16
"""Training points of largest leverage that are remembered."""
TRIAL_PRIOR = 1e-3
"""Fraction of the prior's weight in the trial of the skew: shrinkage must not look like a skew."""
TORQUE, ROTATUM, PAPER = 0, 1, 2
"""Modes."""
WARMING_UP, LEARNING, FROZEN, REJECTED, CANNOT_KNOW = 0, 1, 2, 3, 4
"""Status."""
NEGATIVE, EXTRAPOLATED, OLDER, MISFIT, DAMPED, NEWER, CHANGED, BLOCKED, REOPENED = (
    1 << k for k in range(9)
)
"""Flags of warnings."""
OUTPUTS = 16
(
    SIGMA,
    STD,
    TORQUE_OUT,
    ROTATUM_OUT,
    LEVERAGE,
    STATUS,
    SKEW,
    MISFIT_OUT,
    FLAGS,
    CHANGE,
    CHANGE_STD,
    CHANGE_AGE,
    LEFT_A,
    LEFT_B,
    DOUBTED,
    CUT,
) = range(OUTPUTS)
"""Rows of the output; from `CHANGE` on they are zero but where a change is told: its size as a part of the
stiffness before, the deviation of that, how long ago it began [s], and the part left of both springs.
`DOUBTED` is the time for which the torque has not fitted [s], `CUT` the deviation of sigma by a basis cut short."""
NEWS = OUTPUTS - CHANGE
"""Rows from `CHANGE` on: what the watch of another mode is asked for."""
REMEMBERED = 12
VARIANCE, COUNT, HOLD, POWER, AT, REFUSED, PUSHED, MOVED, TRIED, LACKED, LEFT_OUT, BELOW = range(
    REMEMBERED
)
"""Columns of a joint's memory: residual variance, accepted samples, samples still held, mean
square of the regressand, next row of the table to be refreshed, time for which samples were
rejected [s], mean square of momentum and of speed, equations in the trial, and what they showed the
basis to lack before they were given up; sum of squares that it leaves out of all equations; time for
which the stiffness came out as negative [s]."""
LAGS = 4
"""Distances at which residuals are compared, from one kernel to two."""
SUMS = 25
DOUBT, AGE, TICK, SKIPPED, STARTED, STRONG, WHICH, PART, SINCE = range(9)
N, E, A, B, V, S, EE, EA, EB, EV, ES, AA, AB, BB, VV, SS = range(9, SUMS)
"""Columns of what is summed while the residual is too large (`change`): Page's statistic, time since
it left zero [s], counter, samples left out, age at the first one taken,
whether the residual was strong yet, which springs explain it best and by what part, the age since
which they do; number of samples, sums of
the residual E, the torques A and B of both springs, speed V and its sign S, and of their products."""
SIZED = 5
PART_A, PART_B, GATHERED, NEXT, WAITED = range(SIZED)
"""Knowledge of a change (`resize`): parts of both springs that are left, new equations gathered since, zero
where none is told, and at how many the parts are found again; samples since `recent` was written."""
BASIS = 4
SPEED, REST, MOMENTUM, HELD_RATE = range(BASIS)
"""Lines of the history: of the link, torque beside that of the momentum, momentum, torque's rate
for held motors; from `BASIS` on the basis functions."""
KERNELS = 4
ROWS, MOMENTA, MEAN, ROW_RATES = range(KERNELS)
"""Kernels: of the equation's rows and the rest, of the momentum, of the plain mean, of the rate of
the basis."""
COUNTS = 3
SEEN, PLACE, STOPPED = range(COUNTS)
"""Samples seen, place in the history to write, and whether the user stopped the learning."""
SCALES = 4
PHI, X, TAU, STEEP = range(SCALES)
"""Columns of the scales: of deflection, adjuster and torque, and how steep what the basis leaves out
is beside the basis itself (`layout`)."""
MOTOR, PHI_POWER, X_POWER = range(3)
"""Factors of a term: motor channel, power of the deflection and of the adjuster's position."""
COUNT_OF_TERMS, ADJUSTER = range(2)
"""Columns of the layout: number of basis functions; channel of the adjuster, or -1."""


class Options(NamedTuple):
    """Numbers that stay; they stand before all others."""

    mode: int
    dt: float
    smooth: int
    memory: float
    prior: float
    steady_speed: float
    coulomb_speed: float
    gate: float
    floor: float
    patience: float
    window: float
    momentum_noise: float
    rows_noise: float
    extrapolated: float
    skew: float
    misfit: float
    change: float
    friction: int


class EstimatorState(NamedTuple):
    """All that changes, and the layout of the joints, each with its shape.

    n joints, m motors, b basis functions, e that it lacks, p columns of the regression, L samples
    under a kernel.
    """

    sample: Annotated[Floats, "n + m"]
    """Newest positions, before they are taken."""
    given: Annotated[Floats, "2 + NEWS, n"]
    """Momentum M v and G - C^T v; in the paper's mode the rate of the elastic torque. Then, where the
    torque is watched beside this mode, what the watch says."""
    out: Annotated[Floats, "OUTPUTS, n"]
    parameters: Annotated[Floats, "n, p"]
    """Normalised."""
    raw: Annotated[Floats, "WINDOW, n + m"]
    """Newest positions of links and motors, newest last."""
    motion: Annotated[Floats, "4, n"]
    """Position, velocity, acceleration, jerk at the centre."""
    history: Annotated[Floats, "n, BASIS + b + e, 2 * L"]
    """Each line is written twice, L places apart, so that the newest L always lie side by side. In the
    paper's mode, where positions are smoothed first, the first BASIS lines hold those of all channels."""
    kernels: Annotated[Floats, "KERNELS, L"]
    info: Annotated[Floats, "n, p, p + 1"]
    """R and z."""
    trial: Annotated[Floats, "n, p + 1 + e, p + 2 + e"]
    """The same with further unknowns, the skew and then what the basis lacks, from when they can be tried."""
    before: Annotated[Floats, "n, p + 1, p + 1"]
    """R and z, then parameters and variance, from before the torque ceased to fit."""
    recent: Annotated[Floats, "n, p + 1, p + 1"]
    """Next value of `before`, in a mode that is told of changes."""
    pending: Annotated[Floats, "n, p + 1, p + 1"]
    """R, z and what is left of the equations since then, as a triangle."""
    old: Annotated[Floats, "n, p, p + 1"]
    """R and z from before the last change that was told."""
    fresh: Annotated[Floats, "n, p + 1, p + 1"]
    """The triangle of the equations since that change."""
    sizes: Annotated[Floats, "n, SIZED"]
    memory: Annotated[Floats, "n, REMEMBERED"]
    residuals: Annotated[Floats, "n, 2 * L"]
    """Residuals of the newest samples, in a ring; NaN where nothing was learned."""
    lasting: Annotated[Floats, "n, LAGS"]
    """Mean products of residuals from one to two kernels apart."""
    sums: Annotated[Floats, "n, SUMS"]
    """Sums that test for a change of the spring."""
    encoder: Annotated[Floats, "n + m"]
    """Variance of the noise of each channel [rad^2]."""
    table: Annotated[Floats, "n, TABLE, b"]
    """Stiffness rows of training points."""
    trained: Annotated[Floats, "n, TABLE"]
    """Their leverage."""
    scales: Annotated[Floats, "n, SCALES"]
    row: Annotated[Floats, "p + 2 + e"]
    """Scratch: an equation [psi | y], or a row of the basis."""
    slope: Annotated[Floats, "p + 2 + e"]
    """Scratch: a row of the basis' slope."""
    wider: Annotated[Floats, "p + 2 + e"]
    """Scratch: an equation with a further unknown, or a direction whose variance is wanted."""
    solved: Annotated[Floats, "p + 2"]
    """Scratch of `variance`."""
    rates: Annotated[Floats, "p + 2"]
    """Smoothed rates of the basis."""
    whole: Annotated[Floats, "p, p + 1"]
    """Scratch: a triangle while it is made anew."""
    judged: Annotated[Floats, "SUMS"]
    """Scratch: the sums of one joint."""
    counts: Annotated[Integers, "COUNTS"]
    terms: Annotated[Integers, "n, b, 3"]
    lacked: Annotated[Integers, "n, e, 3"]
    """Terms that the basis lacks; powers of zero for none."""
    layout: Annotated[Integers, "n, 2"]


SIZES = ("n", "m", "b", "e", "p", "L")
"""Integers before all others."""
OPTIONS = len(Options._fields)


def _written() -> str:
    """One array after the other in the order of `EstimatorState`, those of integers last."""
    lines = [f"def shaped(x, k, {', '.join(SIZES)}):", f"    end = {OPTIONS}"]
    before: Any = Floats
    for name, of in get_type_hints(EstimatorState, include_extras=True).items():
        kind, shape = get_args(of)
        if kind is not before:
            lines, before = [*lines, f"    end = {len(SIZES)}"], kind
        size = " * ".join(f"({one})" for one in shape.split(","))
        buffer = "x" if kind is Floats else "k"
        lines.append(f"    at, end = end, end + {size}")
        lines.append(f"    {name} = {buffer}[at:end].reshape(({shape},))")
    sizes = ", ".join(f"k[{i}]" for i in range(len(SIZES)))
    kinds = enumerate(get_type_hints(Options).values())
    lines += [
        f"    return EstimatorState({', '.join(EstimatorState._fields)})",
        f"def views(x, k):\n    return shaped(x, k, {sizes})",
        f"def options(x):\n    return Options({', '.join(f'{t.__name__}(x[{i}])' for i, t in kinds)})",
    ]
    return "\n".join(lines)


WRITTEN = _written()
"""Text of the functions `views` and `options`."""
_made: dict[str, Any] = dict(globals())
exec(WRITTEN, _made)  # noqa: S102 - this file's own text
views: Callable[[Floats, Integers], EstimatorState] = _made["views"]
"""(x, k) to the state in both buffers."""
options: Callable[[Floats], Options] = _made["options"]
"""(x) to the numbers that stay, from the head of the buffer."""


def buffers(n: int, m: int, b: int, e: int, p: int, length: int) -> tuple[Floats, Integers]:
    """Both buffers, zero but for the sizes."""
    sizes = (n, m, b, e, p, length)
    endless = (np.broadcast_to(np.zeros(1, kind), 1 << 40) for kind in (np.float64, np.int64))
    state: EstimatorState = _made["shaped"](*endless, *sizes)
    floats = sum(one.size for one in state if one.dtype == np.float64)
    whole = np.zeros(len(SIZES) + sum(one.size for one in state) - floats, np.int64)
    whole[: len(SIZES)] = sizes
    return np.zeros(OPTIONS + floats), whole
