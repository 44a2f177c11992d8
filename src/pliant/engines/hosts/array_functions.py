"""An actuator as functions of arrays with gradients: the common part of its JAX and torch forms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypedDict

from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import KERNEL
from pliant.errors import PliantError, check_kind
from pliant.io.actuator_file import load_actuator
from pliant.lower.array_text import array_text
from pliant.lower.cache import build
from pliant.lower.drive import substeps_for
from pliant.lower.kernel import tree
from pliant.lower.law import delay_of, parameters_of, plain

_ENTRIES = (*"start parameters_of late arrived step friction armature voltage".split(),)


class State(NamedTuple):
    """State of an actuator, a pytree."""

    laws: Any
    """State of the laws by port."""
    lines: Any
    """(2, 1 + K) of both commands: the number kept, then the kept ones, newest first, one per step."""


class Output(NamedTuple):
    """Effect of an actuator on its joint in a step."""

    torque: Any
    """[N m] without friction."""
    budget: Any
    """[N m] The friction budget: the largest torque that friction can resist."""


class Around(TypedDict, total=False):
    """Inputs of a joint besides command and motion: numbers, or arrays over the joints."""

    preset: Any
    """Second command, of the actuators that have one; 0 unless given."""
    load: Any
    """[N m] The other torques on the joint; 0."""
    inertia: Any
    """[kg m^2] Inertia that the joint carries; 0: not known, then the step must resolve a spring."""
    supply: Any
    """[V] None: the nominal one."""
    on: Any
    """1 torque on, 0 off; 1."""


_AROUND = Around(preset=0.0, load=0.0, inertia=0.0, supply=None, on=1.0)


@dataclass(frozen=True, eq=False)
class ArrayFunctions:
    """Functions of the kernel in a library of arrays.

    Attributes:
        actuator: source of the functions. h: the step [s]. substeps: of the actuator in each step.
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

    # Many arguments: the state, and everything that acts on a joint, each separately.
    def step(
        self,
        p: Any,
        state: State,
        goal: Any,
        position: Any,
        velocity: Any,
        around: Around,
        remembered: Callable[[Any, Any, Any], Any],
    ) -> tuple[State, Output]:
        """One step of `h`.

        Args:
            remembered: the delay lines with the two commands as the newest, in the library's way.
        """
        for name in around.keys() - _AROUND.keys():
            raise PliantError("no such input", field="step", found=name, accepted=_AROUND)
        given, f, lines = {**_AROUND, **around}, self.functions, state.lines
        told = [goal, given["preset"]]
        supply = f["voltage"](p) if given["supply"] is None else given["supply"]
        if self.kept:
            age = f["late"](self.h, p)
            arrived = [f["arrived"](line, x, age) for line, x in zip(lines, told, strict=True)]
            lines, told = remembered(lines, *told), arrived
        surroundings = (given["load"], given["inertia"], supply, given["on"])
        laws, torque, budget = f["step"](
            state.laws, *told, position, velocity, *surroundings, p, self.h, self.substeps
        )
        return State(laws, lines), Output(torque, budget)

    def friction(self, p: Any, velocity: Any, output: Output, load: Any, inertia: Any) -> Any:
        """Torque of friction [N m] of a joint that carries `inertia`, the rotor's aside."""
        moved = inertia + self.functions["armature"](p)
        rubs = self.functions["friction"]
        return rubs(velocity, output.torque, load, output.budget, moved, self.h)


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
    program = tree(KERNEL, _ENTRIES, known.equations, branches=False)
    stem = f"{library.rpartition('.')[2]}_{known.topology.name}"
    module = build(array_text(program, library), stem)
    numbers = parameters_of(known)
    return ArrayFunctions(
        known,
        h,
        substeps_for(h, plain(known)["fastest"](numbers)),
        ceil(delay_of(known) / h),
        numbers,
        {x: getattr(module, function.name) for x, function in program.entries.items()},
        module,
    )
