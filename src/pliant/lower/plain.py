"""Choice of laws as plain Python: its functions, for a few calls, and its fingerprint."""

import hashlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.errors import PliantError
from pliant.lower.assembly import assembly
from pliant.lower.cache import build
from pliant.lower.link import Linker
from pliant.lower.program import for_python


def plain(actuator: Actuator) -> Mapping[str, Callable[..., Any]]:
    """Every function of the topology by its name, and those between flat numbers and named tuples.

    `load_parameters(list(actuator.values), 0)` gives the p that the others take,
    `load_state(numbers, 0)` an s in the order of `actuator.state`, `store_state(s, numbers, 0)` the
    way back.
    """
    return _plain(actuator.topology, tuple(actuator.laws.items()))


@cache
def _plain(
    topology: Physics, laws: tuple[tuple[str, Physics], ...]
) -> Mapping[str, Callable[..., Any]]:
    text, names = _written(topology, laws)
    module = build(text, f"python_{topology.name}")
    return MappingProxyType({name: getattr(module, final) for name, final in names.items()})


@cache  # linking takes longer than all that is done with it
def _written(
    topology: Physics, laws: tuple[tuple[str, Physics], ...]
) -> tuple[str, dict[str, str]]:
    """Text of the module, and the final name of each function."""
    source, linker = assembly(topology, dict(laws)), Linker()
    names = {name: linker.function(source, name).name for name in source.functions}
    return for_python(linker), names


def fingerprint(topology: Physics, laws: Mapping[str, Physics]) -> int:
    """A positive 60-bit integer, from the equations, parameters and state, not from comments."""
    text, _ = _written(topology, tuple(laws.items()))
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)


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
