"""One sample, or a whole recording, through the core."""

from math import nan

from pliant.estimate.core.change import keep_old, scale_springs
from pliant.estimate.core.learning import equation, learn, paper_equation
from pliant.estimate.core.output import estimate
from pliant.estimate.core.resize import take
from pliant.estimate.core.state import (
    AGE,
    CHANGE,
    DOUBTED,
    FLAGS,
    GATHERED,
    LEFT_A,
    LEFT_B,
    NEWS,
    PAPER,
    PLACE,
    SEEN,
    STATUS,
    TORQUE,
    WAITED,
    WARMING_UP,
    WINDOW,
    Array,
    EstimatorState,
    Integers,
    Options,
    inlined,
    options,
    views,
    within,
)
from pliant.estimate.core.unowned import unowned
from pliant.estimate.core.window import place_sample, remember


@within
def advance_joints(
    s: EstimatorState, o: Options, momentum: Array, rest: Array, news: Array
) -> bool:
    """The terms at the centre into the regression, and the newest estimate into `s.out`.

    `news` are the rows from `CHANGE` on of the watch beside another mode than "torque".
    """
    length, doubt = s.kernels.shape[1], False
    direct = o.mode == PAPER and o.smooth == 0
    enough = WINDOW - 1 if direct else length + WINDOW - 1
    if o.mode != PAPER:
        s.counts[PLACE] = (s.counts[PLACE] + 1) % length
    for i in range(len(momentum)):
        row, speed = s.row, 1e9
        s.out[CHANGE:, i] = 0.0
        if o.mode != PAPER:
            remember(s, i, momentum[i], rest[i])
        if s.counts[SEEN] < enough:
            s.out[:, i] = nan
            s.out[STATUS, i], s.out[FLAGS:, i] = WARMING_UP, 0.0
            continue
        if o.mode == PAPER:
            paper_equation(s, o, i, momentum[i], row)
        else:
            speed = equation(s, o, i, row)
        status = learn(s, o, i, speed, row)
        if o.mode == TORQUE:
            s.out[DOUBTED, i] = s.sums[i, AGE]
        else:
            _take_over(s, o, i, news)
        estimate(s, o, i, status)
        doubt = doubt or s.out[FLAGS, i] > 0.0
    return doubt


@inlined
def _take_over(s: EstimatorState, o: Options, i: int, news: Array) -> None:
    """The change that the watch tells, or what is known before one.

    Nothing is kept while the watch doubts, not even where it finds that the news begins later: a rate has
    learned some of it by then.
    """
    for k in range(NEWS):
        s.out[CHANGE + k, i] = news[k, i]
    if s.out[CHANGE, i] != 0.0:
        scale_springs(s, o, i, s.out[LEFT_A, i], s.out[LEFT_B, i])
        return
    if s.out[LEFT_A, i] != 0.0 and s.sizes[i, GATHERED] > 0.0:
        take(s, o, i, s.out[LEFT_A, i], s.out[LEFT_B, i])
    if s.out[DOUBTED, i] == 0.0:
        keep_old(s, i)
    else:
        s.sizes[i, WAITED] = 0.0


@within
def place(x: Array, k: Integers) -> bool:
    """The newest positions, `State.sample`, into the window, and the motion that they give.

    Returns:
        Whether they are numbers; where not, nothing is changed.
    """
    s: EstimatorState = views(unowned(x), unowned(k))
    n = s.out.shape[1]
    return place_sample(s, int(x[0]), x[1], int(x[2]), s.sample[:n], s.sample[n:])


@within
def advance(x: Array, k: Integers) -> bool:
    """Advance one sample, after `place` and with `State.given` filled in.

    Returns:
        Whether any joint is in doubt.
    """
    s: EstimatorState = views(unowned(x), unowned(k))
    return advance_joints(s, options(x), s.given[0], s.given[1], s.given[2:])


@within
def run(
    x: Array,
    k: Integers,
    q: Array,
    theta: Array,
    momentum: Array,
    rest: Array,
    news: Array,
    out: Array,
) -> None:
    """`place` and `advance` over whole recordings, (N, …), estimates into `out`, (N, OUTPUTS, n).

    Eight arguments, as arrays come one by one; `news` may be empty in mode "torque".
    """
    s, o = views(unowned(x), unowned(k)), options(x)
    for row in range(len(q)):
        place_sample(s, o.mode, o.dt, o.smooth, q[row], theta[row])
        if s.counts[SEEN] >= WINDOW:
            said = news[row] if o.mode != TORQUE else s.given[2:]
            advance_joints(s, o, momentum[row], rest[row], said)
        out[row] = s.out
