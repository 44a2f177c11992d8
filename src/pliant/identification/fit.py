"""Fit the actuators of a joint, or of a robot, to recorded logs: logs in, actuators out.

1. lay out the logs; report what they cannot determine
2. settle when commands acted, and the delay and supply of each recorder
3. search, stage by stage (a robot's joints one by one): actuator, bench and mountings in one vector
4. polish a robot's joints together
5. simulate the result on the logs fitted and held out; report what remains undetermined
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Unpack

import numpy as np

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.extras import need
from pliant.identification.problem.device_match import kinship, mismatches
from pliant.identification.problem.doubt import Doubt, sentences
from pliant.identification.problem.hold_out import Recorded, divided, hold_out, recorded
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.mounting_offsets import AUTO, MOUNTINGS, OF, ZERO
from pliant.identification.problem.nuisances import Nuisance, nuisances
from pliant.identification.problem.posterior import Posterior, moved
from pliant.identification.problem.recorder_parameters import (
    Apart,
    apart_of,
    in_words,
    is_apart,
    put_all,
    winding_start_message,
    with_parts,
)
from pliant.identification.problem.residuals import Held
from pliant.identification.problem.rig import Rig, Stage
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.problem.task import FitOptions, FitTask, fit_task
from pliant.identification.result.identification import Identification, with_fits
from pliant.identification.result.record import with_record
from pliant.identification.search.checkpoint import Journal
from pliant.identification.search.search import Progress, SearchResult, refined, search
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log

__all__ = ["Identification", "Report", "fit", "hold_out", "identify"]

Report = Callable[[Progress], None]

TOGETHER = "together"
"""Name of the search over all joints, after each was searched by itself."""
PIECES = (0.5, 1.5)
"""[s] Lengths of the pieces of logs that most descents begin with."""
POLISH = 8
"""Jacobians of all joints together: few, because each joint's own optimum is close."""


# Many keyword arguments: a caller reads them in the signature.
def identify(
    actuator: Actuator | str | Path,
    logs: Sequence[Log] | Recorded,
    *,
    held_out: Sequence[Log] | Recorded = (),
    settings: JointSettings | None = None,
    name: str | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
    **options: Unpack[FitOptions],
) -> Identification:
    """Fit the parameters of `actuator` to recorded logs of it on a pendulum.

    Args:
        actuator: gives laws, starting values and bounds; an actuator, its name, or its TOML file.
        logs: to fit, as `read_logs` returns them; or their files or folders. held_out: to test on, not used by the fit.
        settings: step, command convention and supply of the joint engine.
        name, report, note, checkpoint, keep_checkpoint: see `fit`.
        options: `fit`, `fix`, `prior`, `search_settings`, `sampling`, `sample_age`,
            `zero_by`, `hold_out`: see `FitTask`.

    Raises:
        PliantError: see `fit`.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    return fit(
        fit_task(JointRig(load_actuator(actuator), settings or JointSettings()), options),
        recorded(logs),
        held_out=recorded(held_out),
        name=name,
        report=report,
        note=note,
        checkpoint=checkpoint,
        keep_checkpoint=keep_checkpoint,
    )


def fit(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    *,
    held_out: Sequence[LogT] = (),
    name: str | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
) -> Identification[LogT]:
    """Run the fit that `task` defines, on logs of a joint or of a robot.

    Args:
        task: what is to be fitted. Groups that it holds out in turn are fitted here like the
            others; `selection.cross_validation` tests on them.
        logs: to fit, except those that `task` holds out. held_out: more to test on.
        name: of the new actuator.
        report: called after every Jacobian, and every step.
        note: called with messages before the search: what the logs cannot determine.
        checkpoint: file in which the search saves its progress. If it exists, from the same task,
            the search resumes from it, with the same result as one uninterrupted run. It is removed
            when the search is done, and kept if the search was interrupted.
        keep_checkpoint: always keep it; the caller removes it when the result is safe.

    Raises:
        PliantError: no logs, an unknown parameter, one both to fit and to fix, no finite bounds, nothing
            to identify, a missing extra, a checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    need("scipy", "identify")  # the search would find out later
    division = divided(logs, task.hold_out)
    judged = [*division.held_out, *held_out]
    journal = Journal(checkpoint, task.fingerprint(division.fitted) if checkpoint else None)
    work = _Fit(task, journal, report, note or _silent)
    found = work.identified(division.fitted, judged, name)
    if not (found.interrupted or keep_checkpoint):
        journal.remove()
    return found


