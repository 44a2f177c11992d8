"""One sample, or a whole recording, through the core."""

from math import nan

from pliant.arrays import Cube, Integers, Matrix, Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.change import keep_old, scale_springs
from pliant.estimate.core.learning import equation, learn, paper_equation
from pliant.estimate.core.output import estimate
from pliant.estimate.core.resize import take
from pliant.estimate.core.state import EstimatorState, Options, options, views
from pliant.estimate.core.window import place_sample, remember
from pliant.lower.memory import apart


@apart
def _place(s: EstimatorState, o: Options) -> bool:
    n = s.out.shape[1]
    return place_sample(s, o.mode, o.dt, o.smooth, s.sample[:n], s.sample[n:])


@apart
def _advance(s: EstimatorState, o: Options) -> bool:
    """The terms at the centre into the regression, and the newest estimate into `s.out`."""
    if s.counts[core.SEEN] < core.WINDOW:
        return False
    length, doubt = s.kernels.shape[1], False
    direct = o.mode == core.PAPER and o.smooth == 0
    enough = core.WINDOW - 1 if direct else length + core.WINDOW - 1
    if o.mode != core.PAPER:
        s.counts[core.PLACE] = (s.counts[core.PLACE] + 1) % length
    for i in range(s.out.shape[1]):
        row, speed = s.row, 1e9
        for k in range(core.CHANGE, core.OUTPUTS):
            s.out[k, i] = 0.0
        if o.mode != core.PAPER:
            remember(s, i, s.given[0, i], s.given[1, i])
        if s.counts[core.SEEN] < enough:
            for k in range(core.FLAGS):
                s.out[k, i] = nan
            s.out[core.STATUS, i], s.out[core.FLAGS, i] = core.WARMING_UP, 0.0
            continue
        if o.mode == core.PAPER:
            paper_equation(s, o, i, s.given[0, i], row)
        else:
            speed = equation(s, o, i, row)
        status = learn(s, o, i, speed, row)
        if o.mode == core.TORQUE:
            s.out[core.DOUBTED, i] = s.sums[i, core.AGE]
        else:
            _take_over(s, o, i)
        estimate(s, o, i, status)
        doubt = doubt or s.out[core.FLAGS, i] > 0.0
    return doubt


def _take_over(s: EstimatorState, o: Options, i: int) -> None:
    """The change that the watch tells, or what is known before one.

    Nothing is kept while the watch doubts, not even where it finds that the news begins later: a rate has
    learned some of it by then.
    """
    age = s.out[core.CHANGE_AGE, i]
    for k in range(core.NEWS):
        s.out[core.CHANGE + k, i] = s.given[2 + k, i]
    if s.out[core.CHANGE, i] != 0.0:
        scale_springs(s, o, i, s.out[core.LEFT_A, i], s.out[core.LEFT_B, i])
        return
    s.out[core.CHANGE_AGE, i] = age  # of this mode's own gate, opened
    if s.out[core.LEFT_A, i] != 0.0 and s.sizes[i, core.GATHERED] > 0.0:
        take(s, o, i, s.out[core.LEFT_A, i], s.out[core.LEFT_B, i])
    if s.out[core.DOUBTED, i] == 0.0:
        keep_old(s, i)
    else:
        s.sizes[i, core.WAITED] = 0.0


def place(x: Vector, k: Integers) -> bool:
    """The newest positions, `EstimatorState.sample`, into the window, and the motion that they give.

    Returns:
        Whether they are numbers; where not, nothing is changed.
    """
    return _place(views(x, k), options(x))


def advance(x: Vector, k: Integers) -> bool:
    """One sample, after `place` and with `EstimatorState.given` filled in.

    Returns:
        Whether any joint is in doubt.
    """
    return _advance(views(x, k), options(x))


def run(x: Vector, k: Integers, rows: Matrix, out: Cube) -> None:
    """Whole recordings.

    Args:
        x, k: buffers.
        rows: (N, n + m + (2 + NEWS) n), what `sample` and `given` hold at each sample; the last
            NEWS n columns may be missing in mode "torque".
        out: (N, OUTPUTS, n) estimates.
    """
    s, o = views(x, k), options(x)
    for r in range(len(rows)):
        for c in range(rows.shape[1]):
            x[core.OPTIONS + c] = rows[r, c]
        _place(s, o)
        _advance(s, o)
        out[r] = s.out
