"""Recorder delay, supply and temperature of each day, where the logs show that they differ.

They belong to the recordings: found before the search, put into the logs, kept in the file's record of
the fit and out of the actuator.

1. a quick fit with the logs as they were recorded
2. from there one descent with a value of each part for each group but the first, all at once: a weak
   supply and a late bus both make a joint lag
   A robot's joints and what they share take turns, from the ages that single logs would have
3. a part that runs to the end of its range, or that a voltmeter in the logs contradicts, is taken away,
   because it stands for an error of the model; then the one that helps least, until each that is left
   lowers the error by a twentieth, of a robot by a fiftieth, of groups that were asked for by a hundredth
4. then one that the values that single logs would have by themselves do not show (`log_by_log`); of groups
   that were asked for, one that they contradict

After each that is taken away, told with its value and the reason, one more descent.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.mounting import AUTO, check_kind
from pliant.identification.problem.recorded_apart import (
    Apart,
    fall,
    in_words,
    put,
    said_of,
    unshared,
)
from pliant.identification.problem.recorder import AGE, Part
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.problem.task import FitTask
from pliant.identification.recorder_descents import Descents
from pliant.identification.search.journal import Chapter, Journal, NoJournal
from pliant.identification.search.search import SearchSettings, search
from pliant.io.log import Log

QUICK = SearchSettings(starts=3, jacobians=20)
"""The fit that differences between recorders are looked for in."""
SHOWN = 3
"""Values of one part that a line names."""


def alike(
    task: FitTask[LogT], logs: Sequence[LogT], note: Callable[[str], None] | None = None
) -> list[LogT]:
    """The logs without what `task` finds to differ between their recorders.

    `note` is told what was found, and what was left out. Mountings have a zero each as far as the task says
    which; where it leaves that open they have one.
    """
    note = note or _unsaid
    rig = task.rig.holding(task.fix)
    by = rig.recorder_kind(logs, task.recorder_by)
    if by is None:
        return list(logs)
    space = rig.space(task.fit, task.fix, logs)
    sampling = "hold" if task.sampling == "best" else task.sampling
    theirs, rig = rig.as_recorded(logs, sampling, task.sample_age)
    kind = None if task.zero_by == AUTO else rig.mounting_kind(logs, task.zero_by)
    if kind is not None:
        rig = rig.mounted(kind, task.zeroed_joints)
        space = rig.mounted_space(space, logs)
    found = recorders(task, rig, theirs, space, by, NoJournal(), note)
    known = {part.name: part for part in rig.recorder_parts()}
    made = list(logs)
    for one in found:
        note(f"{in_words(known[one.part], one)}; --recorder-by none leaves them as they are")
        made = put(known[one.part], made, one.by, one.values)
    return made


# Seven arguments: a task laid out, what logs are grouped by, where its work is kept, and who is told.
def recorders(
    task: FitTask[LogT],
    rig: Rig[LogT],
    logs: Sequence[LogT],
    space: Space,
    by: str,
    journal: Journal,
    note: Callable[[str], None],
) -> list[Apart]:
    """Parts of the recordings that the logs show to differ, with their values.

    `note` is told what was looked at and left out, and why.
    """
    rig = rig.one_by_one().coarse()
    # 1. quick fit
    begin = _quick_values(task, rig, logs, space, journal)
    return _apart(Descents(task, rig, logs, space, by), begin, note)


# Five arguments: a task laid out, and where its work is kept.
def _quick_values(
    task: FitTask[LogT], rig: Rig[LogT], logs: Sequence[LogT], space: Space, journal: Journal
) -> dict[str, float]:
    """Values of a short fit, each joint by itself.

    Raises:
        KeyboardInterrupt: Ctrl-C, since nothing can be decided by half a search.
    """
    values = dict(zip(space.names, map(float, space.start), strict=True))
    for stage in rig.stages(space, values):
        goal = task.goal(stage.rig, stage.rig.residuals(logs, stage.space))
        settings = dataclasses.replace(QUICK, seed=task.search.seed)
        chapter = Chapter(journal, stage.name) if stage.name else journal
        found = search(goal, stage.space.to_cube(stage.space.start), settings, None, chapter)
        if found.interrupted:
            raise KeyboardInterrupt
        values |= stage.space.values(found.point)
    return values


def find_recorders(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    recorder_by: str | None = AUTO,
    settings: JointSettings | None = None,
    note: Callable[[str], None] | None = None,
) -> tuple[list[Log], list[tuple[Part, Apart]]]:
    """Logs without what differs between their recorders; nothing of the actuator moves.

    Of supplies and temperatures, that group counts as it was recorded with which the error is smallest.

    Args:
        actuator: as it is. logs: new to it. recorder_by: what logs of one recorder share; "auto": day
            or folder. settings: of the joint engine.
        note: told what was looked at and left out, and why.

    Raises:
        PliantError: no such property of recordings.
    """
    check_kind("recorder_by", recorder_by)
    rig = JointRig(actuator, settings or JointSettings())
    return recorders_beside(rig, logs, recorder_by, note)


def recorders_beside(
    rig: Rig[LogT],
    logs: Sequence[LogT],
    recorder_by: str | None = AUTO,
    note: Callable[[str], None] | None = None,
) -> tuple[list[LogT], list[tuple[Part, Apart]]]:
    """The same of a joint or a robot as it is; see `find_recorders`."""
    by, made = rig.recorder_kind(logs, recorder_by), list(logs)
    if by is None:
        return made, []
    none = np.empty(0)
    task = FitTask(rig=rig, recorder_by=recorder_by)
    work = rig if [*rig.actuators] == [""] else rig.one_by_one().coarse()
    descents = Descents(task, work, logs, Space((), none, none, none), by)
    known = {part.name: part for part in rig.recorder_parts()}
    found = [(known[one.part], one) for one in _apart(descents, {}, note or _unsaid)]
    told: list[tuple[Part, Apart]] = []
    for part, one in found:
        kinds = [one] if part is AGE else [_beside(part, one, group) for group in one.values]
        tried = [put(part, made, by, kind.values) for kind in kinds]
        k = int(np.argmin([rig.evaluate(some).mae for some in tried]))
        made = tried[k]
        told.append((part, kinds[k]))
    return made, told


def _beside(part: Part, found: Apart, group: str) -> Apart:
    """The same with one group as it was recorded: with the actuator held, nothing else is shared."""
    own = found.values[group]
    values = {name: x / own if part.neutral else x - own for name, x in found.values.items()}
    return dataclasses.replace(found, values=values)


def _unsaid(text: str) -> None:
    """Nobody is told."""


def _apart(
    work: "Descents[LogT]", begin: Mapping[str, float], note: Callable[[str], None]
) -> list[Apart]:
    """The parts that differ, from descents that begin at these values."""
    # 2. all parts at once
    parts = [p for p in work.rig.recorder_parts() if not work.read(p)]
    after, values = work.descended(parts, {**begin, **work.by_single_logs(begin)})
    while parts:
        # 3. what is no recorder's, then what helps least
        without = dict[str, tuple[float, dict[str, float]]]()
        left = next(((part, why) for part in parts if (why := work.refused(part, values))), None)
        if left is None:
            without = {
                p.name: work.descended([o for o in parts if o is not p], values) for p in parts
            }
            left = work.idle(parts, after, {name: error for name, (error, _) in without.items()})
        # 4. log by log
        left = left or work.not_shown(parts, values)
        if left is None:
            return [
                Apart(
                    part.name,
                    work.by,
                    unshared(part, work.of_groups(part, values)),
                    without[part.name][0],
                    after,
                )
                for part in parts
            ]
        part, why = left
        parts.remove(part)
        told, with_it = said_of(part, work.of_groups(part, values), SHOWN), after
        after, values = without.get(part.name) or work.descended(parts, values)
        note(f"recordings by {work.by}, not taken: {told}, error {fall(after, with_it)}: {why}")
    return []