def _silent(_: str) -> None:
    pass


@dataclass(eq=False)
class _Fit(Generic[LogT]):
    """A fit in progress: one task, the journal of its work and the listeners to its progress.

    Attributes:
        task: what is to be fitted. journal: finished work, which is not repeated.
        report, note: see `fit`. searches, steps: done so far.
    """

    task: FitTask[LogT]
    journal: Journal
    report: Report | None
    note: Callable[[str], None]
    searches: dict[str, SearchResult] = field(default_factory=dict[str, SearchResult])
    steps: int = 0

    # Many lines: the five steps of the module, one after the other, on the same values.
    def identified(
        self, logs: Sequence[LogT], held_out: Sequence[LogT], name: str | None
    ) -> Identification[LogT]:
        """Fit `logs`, and also test on `held_out`; `name` is that of the new actuator."""
        began, task = time.monotonic(), self.task
        # 1. lay out
        rig = task.rig.holding(task.fix)
        rig.check([*logs, *held_out])
        space = rig.space(task.fit, task.fix, logs)
        space = space if task.prior is None else task.prior.start(space)
        before = tuple(rig.ambiguities(space, logs, task.sample_age))
        for sentence in sentences(before):
            self.note(f"before the fit: {sentence}")
        # 2. when commands acted, recorders
        held_out, _ = rig.as_recorded(held_out, task.sampling, task.sample_age)
        logs, rig = rig.as_recorded(logs, task.sampling, task.sample_age)
        rig, space, kind = self._mounted(rig, logs, space)
        if warm := winding_start_message(rig.actuators, logs):
            self.note(warm)
        rig, space = self._apart(rig, logs, space)
        # 3. search
        values = self._searched(rig.coarse(), logs, space)
        # 4. polish together
        if rig.coarse() is not rig and not self._interrupted:
            values = self._polished(rig, logs, space, values)
        # 5. simulate anew
        searched = space
        apart = self._of_recorders(rig, logs, values)
        space, values, zeros, beyond = self._split(space, values)
        for parts in [rig.recorder_parts()] if apart else []:
            logs, held_out = (put_all(parts, apart, some) for some in (logs, held_out))
        logs, held_out = (rig.zeroed(some, zeros) for some in (logs, held_out))
        rig, said = rig.as_set(logs, values)
        result = rig.identified(space, values, name)
        if said:
            self.note(f"written with the {said}")
        ends = [*self.searches.values()][-1].ends
        result = with_fits(
            result, space, np.array([values[n] for n in space.names]), searched, ends
        )
        apart_by = self._mounting_of_all(rig, [*logs, *held_out], searched, kind)
        held_out, judged = _with_zeros(result, held_out, logs, apart_by)
        for one in judged:
            self.note(f"held out whole: {one}")
        found = Identification(
            task=dataclasses.replace(task, zero_by=apart_by if judged else kind),
            rig=result,
            space=space,
            values=values,
            fitted=result.evaluate(logs),
            held_out=result.evaluate(held_out) if held_out else None,
            searches=self.searches,
            seconds=time.monotonic() - began,
            steps=self.steps,
            before=before,
            moved=moved(task.prior, space, values) if task.prior else (),
            zeros=zeros,
            recorders=tuple(apart),
            zeros_judged=tuple(judged),
        )
        words, others = kinship(task.prior, rig.actuators, logs) if task.prior else ([], [])
        doubts = _doubts(found, [*mismatches(rig.actuators, logs), *others, *beyond])
        return with_record(dataclasses.replace(found, doubts=doubts), words)

    def _mounted(
        self, rig: Rig[LogT], logs: Sequence[LogT], space: Space
    ) -> tuple[Rig[LogT], Space, str | None]:
        """Rig and space with a zero for each mounting, and the property that defines one; None: a single mounting."""
        kind = rig.mounting_kind(logs, self.task.zero_by)
        self._lone("zero_by", self.task.zero_by, kind)
        if kind is None or not rig.has_zero(space):
            return rig, space, None
        made = rig.mounted(kind)
        return made, made.mounted_space(space, logs), kind

    def _lone(self, option: str, asked: str | None, taken: str | None) -> None:
        """Note that all logs share the property they were to be grouped by."""
        if asked not in (None, AUTO) and taken is None:
            self.note(f"{option} {asked}: all logs are of one {asked}, so there is only one group")

    # Five arguments: where a zero may have been fitted, and what was settled for the logs fitted.
    def _mounting_of_all(
        self, rig: Rig[LogT], logs: Sequence[LogT], searched: Space, kind: str | None
    ) -> str | None:
        """The property by which held-out logs may have a mounting that no fitted log has; None: no such log.

        On a bench, a zero that is not searched is known. A robot may be recalibrated between days.
        """
        if "" not in rig.actuators:
            by = "day" if self.task.zero_by == AUTO else self.task.zero_by
            return kind or rig.mounting_kind(logs, by)
        free = ZERO in searched.names or any(name.startswith(OF) for name in searched.names)
        return kind or (rig.mounting_kind(logs, self.task.zero_by) if free else None)

    def _apart(self, rig: Rig[LogT], logs: Sequence[LogT], space: Space) -> tuple[Rig[LogT], Space]:
        """Rig and space with parameters for each recorder, if the logs come from several."""
        by = rig.recorder_kind(logs, self.task.recorder_by)
        self._lone("recorder_by", self.task.recorder_by, by)
        if by is None:
            return rig, space
        return rig.apart(by), with_parts(space, rig.recorder_parts(), logs, by)

    def _of_recorders(
        self, rig: Rig[LogT], logs: Sequence[LogT], values: Mapping[str, float]
    ) -> list[Apart]:
        """Report and return the recorders' parameters among the values."""
        by, parts = rig.recorder_by, rig.recorder_parts()
        found = apart_of(parts, by, logs, values) if by else []
        for one in found:
            self.note(f"{in_words(one)}; --reading recorder_by=none leaves them as they are")
        return found

    def _split(
        self, space: Space, values: dict[str, float]
    ) -> tuple[Space, dict[str, float], dict[str, float], list[Doubt]]:
        """Space and values of the actuator, the mounting zeros, and nuisance parameters that are at a bound."""
        named = {name.replace(OF, ""): name for name in values if OF in name}
        zeros = {mounting: values[name] for mounting, name in named.items()}
        for mounting, zero in zeros.items():
            self.note(f"zero of {mounting}: {1e3 * zero:.1f} mrad")
        own = [name for name in space.names if OF not in name and not is_apart(name)]
        part = space.part([name for name in space.names if name not in own])
        ends = part.at_bounds(np.array([values[name] for name in part.names]))
        return space.part(own), {name: values[name] for name in own}, zeros, ends

    @property
    def _interrupted(self) -> bool:
        return any(one.interrupted for one in self.searches.values())

    def _searched(self, rig: Rig[LogT], logs: Sequence[LogT], space: Space) -> dict[str, float]:
        """The best values of all stages, one after the other."""
        values = dict(zip(space.names, map(float, space.start), strict=True))
        for stage in rig.stages(space, values):
            values |= self._stage(stage, logs, values)
            if self._interrupted:
                break
        return values

    def _polished(
        self, rig: Rig[LogT], logs: Sequence[LogT], space: Space, values: dict[str, float]
    ) -> dict[str, float]:
        """Values polished at the step of `rig`, in the part of `space` that it selects."""
        part = rig.refined(space).starting_at(values)
        if not part.names:
            return values
        (name, found), *others = self.searches.items()
        if others:
            name, begin = TOGETHER, part.to_cube(part.start)
            errors = [one.error for one in self.searches.values()]
            found = SearchResult(point=begin, cost=np.inf, error=float(np.mean(errors)))
        logs = _recorded(rig, logs, part, values)
        if len(part.names) < len(space.names):
            rig = rig.holding({n: x for n, x in values.items() if rig.has(n)})
            zeros = {n.replace(OF, ""): x for n, x in values.items() if OF in n}
            logs = rig.zeroed(logs, {} if any(OF in n for n in part.names) else zeros)
        goal = self.task.goal(rig, rig.residuals(logs, part))
        seen = rig.seeing(part)
        beside = None if seen is rig else self.task.goal(rig, seen.residuals(logs, part))
        self.searches[name] = refined(goal, found, POLISH, self.journal, beside)
        self.steps += goal.steps
        return values | part.values(self.searches[name].point)

    def _stage(
        self, stage: Stage[LogT], logs: Sequence[LogT], values: Mapping[str, float]
    ) -> dict[str, float]:
        space, whole = stage.space, stage.within or stage.space
        logs = _recorded(stage.rig, logs, whole, values)

        def goal_of(some: Sequence[LogT]) -> Posterior:
            misfit = stage.rig.residuals(some, whole)
            if stage.within is not None:
                misfit = Held(misfit, space.names, whole.to_cube(whole.start))
            return self.task.goal(stage.rig, misfit)

        goal, eased = goal_of(logs), list[Posterior]()
        settings = self.task.search
        if stage.again or settings.starts == 1:
            settings = dataclasses.replace(settings, starts=1)
        else:
            longest = float(goal.misfit.samples.time.max())
            eased = [
                goal_of(stage.rig.pieces(logs, seconds))
                for seconds in PIECES
                if 2.0 * seconds <= longest
            ]
        journal = self.journal.chapter(stage.name) if stage.name else self.journal
        begin = space.to_cube(space.start)
        found = search(goal, begin, settings, self._report(stage), journal, eased)
        self.searches[stage.name] = found
        self.steps += goal.steps + sum(one.steps for one in eased)
        return space.values(found.point)

    def _report(self, stage: Stage[LogT]) -> Report | None:
        report = self.report
        if report is None:
            return None
        space = stage.space

        def told(progress: Progress) -> None:
            found = {} if progress.at is None else space.values(progress.at)
            ends = zip(found.items(), space.low, space.high, strict=True) if found else ()
            values = {name: (x, float(low), float(high)) for (name, x), low, high in ends}
            report(dataclasses.replace(progress, part=stage.name, values=values))

        return told


