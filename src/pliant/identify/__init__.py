"""Fit the numbers of an actuator to recorded logs, and judge them by others."""

from pliant.identify.fit import Identification, identify
from pliant.identify.problem.doubt import Doubt
from pliant.identify.problem.evaluation import Evaluation, LogError, evaluate
from pliant.identify.problem.hold_out import hold_out
from pliant.identify.problem.task import FitTask
from pliant.identify.search.search import Progress, SearchSettings

__all__ = [
    "Doubt",
    "Evaluation",
    "FitTask",
    "Identification",
    "LogError",
    "Progress",
    "SearchSettings",
    "evaluate",
    "hold_out",
    "identify",
]
