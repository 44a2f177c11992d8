"""Motions of a robot in, the actuators of its joints out.

1. lay out the logs, and the box to search
2. search, all joints together, or each by itself while the others follow their recording
3. simulate what was found anew, on the logs fitted and on those held back
4. say what the logs leave open

The robot itself is an engine's business: it is handed in as a function that builds one.
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.objective import Kind, Objective
from pliant.identify.problem.space import Space
from pliant.identify.robot.evaluation import RobotEvaluation, compare
from pliant.identify.robot.record import record, task, told
from pliant.identify.robot.robot import Robot, alone, identified, with_values
from pliant.identify.robot.space import MASS, Bounds, bodies, robot_space
from pliant.identify.robot.words import words_of
from pliant.identify.search.checkpoint import Checkpoint
from pliant.identify.search.journal import Chapter, Journal, NoJournal
from pliant.identify.search.progress import Progress
from pliant.identify.search.search import SearchResult, SearchSettings, search
from pliant.io.recordings import Recordings
from pliant.io.robot_log import RobotLog

How = Literal["together", "separately", "both"]

DELAY = "timing.delay"
SEARCH = SearchSettings(
    starts=3,
    generations=20,
    polish=8,
    finalists=1,
    final_polish=12,
    rounds=2,
    final_generations=10,
)
"""A candidate costs as much as in the joint engine a hundred; the landscape is less rugged where
several joints and logs are asked at once."""


class Simulation(Protocol):
    """Many candidates of one robot, in an engine."""

    names: list[str]
    """What a candidate's numbers are."""

    def values(self) -> Floats:
        """(P,) The robot as it was given."""
        ...

    def batch(self, values: Floats, logs: Recordings) -> tuple[Floats, int]:
        """(C, P) candidates to (C, M) positions, and how many steps that took."""
        ...


Build = Callable[[Robot, Mapping[str, float]], Simulation]
"""A robot, and the longest command delay [s] of each joint that is to be tried."""


@dataclass(frozen=True, eq=False)
class RobotIdentification:
    """What came out.

    Attributes:
        robot: with the numbers found. space: what was searched. values: (D,) found, in its order.
        fitted, held_out: errors of `robot`, simulated anew.
        searches: what each part of the search came to, by its name. seconds, steps: what it all took.
        open: what the logs leave open, in words.
    """

    robot: Robot
    space: Space
    values: Floats
    fitted: RobotEvaluation
    held_out: RobotEvaluation | None
    searches: Mapping[str, SearchResult]
    seconds: float
    steps: int
    open: tuple[str, ...]

    @property
    def interrupted(self) -> bool:
        """Whether the search ended early."""
        return any(found.interrupted for found in self.searches.values())


