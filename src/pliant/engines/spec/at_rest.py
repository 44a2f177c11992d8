"""An actuator's functions in Python, for the few calls that a model is prepared by."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.lower.plain import plain

BEYOND = 1e12
"""No rate, stiffness, inertia or torque of an actuator is larger, in SI units."""
_POSITIVE = frozenset({"armature", "budget", "fastest", "voltage"})
_LONGEST = 10.0
"""[s] Of a delay: the engines keep the commands of that time."""
_RANGES = {"issued": (-_LONGEST, 0.0)} | dict.fromkeys(_POSITIVE, (0.0, BEYOND))


def at_rest(actuator: Actuator) -> Mapping[str, Callable[..., Any]]:
    """As `plain`; a number of a file's own laws that is not finite, or beyond all sense, is refused.

    Raises:
        PliantError: when a function is called, with its name and what it gave.
    """
    return {name: partial(_called, actuator, name, one) for name, one in plain(actuator).items()}


def _called(actuator: Actuator, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        found = function(*arguments)
    except (ArithmeticError, ValueError) as error:
        found = error
    low, high = _RANGES.get(name, (-BEYOND, BEYOND))
    if isinstance(found, Exception) or (isinstance(found, float) and not low <= found <= high):
        raise PliantError(
            f"{name}() gives no number that a model can be prepared by, with these parameters",
            file=actuator.path or actuator.topology.path,
            found=found,
            accepted=f"{low:g} to {high:g}",
        ) from None
    return found
