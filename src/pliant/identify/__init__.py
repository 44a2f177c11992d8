"""Identify an actuator from recorded logs, and judge it by others.

`pliant.identify(...)` is `pliant.identify.identify(...)`: the package can be called.
"""

import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.identify.fit import Identification, identify
    from pliant.identify.problem.doubt import Doubt
    from pliant.identify.problem.evaluation import Evaluation, TraceError, evaluate
    from pliant.identify.problem.hold_out import hold_out
    from pliant.identify.problem.task import FitTask
    from pliant.identify.problem.zero import ZeroFound, find_zeros
    from pliant.identify.search.search import Progress, SearchSettings

_HOMES = {
    "Doubt": "pliant.identify.problem.doubt",
    "Evaluation": "pliant.identify.problem.evaluation",
    "FitTask": "pliant.identify.problem.task",
    "Identification": "pliant.identify.fit",
    "Progress": "pliant.identify.search.search",
    "SearchSettings": "pliant.identify.search.search",
    "TraceError": "pliant.identify.problem.evaluation",
    "ZeroFound": "pliant.identify.problem.zero",
    "evaluate": "pliant.identify.problem.evaluation",
    "find_zeros": "pliant.identify.problem.zero",
    "hold_out": "pliant.identify.problem.hold_out",
    "identify": "pliant.identify.fit",
}

__all__ = [
    "Doubt",
    "Evaluation",
    "FitTask",
    "Identification",
    "Progress",
    "SearchSettings",
    "TraceError",
    "ZeroFound",
    "evaluate",
    "find_zeros",
    "hold_out",
    "identify",
]

# What only evaluates needs no package that searches.
__getattr__ = on_first_use(__name__, _HOMES)


class _Callable(ModuleType):
    """This package, so that `pliant.identify(...)` does what everybody expects of it."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from pliant.identify.fit import identify

        return identify(*arguments, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the function, for help and editors."""
        from pliant.identify.fit import identify

        return inspect.signature(identify)


sys.modules[__name__].__class__ = _Callable
