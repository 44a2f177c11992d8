"""Identify an actuator from recorded logs, and test it on others."""

from typing import TYPE_CHECKING

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.identification.fit import Identification, identify
    from pliant.identification.problem.doubt import Doubt
    from pliant.identification.problem.evaluation import Evaluation, TraceError, evaluate
    from pliant.identification.problem.hold_out import hold_out
    from pliant.identification.problem.nuisances import Nuisance
    from pliant.identification.problem.task import FitTask
    from pliant.identification.result.known import Judged, judged_logs
    from pliant.identification.search.search import Progress, SearchSettings


__all__ = [
    "Doubt",
    "Evaluation",
    "FitTask",
    "Identification",
    "Judged",
    "Nuisance",
    "Progress",
    "SearchSettings",
    "TraceError",
    "evaluate",
    "hold_out",
    "identify",
    "judged_logs",
]

# What only evaluates needs no package that searches.
__getattr__ = on_first_use(__name__)
