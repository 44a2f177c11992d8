"""Numbers that these logs cannot determine, held whatever they do for the error: of a supply, heat, a firmware.

How a supply gives way under load is seen at full command. Where no log shows that, its resistance is
fitted to what is wrong elsewhere, and spoils the torque at heavier loads and other gains. So:

1. a quick fit without it
2. from there, the same descent without it and with it, begun at several resistances; of a fit that begins
   where a simpler model ended, also at what that found
3. it is searched only if the error falls by a quarter

On 48 logs of an STS3032 without full command it falls by an eighth at most, and a gain left out is
predicted to 11.4 mrad with it and to 7.0 without; on an XL330's by more than half, and what is left out
is predicted to a third of the error.

Heat takes torque away while current flows, as anything may that a model lacks, and what a servo reads is its
board, not its winding, that only starts there: without being asked for it is searched only after the same test,
and only if its time constant is found within its bounds.

A dead band and a derivative gain that a servo's file only assumes to be 0 blur what gain and friction do. They are
searched if the error falls by a tenth. On the STS3032 it does not, and gain 32 left out is predicted to 7.7 and 6.8
mrad with them (seeds 1 and 2), to 6.4 and 6.3 without; gains 4 and 8 and the heaviest load within 0.4 of the same.
"""

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.doubt import Doubt
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.space import Space
from pliant.identify.problem.task import FitTask
from pliant.identify.quick_fit import quick_fit
from pliant.identify.search.journal import Journal
from pliant.identify.search.least_squares import polish

PORT, HEAT, FIRMWARE = "driver", "thermal", "control"
UNSEEN = {
    PORT: "full command was not seen",
    HEAT: "no log shows a winding's temperature",
    FIRMWARE: "the servo's file only assumes 0",
}
NEEDED = {PORT: 0.25, HEAT: 0.25, FIRMWARE: 0.1}
"""Share of the error that it must take away."""
TRIED = (0.1, 0.2, 0.35, 0.5, 0.7)
"""Places of its numbers in the cube from which the descent may begin; at 0 its slope is 0."""


def unsupported(space: Space, task: FitTask[LogT], before: Sequence[Doubt]) -> dict[str, list[str]]:
    """Port to its numbers that are searched unasked, and have to show that they are needed.

    A supply's if full command was not seen, heat's, and a firmware's that are assumed to be 0.
    """
    found: dict[str, list[str]] = {}
    unseen = any(doubt.kind == "full duty" for doubt in before)
    lone = [*task.rig.actuators.values()] if "" in task.rig.actuators else []
    assumed = {
        name
        for actuator in lone
        for name, number in actuator.numbers.items()
        if number.how == "assumed" and number.value == 0.0
    }
    for name, low in zip(space.names, space.low, strict=True):
        port = name.partition(".")[0]
        supply = port == PORT and low == 0.0 and unseen
        firmware = port == FIRMWARE and low == 0.0 and name in assumed
        if (supply or port == HEAT or firmware) and name not in task.fit:
            found.setdefault(port, []).append(name)
    return found


def in_question(rig: Rig[LogT]) -> set[tuple[str, str, str]]:
    """Joint, port and law of every supply and heat of a joint or robot."""
    return {
        (joint, port, str(actuator.laws[port].path))
        for joint, actuator in rig.actuators.items()
        for port in UNSEEN
        if port in actuator.laws
    }


def held_by_simpler(
    task: FitTask[LogT], logs: Sequence[LogT], simpler: Rig[LogT], searched: Collection[str]
) -> FitTask[LogT]:
    """The task without what the same firmware, in a simpler model of the same logs, was found not to do.

    What was searched there is asked anew: it may have stood for what that model lacks.
    """
    mine, theirs = ({x for x in in_question(r) if x[1] == FIRMWARE} for r in (task.rig, simpler))
    if mine != theirs:
        return task
    return as_settled(task, logs, searched, ports=(FIRMWARE,), anew=True)


