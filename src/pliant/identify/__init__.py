"""Fit the numbers of an actuator to recorded logs, and judge them by others."""

from pliant.identify.fit import Identification, identify
from pliant.identify.problem.doubt import Doubt
from pliant.identify.problem.evaluation import Evaluation, TraceError, evaluate
from pliant.identify.problem.hold_out import hold_out
from pliant.identify.problem.task import FitTask
from pliant.identify.search.search import Progress, SearchSettings

__all__ = [
    "Doubt",
    "Evaluation",
    "FitTask",
    "Identification",
    "Progress",
    "SearchSettings",
    "TraceError",
    "evaluate",
    "hold_out",
    "identify",
]