def fit_robot(
    robot: Robot,
    build: Build,
    logs: Sequence[RobotLog],
    *,
    held_out: Sequence[RobotLog] = (),
    fit: Mapping[str, Bounds] | Iterable[str] | None = None,
    fix: Iterable[str] = (),
    how: How = "together",
    objective: Kind = "absolute",
    search_settings: SearchSettings | None = None,
    report: Callable[[str, Progress], None] | None = None,
    about: Mapping[str, object] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
) -> RobotIdentification:
    """Fit the parameters of a robot's actuators to recorded motions.

    Args:
        robot: where to begin. build: makes a simulation of one.
        logs: to fit. held_out: to judge by.
        fit, fix: names to add (with bounds or None), to take out; see `robot_space`.
        how: all joints "together"; "separately", each alone while the others are led along their
            recording; "both", from what came out separately on together.
        objective, search_settings: as for one joint.
        report: called with what is being searched, after every generation.
        about: goes into the record of each actuator.
        checkpoint: file in which the search keeps what it has done; what stands there, of the same
            task, is continued, to the same result. It is removed at the end, unless interrupted.
        keep_checkpoint: leave it in any case; remove it when the result is safe.

    Raises:
        PliantError: no logs, a joint that is not recorded, an unknown parameter or bad bounds, a
            checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    began = time.monotonic()
    settings = search_settings or SEARCH
    # 1. lay out
    recordings = Recordings(logs, list(robot.actuators))
    other = Recordings(held_out, list(robot.actuators)) if held_out else None
    fix = tuple(fix)
    space = robot_space(
        robot.actuators, fit=fit, fix=fix, masses=robot.masses, offsets=robot.offsets
    )
    about = {"joints": how, **(about or {})}
    journal: Journal = NoJournal()
    if checkpoint is not None:
        todo = task(robot, logs, space, settings, objective, about)
        journal = Checkpoint(checkpoint, todo)
    run = _Run(build, objective, report, journal)
    # 2. search
    values = dict(zip(space.names, map(float, space.start), strict=True))
    if how != "together":
        for joint in robot.actuators:
            part = _only(space, values, f"{joint}.")
            if part.names:
                values |= run.search(alone(robot, joint), logs, part, settings, joint)
    if how != "separately" or bodies(space):
        near = dataclasses.replace(settings, starts=1, generations=0)
        chosen = near if how != "together" else settings
        part = _only(space, values, "" if how != "separately" else MASS)
        values |= run.search(with_values(robot, values), logs, part, chosen, "together")
    # 3. simulate anew
    point = np.array([values[name] for name in space.names])
    result = identified(robot, values, space)
    fitted = _simulated(build, result, recordings)
    judged = None if other is None else _simulated(build, result, other)
    said = record(fitted, judged, run.searches, settings, objective) | about
    result = dataclasses.replace(
        result, actuators={j: told(a, j, said, fitted) for j, a in result.actuators.items()}
    )
    ended = any(one.interrupted for one in run.searches.values())
    if isinstance(journal, Checkpoint) and not (ended or keep_checkpoint):
        journal.remove()
    # 4. what is left open
    return RobotIdentification(
        result,
        space,
        point,
        fitted,
        judged,
        run.searches,
        time.monotonic() - began,
        run.steps,
        tuple(words_of(result.actuators, space, point, logs)),
    )


class _Run:
    """The parts of one identification: what they found, and took."""

    def __init__(
        self,
        build: Build,
        objective: Kind,
        report: Callable[[str, Progress], None] | None,
        journal: Journal,
    ) -> None:
        self.build, self.report, self.journal = build, report, journal
        self.objective: Kind = objective
        self.searches: dict[str, SearchResult] = {}
        self.steps = 0

    def search(
        self,
        robot: Robot,
        logs: Sequence[RobotLog],
        space: Space,
        settings: SearchSettings,
        part: str,
    ) -> dict[str, float]:
        """The best values of `space`, name by name."""
        masses = dict.fromkeys(bodies(space), 1.0) | dict(robot.masses)
        simulation = self.build(dataclasses.replace(robot, masses=masses), longest_delays(space))
        # An engine for robots has what `Objective` uses of an engine for joints, and `Recordings`
        # what it uses of logs, with the joints of each log as blocks.
        recordings = Recordings(logs, list(robot.actuators))
        goal = Objective(cast("Any", simulation), cast("Any", recordings), space, self.objective)

        def report(progress: Progress) -> None:
            if self.report is not None:
                self.report(part, progress)

        begin, chapter = space.to_cube(space.start), Chapter(self.journal, part)
        found = search(goal, begin, settings, report, chapter)
        self.searches[part] = found
        self.steps += goal.steps
        return dict(zip(space.names, map(float, space.from_cube(found.point)), strict=True))


def longest_delays(space: Space) -> dict[str, float]:
    """Joint to the longest delay in the box."""
    ends = zip(space.names, space.high, strict=True)
    return {n.removesuffix(f".{DELAY}"): float(h) for n, h in ends if n.endswith(f".{DELAY}")}


def _only(space: Space, values: Mapping[str, float], prefix: str) -> Space:
    """The part of a space whose names begin so, beginning at `values`."""
    mine = [k for k, name in enumerate(space.names) if name.startswith(prefix)]
    names = tuple(space.names[k] for k in mine)
    start = np.array([values[name] for name in names])
    return Space(names, space.low[mine], space.high[mine], start)


def _simulated(build: Build, robot: Robot, logs: Recordings) -> RobotEvaluation:
    simulation = build(robot, {})
    positions, _ = simulation.batch(simulation.values()[None], logs)
    return compare(logs, positions[0])
