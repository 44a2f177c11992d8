"""The time line of a recording: what can be played, sought and simulated again."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.view.commands import Command, Parameter, Reset, Seek, in_range
from pliant.view.frame import Frame, Joint

__all__ = ["MOST", "Played", "thinned"]

RATE = 0.01
"""[s] Of playing; frames are the log's own samples."""
MOST = 4000
"""Frames of a log; a longer one is thinned."""


class Played(ABC):
    """A recording as a `Scene`.

    Attributes:
        whole: a frame for each sample that is shown.
    """

    changes = 0
    loads = (0.0, 0.0)
    timestep = RATE
    title: str
    model: mujoco.MjModel
    whole: Sequence[Frame]

    def __init__(self, time: Floats) -> None:
        self.duration = float(time[-1])
        self._samples = thinned(len(time))
        self._time = time[self._samples]
        self._at = 0.0

    @property
    @abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with their knobs as they stand."""

    @abstractmethod
    def _turn(self, joint: str, name: str, value: float) -> None:
        """Simulate again with another value of a parameter.

        Raises:
            PliantError: there is no such parameter, or it is out of range; nothing has changed then.
        """

    def advance(self, steps: int) -> None:
        """Play on."""
        self._at = min(self._at + steps * self.timestep, self.duration)

    def apply(self, command: Command) -> None:
        """Turn a parameter, go to a time, or to the beginning.

        Raises:
            PliantError: there is no such parameter, or it is out of range.
        """
        match command:
            case Seek():
                self._at = in_range("time", command.time, 0.0, self.duration)
            case Reset():
                self._at = 0.0
            case Parameter():
                self._turn(command.joint, command.name, float(command.value))
            case _:
                raise PliantError("is not a command for a recording", found=type(command).__name__)

    def frame(self) -> Frame:
        """The sample at the present time."""
        k = int(np.searchsorted(self._time, self._at + 1e-9)) - 1
        return self.whole[max(k, 0)]


def thinned(samples: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Samples of a log that are shown."""
    return np.arange(0, samples, samples // MOST + 1)
