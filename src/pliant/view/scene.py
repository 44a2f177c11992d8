"""The interface of all that a page can show: a simulation, a recording, an experiment."""

from collections.abc import Sequence
from typing import Protocol

import mujoco

from pliant.view.commands import Command, Frame, Joint

__all__ = ["Scene"]


class Scene(Protocol):
    """Something that moves in steps.

    Attributes:
        title: of the page. model: its bodies, to be drawn.
        changes: counts how often model or joints became others.
    """

    title: str
    model: mujoco.MjModel
    changes: int

    @property
    def timestep(self) -> float:
        """Time of one step [s]."""
        ...

    @property
    def duration(self) -> float | None:
        """Time at which it ends [s]; None: never."""
        ...

    @property
    def whole(self) -> Sequence[Frame] | None:
        """Every frame from beginning to end, where they are known beforehand."""
        ...

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with their knobs as they stand."""
        ...

    @property
    def loads(self) -> tuple[float, float]:
        """The mass in the hand and the most there may be [kg]; 0, 0 where there is no hand."""
        ...

    def advance(self, steps: int) -> None:
        """Take steps."""
        ...

    def apply(self, command: Command) -> None:
        """Change something between two steps.

        Raises:
            PliantError: it is none of its joints, or out of range; nothing has changed then.
        """
        ...

    def frame(self) -> Frame:
        """The present instant."""
        ...
