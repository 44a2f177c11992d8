"""An actuator in torch: a module for any number of joints at once, with gradients."""

from pathlib import Path
from typing import Any, Unpack

from pliant.assemble import Actuator as Known
from pliant.engines.hosts.array_functions import Around, Output, State, array_functions
from pliant.extras import extra_module

torch: Any = extra_module("torch", "torch")
Tensor = Any


class Actuator(torch.nn.Module):
    """An actuator for joints of any shape, such as (environments, joints).

    Numbers have torch's default float type at construction. A spring that is too stiff for the step
    is computed together with the joint, which requires its `inertia`.

    Attributes:
        numbers: (P,) its trainable parameters, in the order of `names`; (P, …) gives every joint its
            own.
        names: of the parameters. h: the step [s]. substeps: of the actuator in each step.
    """

    def __init__(self, name: str | Path | Known, step: float) -> None:
        """Write the actuator for torch.

        Args:
            name: in the catalogue, a TOML file, or an `Actuator`. step: of the host [s].

        Raises:
            PliantError: no such actuator, an invalid step, or an actuator that cannot be written for
                arrays; names the law.
        """
        super().__init__()
        own = array_functions(name, step, "pliant.lower.torch_math")
        self.actuator, self.h, self.substeps = own.actuator, own.h, own.substeps
        self.names = [*own.actuator.fields]
        self._own = own
        values = torch.as_tensor(own.actuator.values, dtype=torch.get_default_dtype())
        self.numbers = torch.nn.Parameter(values)

    def start(self, position: Tensor) -> State:
        """The state of actuators that have rested at `position` [rad]."""
        laws = self._own.functions["start"](position, self._by_port())
        lines = position.new_zeros((2, 1 + self._own.kept, *position.shape))
        return State(_filled(laws, position), lines)

    def forward(
        self,
        state: State,
        goal: Tensor,
        position: Tensor,
        velocity: Tensor,
        **around: Unpack[Around],
    ) -> tuple[State, Output]:
        """One step of `h`; the arguments as those of `pliant.jax`'s step, tensors or numbers."""
        p = self._by_port()
        state, out = self._own.step(p, state, goal, position, velocity, around, self._remembered)
        return state, Output(out.torque, _filled(out.budget, position))

    def friction(self, velocity: Tensor, output: Output, load: Tensor, inertia: Tensor) -> Tensor:
        """Torque of friction [N m], for a host that has no dry friction.

        Args:
            inertia: what the joint carries [kg m^2]; the rotor's is added here.
        """
        return self._own.friction(self._by_port(), velocity, output, load, inertia)

    def armature(self) -> Tensor:
        """Inertia [kg m^2] of the rotor, which the host adds to its joint."""
        return self._own.functions["armature"](self._by_port())

    def _remembered(self, lines: Tensor, goal: Tensor, preset: Tensor) -> Tensor:
        count = torch.clamp(lines[:, :1] + 1.0, max=float(self._own.kept))
        given = [torch.as_tensor(x).expand(lines.shape[2:]) for x in (goal, preset)]
        newest = torch.stack([x.to(lines.dtype) for x in given])[:, None]
        return torch.cat([count, newest, lines[:, 1:-1]], dim=1)

    def _by_port(self) -> Any:
        return self._own.functions["parameters_of"](self.numbers)


def _filled(value: Any, like: Tensor) -> Any:
    """Numbers, or named tuples of them, as tensors of the joints' shape."""
    if isinstance(value, tuple):
        parts: Any = value
        return parts._make(_filled(one, like) for one in parts)
    return torch.as_tensor(value, dtype=like.dtype).expand(like.shape)
