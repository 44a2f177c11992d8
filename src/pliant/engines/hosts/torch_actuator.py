"""An actuator in torch: a module for any number of joints at once, with gradients."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator as Known
from pliant.engines.hosts.array_functions import Output, State, array_functions
from pliant.errors import PliantError

if find_spec("torch") is None:
    raise PliantError("torch is not installed", accepted="pip install 'pliant[torch]'")

import torch

Tensor = Any


class Actuator(torch.nn.Module):
    """An actuator for joints of any shape, such as (environments, joints).

    Numbers are of torch's default float when the module is made. Springs must be resolved by the
    step: joint and spring are not computed together in sub-steps.

    Attributes:
        numbers: (P,) its parameters, which can be learnt, in the order of `names`; (P, …) gives
            every joint its own.
        names: of the parameters. h: the step [s]. substeps: its own steps in each.
    """

    def __init__(self, name: str | Path | Known, step: float) -> None:
        """Write the actuator for torch.

        Args:
            name: in the catalogue, a TOML file, or an `Actuator`. step: of the host [s].

        Raises:
            PliantError: no such actuator, no step, or an actuator that cannot be written for
                arrays, with the law.
        """
        super().__init__()
        own = array_functions(name, step, "pliant.lower.torch_math")
        self.actuator, self.h, self.substeps = own.actuator, own.h, own.substeps
        self.names = [*own.actuator.fields]
        self._kept, self._functions = own.kept, own.functions
        values = torch.as_tensor(own.actuator.values, dtype=torch.get_default_dtype())
        self.numbers = torch.nn.Parameter(values)

    def start(self, position: Tensor) -> State:
        """The state of actuators that have rested at `position` [rad]."""
        laws = self._functions["start"](position, self._by_port())
        lines = position.new_zeros((2, 1 + self._kept, *position.shape))
        return State(_filled(laws, position), lines)

    # So many arguments: what acts on a joint, each of its own.
    def forward(
        self,
        state: State,
        goal: Tensor,
        position: Tensor,
        velocity: Tensor,
        *,
        preset: Tensor = 0.0,
        load: Tensor = 0.0,
        inertia: Tensor = 0.0,
        supply: Tensor = None,
        on: Tensor = 1.0,
    ) -> tuple[State, Output]:
        """One step of `h`; the arguments as those of `pliant.jax`'s step, tensors or numbers."""
        f, p, lines = self._functions, self._by_port(), state.lines
        if supply is None:
            supply = f["voltage"](p)
        told = [goal, preset]
        if self._kept:
            age = f["late"](self.h, p)
            told = [f["arrived"](line, x, age) for line, x in zip(lines, told, strict=True)]
            count = torch.clamp(lines[:, :1] + 1.0, max=float(self._kept))
            given = [torch.as_tensor(x).expand(position.shape) for x in (goal, preset)]
            newest = torch.stack([x.to(lines.dtype) for x in given])[:, None]
            lines = torch.cat([count, newest, lines[:, 1:-1]], dim=1)
        motion = (position, velocity, load, inertia, supply, on)
        laws, torque, budget = f["explicit"](state.laws, *told, *motion, p, self.h, self.substeps)
        return State(laws, lines), Output(torque, _filled(budget, position))

    def friction(self, velocity: Tensor, output: Output, load: Tensor, inertia: Tensor) -> Tensor:
        """Torque of friction [N m], for a host that has no dry friction.

        Args:
            inertia: what the joint carries [kg m^2]; the rotor's is added here.
        """
        moved = inertia + self.armature()
        return self._functions["friction"](
            velocity, output.torque, load, output.budget, moved, self.h
        )

    def armature(self) -> Tensor:
        """Inertia [kg m^2] of the rotor, which the host adds to its joint."""
        return self._functions["armature"](self._by_port())

    def _by_port(self) -> Any:
        return self._functions["parameters_of"](self.numbers)


def _filled(value: Any, like: Tensor) -> Any:
    """Numbers, or named tuples of them, as tensors of the joints' shape."""
    if isinstance(value, tuple):
        parts: Any = value
        return parts._make(_filled(one, like) for one in parts)
    return torch.as_tensor(value, dtype=like.dtype).expand(like.shape)