def _recorded(
    rig: Rig[LogT], logs: Sequence[LogT], space: Space, values: Mapping[str, float]
) -> Sequence[LogT]:
    """The logs with the recorder parameters that were found earlier and are not searched in `space`."""
    by, parts = rig.recorder_by, rig.recorder_parts()
    known = {n: x for n, x in values.items() if is_apart(n) and n not in space.names}
    return put_all(parts, apart_of(parts, by, logs, known), logs) if by else logs


def _with_zeros(
    rig: Rig[LogT], held_out: Sequence[LogT], fitted: Sequence[LogT], kind: str | None
) -> tuple[list[LogT], list[Nuisance]]:
    """Held-out logs, zeroed if no fitted log shares their mounting, and the zeros found for them."""
    key: Any = MOUNTINGS[kind] if kind else None
    known = {key(log) for log in fitted} if kind else set[str]()
    new = [k for k, log in enumerate(held_out) if kind and key(log) not in known]
    made = list(held_out)
    theirs, found = nuisances(rig, [made[k] for k in new], kind, None) if new else ([], [])
    for k, log in zip(new, theirs, strict=True):
        made[k] = log
    return made, found


def _doubts(found: Identification[LogT], others: Iterable[Doubt]) -> tuple[Doubt, ...]:
    doubts = [*others, *found.before, *found.space.at_bounds(found.point)]
    if found.interrupted:
        text = "the search was interrupted; this is the best result so far"
        doubts.append(Doubt("interrupted", (), text))
    return tuple(dict.fromkeys(doubts))
