"""An actuator as functions of arrays with gradients: what its JAX and torch forms share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import KERNEL
from pliant.errors import PliantError, check_kind
from pliant.io.actuator_file import load_actuator
from pliant.lower.array_text import array_text
from pliant.lower.build import build
from pliant.lower.drive import substeps_for
from pliant.lower.kernel import tree
from pliant.lower.plain import plain

_ENTRIES = (
    "start",
    "parameters_of",
    "late",
    "arrived",
    "explicit",
    "friction",
    "armature",
    "voltage",
)


class State(NamedTuple):
    """State of an actuator, a pytree."""

    laws: Any
    """State of the laws by port."""
    lines: Any
    """(2, 1 + K) of both commands: how many are kept, then these, the newest first, one a step."""


class Output(NamedTuple):
    """Effect of an actuator on its joint in a step."""

    torque: Any
    """[N m] without friction."""
    budget: Any
    """[N m] The most that its friction holds."""


@dataclass(frozen=True, eq=False)
class ArrayFunctions:
    """Functions of the kernel in a library of arrays.

    Attributes:
        actuator: what they were made of. h: the step [s]. substeps: the actuator's own in each.
        kept: commands in a delay line. numbers: the parameters as plain named tuples.
        functions: by their names in the kernel. module: where they are.
    """

    actuator: Actuator
    h: float
    substeps: int
    kept: int
    numbers: Any
    functions: Mapping[str, Callable[..., Any]]
    module: ModuleType


def array_functions(name: str | Path | Actuator, step: float, library: str) -> ArrayFunctions:
    """An actuator's functions in a library.

    Args:
        name: in the catalogue, a TOML file, or an `Actuator`. step: [s].
        library: module that has the functions of `math`.

    Raises:
        PliantError: no such actuator, no step, or an actuator that cannot be written for arrays,
            with the law.
    """
    check_kind(step, (int, float), "step", "seconds")
    if not 0.0 < step < inf:
        raise PliantError("not a step", field="step", found=step, accepted="above 0 s")
    known, h = load_actuator(name), float(step)
    program = tree(KERNEL, _ENTRIES, known.topology, known.laws, branches=False)
    stem = f"{library.rpartition('.')[2]}_{known.topology.name}"
    module = build(array_text(program, library), stem)
    own = plain(known)
    numbers = own["load_parameters"](known.values.tolist(), 0)
    return ArrayFunctions(
        known,
        h,
        substeps_for(h, own["fastest"](numbers)),
        ceil(-own["issued"](0.0, numbers) / h),
        numbers,
        {x: getattr(module, function.name) for x, function in program.entries.items()},
        module,
    )
