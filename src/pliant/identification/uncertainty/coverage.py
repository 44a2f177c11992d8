"""Calibrated bands: posterior draws widened until they cover the logs of each group held out in turn.

Draws of one fit do not include model error. Groups of logs that the fit did not use reveal it:

    1. for each group, fit to the others, starting from the best point. On a bench the groups are its gains;
       with one gain its loads, with one load its trajectories, else its logs. For a robot they are its
       recordings. A single recording is split into parts, each started from its measured state
    2. simulate draws of that fit on the group, spread by one factor. On a bench they are drawn from the logs
       of that fit: a fit to fewer gains is less certain, and its draws show it. For a robot, where this would
       take minutes, they are the draws of the fit to all logs, shifted to this fit
    3. choose the factor that gives the narrowest bands, margin included
    4. cover the rest by a margin on both sides: the smallest that covers 90 % of all held-out data, with equal
       weight per group, or weighted by the share of the group that was simulated (joints simulated one by one
       leave contacts out). On a bench it is proportional to the change of the log's motion with a motor a
       tenth stronger (`Rig.torque_response`)
    5. a group needs more than the others as often as not: scale the margins until those of the other groups
       cover 90 % of each group left out, over all joints

Groups, not samples, are exchangeable: the next group is like one of them, so they are pooled (Dunn, Wasserman and
Ramdas, JASA 2023). Margins from the worst of two or three gains, or of four motions, would cover nearly all of
the next one, but with bands twice as wide.
The coverage reported is that of each group with factor and margin of the others, scaled as in 5.
Model error differs between joints of a robot: each has its own factor and margin.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.posterior import MEMORY
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.result.identification import DRAWS, Identification
from pliant.identification.uncertainty.draws import (
    LEVELS,
    Coverage,
    Uncertainty,
    UncertaintySettings,
    uncertainty,
)


@dataclass(frozen=True, eq=False)
class Band:
    """(M,) [rad] lower and upper ends of a 90 % prediction band."""

    low: Floats
    high: Floats

    def share(self, measured: Floats) -> float:
        """Fraction of samples (M,) within the band."""
        return float(np.mean((measured >= self.low) & (measured <= self.high)))


def widened(
    found: Uncertainty, runs: Floats, joint: str = "", response: float | None = None
) -> Band:
    """The band of positions (C, M) [rad] of draws, widened by the calibrated margin.

    Args:
        found: whose margin to take. runs: simulated with its draws.
        joint: of a robot, whose positions these are.
        response: [rad] response of the recording to a stronger motor, see `Rig.torque_response`.
    """
    low, high = np.quantile(runs, LEVELS, axis=0)
    margin = found.coverage[joint].margin_for(response) if joint in found.coverage else 0.0
    return Band(low - margin, high + margin)


FACTORS = (1.0, 1.5, 2.0, 3.0, 4.5)
"""Factors tried on the draws, about the point they were drawn around."""
WITHIN = LEVELS[1] - LEVELS[0]
TIMES = (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
"""Factors tried on the margins: in steps of a tenth at first, of a third at the end."""
PARTS = 4
"""Parts of a single recording; with two or eight, a quadruped's bands cover its next motion equally, within 1 %."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Scores [rad] of one joint in a group: distance of samples outside the band, per factor and log.

    Each log's scores are divided by its torque response, `times` the usual one. Samples that a simulation leaves out,
    as near a contact, have no score; the weight of the group is the share of samples that remain. widths:
    [rad] mean width of the middle 90 % of the draws, for each factor.
    """

    name: str
    scores: list[list[Floats]]
    weight: float = 1.0
    widths: Sequence[float] = ()
    times: float = 1.0

    def all(self, factor: int) -> Floats:
        return np.concatenate(self.scores[factor])

    def share(self, factor: int, margin: float = 0.0) -> float:
        return float(np.mean(self.all(factor) <= margin))

    def whole(self, factor: int) -> Floats:
        return np.array([float(one.max()) for one in self.scores[factor]])


def coverage(
    found: Identification[LogT], sure: Uncertainty, settings: UncertaintySettings
) -> dict[str, Coverage]:
    """Map of joint to the widening that a fit's draws need, from groups of its logs; empty if they are too short.

    The joint of a bench is "". `settings` are those of the draws of `sure`.
    """
    rig = found.rig.seeing(found.space)
    logs = found.fitted.logs
    by, names = rig.interval_groups(logs)
    if len(set(names)) < 2:
        part = sum(float(log.time[-1]) for log in logs) / PARTS
        if part < MEMORY:
            return {}
        logs = rig.pieces(logs, part)
        by, names = "part", [f"part {k + 1}" for k in range(len(logs))]
    moved = rig.torque_response(logs, found.values)
    usual = None if moved is None else float(moved.mean())
    every = dict.fromkeys(names)
    scored = [_scored(found, rig, sure, settings, logs, names, one, usual) for one in every]
    each = {joint: [group[joint] for group in scored if joint in group] for joint in rig.actuators}
    known = {joint: groups for joint, groups in each.items() if len(groups) > 1}
    more = _more(list(known.values()))
    wide = {joint: _of_joint(by, groups, more) for joint, groups in known.items()}
    return {joint: dataclasses.replace(one, response=usual) for joint, one in wide.items()}


def _more(joints: Sequence[Sequence[_Group]]) -> float:
    """Smallest factor on the margins of the other groups that covers enough of each group left out."""
    weights = [one.weight for groups in joints for one in groups]
    for more in TIMES:
        held = [share for groups in joints for share in _held(groups, more)]
        if weights and np.average(held, weights=weights) >= WITHIN:
            return more
    return TIMES[-1]


def _held(groups: Sequence[_Group], more: float) -> list[float]:
    """Coverage of each group by the bands from the others."""
    taken = [(one, others, _narrowest(others, more)) for one, others in _left_out(groups)]
    return [one.share(k, more * _margin(others, k)) for one, others, k in taken]


def _of_joint(by: str, groups: Sequence[_Group], more: float) -> Coverage:
    """The widening that one joint needs, and the coverage of each group with that from the others.

    Args:
        by: property that defines the groups. groups: held out. more: factor on their margin.
    """
    held, whole = _held(groups, more), list[float]()
    for one, others in _left_out(groups):
        factor = _narrowest(others, more)
        whole.append(float(np.mean(one.whole(factor) <= _margin_of_logs(others, factor))))
    taken, wide = _narrowest(groups, more), _covering(groups)
    return Coverage(
        by=by,
        groups={one.name: share for one, share in zip(groups, held, strict=True)},
        samples=_mean(groups, held),
        logs=float(np.mean(whole)),
        before=_mean(groups, [one.share(0) for one in groups]),
        factor=FACTORS[taken],
        margin=(margin := more * _margin(groups, taken)),
        margin_of_logs=max(margin, _margin_of_logs(groups, taken)),
        alone=_mean(groups, [one.share(taken) for one in groups]),
        spread=FACTORS[wide] / FACTORS[taken],
        spread_holds=_mean(groups, [one.share(wide) for one in groups]),
    )


def covering(sure: Uncertainty, wide: Mapping[str, Coverage]) -> Uncertainty:
    """The same with calibrated draws and margins."""
    factors = _by_parameter(sure, {joint: one.factor for joint, one in wide.items()})
    cube = _spread(sure, sure.space.to_cube(sure.best), sure.samples, factors)
    return dataclasses.replace(sure, samples=sure.space.from_cube(cube), coverage=wide)


def on_held_out(found: Identification[LogT], sure: Uncertainty) -> dict[str, Coverage]:
    """The coverage, including that of logs held out of the fit from the start.

    Here a robot is simulated as in use: all joints together, with contacts.
    """
    if found.held_out is None:
        return dict(sure.coverage)
    logs = found.held_out.logs
    residuals = found.rig.residuals(logs, sure.space)
    runs = residuals.samples.per_block(residuals(sure.space.to_cube(sure.spread(DRAWS))))
    moved = found.rig.torque_response(logs, found.values)
    responses = [None] * len(logs) if moved is None else moved.tolist()
    joints = [(one, joint) for one in responses for joint in found.rig.actuators]
    shares: dict[str, list[float]] = {joint: [] for joint in sure.coverage}
    for (response, joint), run in zip(joints, runs, strict=True):
        if joint in shares:
            measured = np.zeros(run[0].size)
            shares[joint].append(widened(sure, run, joint, response).share(measured))
    return {
        joint: dataclasses.replace(one, held_out=float(np.mean(shares[joint])))
        for joint, one in sure.coverage.items()
    }


def _by_parameter(sure: Uncertainty, factors: Mapping[str, float]) -> Floats:
    """(D,) factor of each parameter: that of its joint; the largest for parameters of no joint."""
    most = max(factors.values())
    joints = {name: name.partition(".")[0] for name in sure.space.names}
    lone = factors.get("")
    return np.array([lone or factors.get(joints[n], most) for n in sure.space.names])


def _spread(sure: Uncertainty, about: Floats, samples: Floats, factor: float | Floats) -> Floats:
    """(R, D) draws in the cube, moved to a point and spread.

    Done in SI units: on the scale of the search, large spreads would explode.
    """
    space = sure.space
    pulled = space.from_cube(about) + factor * (samples - sure.best)
    return space.to_cube(np.clip(pulled, space.low, space.high))


# Eight arguments: a fit, its draws and how they are made, the logs and their groups, which is left out, and how
# far a motor a tenth stronger moves the logs.
def _scored(
    found: Identification[LogT],
    rig: Rig[LogT],
    sure: Uncertainty,
    settings: UncertaintySettings,
    logs: Sequence[LogT],
    names: Sequence[str],
    out: str,
    usual: float | None,
) -> dict[str, _Group]:
    kept = [log for log, name in zip(logs, names, strict=True) if name != out]
    left = [log for log, name in zip(logs, names, strict=True) if name == out]
    goal, point = found.refitted(kept)
    few = dataclasses.replace(settings, draws=min(DRAWS, settings.draws))
    own = uncertainty(goal, [point], few) if "" in rig.actuators else sure
    residuals = rig.residuals(left, found.space)
    moved = rig.torque_response(left, found.space.values(point))
    times = np.ones(len(left)) if moved is None or not usual else moved / usual
    drawn = own.spread(DRAWS)
    joints = [joint for _ in left for joint in rig.actuators]
    scores: dict[str, list[list[Floats]]] = {joint: [] for joint in rig.actuators}
    widths: dict[str, list[float]] = {joint: [] for joint in rig.actuators}
    for factor in FACTORS:
        runs = residuals(_spread(own, point, drawn, factor))
        low, high = np.quantile(runs, LEVELS, axis=0)
        # Samples left out of a simulation equal the measurement in every draw: they do not count as covered.
        simulated = residuals.samples.per_block((runs != 0.0).any(axis=0).astype(float))
        blocks = residuals.samples.per_block(np.maximum(low, -high))
        per = np.repeat(times, len(rig.actuators))
        blocks = [
            one[seen > 0.0] / by for one, seen, by in zip(blocks, simulated, per, strict=True)
        ]
        wide = residuals.samples.per_block(high - low)
        for joint, each in scores.items():
            mine = [one for one, of in zip(blocks, joints, strict=True) if of == joint]
            each.append([one for one in mine if len(one)])
            of_joint = [one.mean() for one, of in zip(wide, joints, strict=True) if of == joint]
            widths[joint].append(float(np.mean(of_joint)))
    total = len(residuals.samples.time) / len(rig.actuators)
    return {
        joint: _Group(
            out,
            each,
            sum(map(len, each[0])) / total,
            widths[joint],
            float(times.mean()),
        )
        for joint, each in scores.items()
        if all(each)
    }


def _left_out(groups: Sequence[_Group]) -> list[tuple[_Group, list[_Group]]]:
    """Each group, and all others."""
    return [(one, [other for other in groups if other is not one]) for one in groups]


def _mean(groups: Sequence[_Group], shares: Sequence[float]) -> float:
    return float(np.average(shares, weights=[one.weight for one in groups]))


def _narrowest(groups: Sequence[_Group], more: float) -> int:
    """Index of the factor with the narrowest bands, including `times` their margin."""

    def width(k: int) -> float:
        draws = float(np.mean([one.widths[k] for one in groups]))
        times = float(np.mean([one.times for one in groups]))
        return draws + 2.0 * times * more * _margin(groups, k)

    return min(range(len(FACTORS)), key=width)


def _covering(groups: Sequence[_Group]) -> int:
    """Index of the smallest factor that covers; if none does, of the one that covers most."""
    shares = [_mean(groups, [one.share(k) for one in groups]) for k in range(len(FACTORS))]
    enough = [k for k, share in enumerate(shares) if share >= WITHIN]
    return enough[0] if enough else int(np.argmax(shares))


def _margin(groups: Sequence[_Group], factor: int) -> float:
    """[rad] Margin to add on both sides; 0 if the draws cover enough, or too much."""
    scores = np.concatenate([one.all(factor) for one in groups])
    each = [np.full(n := len(one.all(factor)), one.weight / n) for one in groups]
    order = np.argsort(scores)
    share = np.cumsum(np.concatenate(each)[order]) / sum(one.weight for one in groups)
    return max(0.0, float(scores[order][min(np.searchsorted(share, WITHIN), len(order) - 1)]))


def _margin_of_logs(groups: Sequence[_Group], factor: int) -> float:
    """[rad] Margin that covers 90 % of next logs as a whole, over the groups (split conformal prediction)."""
    wholes = [one.whole(factor) for one in groups]
    levels = [min(1.0, WITHIN * (1.0 + 1.0 / len(whole))) for whole in wholes]
    return max(0.0, *map(float, map(np.quantile, wholes, levels)))
