"""Second, shorter fit without one group of logs: the test of a fit that has seen all of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pliant.identify.fit import fit
from pliant.identify.problem.hold_out import hold_out, keys_of
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.task import FitTask
from pliant.identify.result.identification import Identification
from pliant.identify.search.progress import Progress

JOINT_KINDS = {"gain": 2, "load": 2, "trajectory": 2}
"""Groups that a joint's fit is tested on if nothing is held out, the first of which there are as
many as it says."""
ROBOT_KINDS = {"motion": 2, "log": 3}
"""The same for a robot; of two runs of one motion, one would be half of what is known."""


def group_to_test(logs: Sequence[LogT]) -> str | None:
    """A group of logs to hold out, "gain=800": the highest of the first kind with several."""
    keys = keys_of(logs)
    for kind, fewest in (ROBOT_KINDS if "motion" in keys else JOINT_KINDS).items():
        groups = {keys[kind](log) for log in logs}
        if len(groups) >= fewest:
            return f"{kind}={max(groups, key=_rank)}"
    return None


def second_fit(
    task: FitTask[LogT], logs: Sequence[LogT], choice: str, report: Callable[[Progress], None]
) -> Identification[LogT]:
    """A second, shorter fit without the logs of `choice`, and its errors on them.

    It begins at the actuator that was given, not at the fit that has seen all logs.

    Raises:
        KeyboardInterrupt: before anything was found.
    """
    kept, out = hold_out(logs, choice)
    given, brief = task.search, task.rig.fold_search
    short = {
        name: min(getattr(given, name), getattr(brief, name))
        for name in ("starts", "generations", "rounds", "final_generations")
    }
    search = replace(brief, seed=given.seed, population=given.population, **short)
    shorter = replace(task, search_settings=search, hold_out=())
    return fit(shorter, kept, held_out=out, report=report)


def _rank(group: str) -> tuple[float, str]:
    try:
        return float(group), ""
    except ValueError:
        return 0.0, group
