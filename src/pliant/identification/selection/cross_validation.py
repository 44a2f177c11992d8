"""Cross-validation: groups of logs held out, and predicted by fits to the others.

`left_out` holds out a group by a descent from the fit to all logs, because fits whose logs differ in one group are close.
`second_fit`, used if no hold-out was asked for, holds out one group by a shorter search that has never seen it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pliant.identification.fit import fit
from pliant.identification.problem.hold_out import hold_out, keys_of
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.result.identification import Identification
from pliant.identification.search.search import Progress


@dataclass(frozen=True, eq=False)
class Fold:
    """A fit without one group of logs.

    Attributes:
        fitted: mean error on the others [rad]. held_out: log of the group to its error, mean over the joints
            [rad]. density: log of the group to its log density, given the others.
        evaluations, steps: used.
    """

    fitted: float
    held_out: Mapping[str, float]
    density: Mapping[str, float]
    evaluations: int = 0
    steps: int = 0

    @property
    def error(self) -> float:
        """Mean error on the group [rad]."""
        return sum(self.held_out.values()) / len(self.held_out)


def left_out(found: Identification[LogT], out: Sequence[LogT]) -> Fold:
    """The fit without some of its logs, started from the end of the fit to all of them.

    It is slightly optimistic: searches that never saw these logs had up to 17 % larger errors on them, 6 % on average
    (twelve groups of logs of four devices; `python benchmarks rings` holds them out from the start).
    """
    names = {log.name for log in out}
    left = [log for log in found.fitted.logs if log.name in names]
    goal, at = found.refitted([log for log in found.fitted.logs if log.name not in names])
    here = goal.residuals(at[None])
    judged = found.rig.identified(found.space, found.space.values(at), None).evaluate(left)
    other = found.goal(left)
    density = other.densities(other.residuals(at[None])[0], goal.scales(here[0]))
    each = density.reshape(len(left), -1).sum(axis=1)
    likely = dict(zip((log.name for log in left), each.tolist(), strict=True))
    error = float(goal.error(here)[0])
    return Fold(error, judged.by_log(), likely, goal.evaluations, goal.steps)


JOINT_KINDS = {"gain": 2, "load": 2, "trajectory": 2}
"""Kinds of groups that test a joint's fit if nothing is held out, each with how many groups it needs; the
first that has enough is used."""
ROBOT_KINDS = {"motion": 2, "log": 3}
"""The same for a robot; with two runs of one motion, holding out one would lose half of the data."""


def group_to_test(logs: Sequence[LogT]) -> str | None:
    """A group of logs to hold out, "gain=800": the highest of the first kind with several."""
    keys = keys_of(logs)
    for kind, fewest in (ROBOT_KINDS if "motion" in keys else JOINT_KINDS).items():
        groups = {keys[kind](log) for log in logs}
        if len(groups) >= fewest:
            return f"{kind}={max(groups, key=_rank)}"
    return None


def second_fit(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    choice: str,
    report: Callable[[Progress], None],
) -> Identification[LogT]:
    """A second, shorter fit without the logs of `choice`, and its errors on them.

    It starts from the actuator that was given, not from the fit that has seen all logs.

    Raises:
        KeyboardInterrupt: before anything was found.
    """
    kept, out = hold_out(logs, choice)
    given, brief = task.search, task.rig.fold_search
    search = replace(
        given,
        starts=min(given.starts, brief.starts),
        jacobians=min(given.jacobians, brief.jacobians),
    )
    shorter = replace(task, search_settings=search, hold_out=())
    return fit(shorter, kept, held_out=out, report=report)


def _rank(group: str) -> tuple[float, str]:
    try:
        return float(group), ""
    except ValueError:
        return 0.0, group
