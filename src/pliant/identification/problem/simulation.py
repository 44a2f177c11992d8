"""Protocols of a fit: its interface to an engine and to recordings laid out for it."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from pliant.arrays import Floats
from pliant.io.log import Log


class AnyLog(Protocol):
    """Common interface of the logs of joints and of robots."""

    @property
    def name(self) -> str:
        """Unique among the logs."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes."""
        ...

    @property
    def time(self) -> Floats:
        """(N,) [s] since its beginning."""
        ...


LogT = TypeVar("LogT", bound=AnyLog, default=Log)
"""A recording: `Log` of a joint on a bench, or `RobotLog`."""


class Samples(Protocol):
    """Recordings laid out for comparison: M samples, cut into blocks of one joint in one log."""

    @property
    def measured(self) -> Floats:
        """(M,) recorded positions [rad, m]."""
        ...

    @property
    def time(self) -> Floats:
        """(M,) [s] since the beginning of each log."""
        ...

    @property
    def starts(self) -> NDArray[np.int64]:
        """(B + 1,) where each block begins."""
        ...

    @property
    def joint_count(self) -> int:
        """Joints of each log: the number of its consecutive blocks."""
        ...

    def per_block(self, samples: Floats) -> list[Floats]:
        """(…, M) samples, cut into blocks."""
        ...


_SamplesT_contra = TypeVar("_SamplesT_contra", bound=Samples, contravariant=True)


class Simulation(Protocol[_SamplesT_contra]):
    """Many candidates of one joint or robot, in an engine."""

    @property
    def names(self) -> list[str]:
        """(P,) names of a candidate's numbers."""
        ...

    def values(self) -> Floats:
        """(P,) numbers of the joint or robot as it was given."""
        ...

    def batch(self, values: Floats, samples: _SamplesT_contra, /) -> tuple[Floats, int]:
        """(C, P) candidates to (C, M) positions, which the caller may modify, and the number of steps taken."""
        ...