# Five arguments: a fit and its logs, and what is taken from an earlier one.
def as_settled(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    searched: Collection[str],
    *,
    ports: Collection[str] = tuple(UNSEEN),
    anew: bool = False,
) -> FitTask[LogT]:
    """The task with that question answered as an earlier fit to the same logs answered it.

    Args:
        task, logs: of a fit. searched: numbers that the earlier one searched. ports: that are in question.
        anew: what was searched there is asked for again.
    """
    rig = task.rig.holding(task.fix)
    space = rig.space(task.fit, task.fix, logs)
    ends = zip(space.names, map(float, space.low), map(float, space.high), strict=True)
    open_ = {
        name: (low, high)
        for name, low, high in ends
        if name.partition(".")[0] in ports and name not in task.fit
    }
    asked = {} if anew else {name: box for name, box in open_.items() if name in searched}
    held = dict.fromkeys(name for name in open_ if name not in searched)
    if task.given is not None:
        task = dataclasses.replace(task, rig=_as_given(task.rig, task.given, held))
    return dataclasses.replace(task, fit={**task.fit, **asked}, fix={**task.fix, **held})


# Six arguments: a task laid out, what is in question, and where its work is kept.
def without(
    task: FitTask[LogT],
    rig: Rig[LogT],
    logs: Sequence[LogT],
    space: Space,
    names: Sequence[str],
    journal: Journal,
) -> tuple[Rig[LogT], Space, str]:
    """The rig and the space to search, and in words whether `names` are part of it."""
    held = rig if task.given is None else _as_given(rig, task.given, names)
    rest = space.part([name for name in space.names if name not in names])
    bare = Objective(held.coarse().residuals(logs, rest), task.objective)
    whole = Objective(rig.coarse().residuals(logs, space), task.objective)
    # 1. quick fit
    found = quick_fit(bare, rest, rig.quick, task.search.seed, journal)
    # 2. two descents
    known = rest.values(found.point)
    begin = space.to_cube(np.array([known.get(name, 0.0) for name in space.names]))
    points = np.repeat(begin[None], len(TRIED), axis=0)
    points[:, [space.names.index(name) for name in names]] = np.array(TRIED)[:, None]
    if task.given is not None:
        points = np.vstack([points, space.to_cube(space.start)])
    best = points[int(np.argmin(whole(points)))]
    jacobians = rig.weighing_jacobians
    before = _error(bare, polish(bare, found.point, jacobians))
    end = polish(whole, best, 2 * jacobians)
    after = _error(whole, end)
    # 3. by how much
    port = names[0].partition(".")[0]
    listed, why = " and ".join(names), UNSEEN[port]
    fall = f"{1e3 * before:.1f} to {1e3 * after:.1f} mrad"
    times = [n for n in names if "tau" in n and _at_bound(space, end, n)]
    if after < (1.0 - NEEDED[port]) * before and not times:
        return rig, space, f"{listed} searched: {why}, but a quick fit falls from {fall}"
    them = "it" if len(names) == 1 else "them"
    reason = f"a quick fit goes only from {fall} with {them}"
    if times:
        reason = f"a quick fit takes {times[0]} to its bound"
    return held, rest, f"{listed} held: {why}, and {reason}; --fit {names[0]} searches it"


def _as_given(rig: Rig[LogT], given: Rig[LogT], names: Collection[str]) -> Rig[LogT]:
    """`rig` with the numbers `names` of another."""
    return rig.with_actuators(
        {
            joint: actuator.with_numbers(
                {n: x for n, x in given.actuators[joint].numbers.items() if n in names}
            )
            for joint, actuator in rig.actuators.items()
        }
    )


def _at_bound(space: Space, point: Floats, name: str) -> bool:
    return not 0.01 < point[space.names.index(name)] < 0.99


def _error(goal: Objective, point: Floats) -> float:
    return float(goal.error(goal.misfit(point[None]))[0])
