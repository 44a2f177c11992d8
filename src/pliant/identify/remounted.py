"""Evidence in the logs that a bench was mounted anew in between, or a robot calibrated: that their zeros differ.

Joint by joint:

1. a quick fit with one zero for all
2. from there the same descent twice: with one zero, and with one for each mounting
3. it is clear if the second is better by a fiftieth, and the zero that each log would have by
   itself, or each half where no mounting has two, differs between two mountings by three standard errors;
   a zero at the end of what is searched stands for an error of the model

Zeros of mountings are taken of the joints at which it is. Taken or not, they are told.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.mounting import AUTO, OF
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.rig import Rig, Stage
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.space import Space
from pliant.identify.problem.task import FitTask
from pliant.identify.quick_fit import quick_fit
from pliant.identify.search.journal import Chapter, Journal, NoJournal
from pliant.identify.search.least_squares import polish

CLEAR, GAIN = 3.0, 0.02
"""Standard errors between two zeros, and share of the error that zeros of each mounting take away."""
POINTS = 41
"""Zeros tried for each log."""


class Remounted(NamedTuple):
    """Mountings that have zeros of their own.

    Attributes:
        kind: what logs of one mounting share. joints: whose zeros differ; None: all that there are.
    """

    kind: str
    joints: tuple[str, ...] | None = None


class _Zeros(NamedTuple):
    """Zeros of the mountings at one joint.

    Attributes:
        joint: "" on a bench. zeros: mounting to its zero [rad]. before, after: [rad] error with one zero,
            and with these. doubt: why they are not clear; "" where they are.
    """

    joint: str
    zeros: Mapping[str, float]
    before: float
    after: float
    doubt: str

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {1e3 * zero:.0f} mrad" for name, zero in self.zeros.items())
        return f"{self.joint} {listed}" if self.joint else listed


def shown_mounting(
    task: FitTask[LogT], logs: Sequence[LogT], note: Callable[[str], None]
) -> Remounted | None:
    """The property that logs of one mounting share, found from `logs` where the task leaves it open.

    `note` is told the evidence.
    """
    rig = task.rig.holding(task.fix)
    kind = rig.mounting_kind(logs, task.zero_by)
    if kind is None or task.zero_by != AUTO:
        return None if kind is None else Remounted(kind, task.zeroed_joints)
    space = rig.space(task.fit, task.fix, logs)
    sampling = "hold" if task.sampling == "best" else task.sampling
    theirs, rig = rig.as_recorded(logs, sampling, task.sample_age)
    return told_apart(task, rig, theirs, space, kind, NoJournal(), note)


# Seven arguments: a task laid out, where its work is kept, and who is told.
def told_apart(
    task: FitTask[LogT],
    rig: Rig[LogT],
    logs: Sequence[LogT],
    space: Space,
    kind: str,
    journal: Journal,
    note: Callable[[str], None],
) -> Remounted | None:
    """The mountings, where the logs show that their zeros differ; else None.

    `note` is told the evidence.
    """
    rig = rig.one_by_one().coarse()
    space = rig.with_one_zero(space, task.fix)
    start = dict(zip(space.names, map(float, space.start), strict=True))
    found = list[_Zeros]()
    for stage in rig.stages(space, start):
        (joint,) = stage.rig.actuators
        if rig.zero_of(joint) in stage.space.names:
            chapter = Chapter(journal, stage.name) if stage.name else journal
            found.append(_zeros(task, stage, joint, logs, kind, chapter))
    clear = [one for one in found if not one.doubt]
    if clear:
        note(f"mounted anew by {kind}: {_taken(clear)}; --zero-by none keeps one")
    if open_ := [one for one in found if one.doubt]:
        note(f"mounted anew by {kind}, not taken: {_left(open_)}; --zero-by {kind} takes them")
    return Remounted(kind, tuple(one.joint for one in clear)) if clear else None


def _taken(found: Sequence[_Zeros]) -> str:
    """Zeros that are clear, in words."""
    each = (f"{one}) lowers a quick fit {_fall(one)}" for one in found)
    return "a zero each (" + ", and (".join(each)


def _left(found: Sequence[_Zeros]) -> str:
    """Zeros that are not clear, in words: reason by reason, the joints that it holds for."""
    reasons: dict[str, list[_Zeros]] = {}
    for one in found:
        reasons.setdefault(one.doubt, []).append(one)
    said: list[str] = []
    for doubt, own in reasons.items():
        if [one.joint for one in own] == [""]:
            said.append(f"a zero each ({own[0]}) lowers a quick fit {_fall(own[0])}: {doubt}")
        else:
            said.append(f"{', '.join(one.joint for one in own)}: {doubt}")
    return "; ".join(said)


def _fall(one: _Zeros) -> str:
    return f"from {1e3 * one.before:.1f} to {1e3 * one.after:.1f} mrad"


# Six arguments: a task, one joint of it laid out, and where its work is kept.
def _zeros(
    task: FitTask[LogT],
    stage: Stage[LogT],
    joint: str,
    logs: Sequence[LogT],
    kind: str,
    journal: Journal,
) -> _Zeros:
    """The zeros of one joint, and whether they are clear."""
    rig, space, single = stage.rig, stage.space, stage.rig.zero_of(joint)
    apart = rig.mounted(kind)
    wide = apart.mounted_space(space, logs)
    one = Objective(rig.residuals(logs, space), task.objective)
    each = Objective(apart.residuals(logs, wide), task.objective)
    # 1. quick fit
    found = quick_fit(one, space, rig.quick, task.search.seed, journal)
    # 2. two descents
    known = space.values(found.point)
    begin = [known[single] if OF in name else known[name] for name in wide.names]
    jacobians = rig.weighing_jacobians
    with_one = polish(one, found.point, jacobians)
    with_each = polish(each, wide.to_cube(np.array(begin)), jacobians)
    # 3. log by log
    before, after = _mean(one, with_one), _mean(each, with_each)
    named = {n.partition(OF)[2]: x for n, x in wide.values(with_each).items() if OF in n}
    doubt = ""
    if before - after <= GAIN * before:
        doubt = "less than a fiftieth"
    elif wide.part([n for n in wide.names if OF in n]).at_bounds(_zeros_in(wide, with_each)):
        doubt = "at the end of what is searched, so the model or numbers are wrong there"
    elif not _differ(one, with_one, single, apart.mountings(logs)):
        doubt = "single logs leave it open"
    return _Zeros(joint, named, before, after, doubt)


def _zeros_in(space: Space, point: Floats) -> Floats:
    """Zeros of the mountings at a point of the cube [rad]."""
    return np.array([x for name, x in space.values(point).items() if OF in name])


def _mean(goal: Objective, point: Floats) -> float:
    return float(goal.error(goal.misfit(point[None]))[0])


def _differ(
    goal: Objective, point: Floats, single: str, groups: Mapping[str, Sequence[int]]
) -> bool:
    """Whether the zeros that the logs of two mountings would have, all else as it is, are apart."""
    column = goal.misfit.space.names.index(single)
    points = np.repeat(point[None], POINTS, axis=0)
    points[:, column] = np.linspace(0.0, 1.0, POINTS)
    blocks = goal.misfit.samples.per_block(np.abs(goal.misfit(points)))
    pieces = 2 if len(groups) == len(blocks) else 1
    at = goal.misfit.space.from_cube(points)[:, column]
    zeros = np.array(
        [
            [at[int(np.argmin(x.mean(axis=1)))] for x in np.array_split(block, pieces, axis=1)]
            for block in blocks
        ]
    )
    each = [zeros[list(members)].ravel() for members in groups.values()]
    inside = sum(float(np.sum((group - group.mean()) ** 2)) for group in each)
    variance = inside / max(zeros.size - len(each), 1)
    return any(
        abs(a.mean() - b.mean()) > CLEAR * np.sqrt(variance * (1 / len(a) + 1 / len(b)))
        for a, b in itertools.combinations(each, 2)
    )
