"""The rigid-body terms that an estimator needs, from a URDF or MJCF file, or of one joint on a bench.

    M(q) q'' + C(q, q') q' + G(q) + tau_e = 0            stiffness estimation: section 1

Two engines offer the same terms: MuJoCo, which is always there, and Pinocchio, whose derivatives
are analytic, where it is installed (`pip install pliant[pinocchio]`). `Pendulum` is one joint on a bench:

    M q'' + m g l sin(q + phase) + tau_e = 0            stiffness estimation: section 1

q + phase = 0 hangs down. Left out: damping and friction, which the estimator learns by itself.

The core takes two of them at each sample, by mode:

    torque, rotatum     momentum M v, and G - C^T v
    paper               the rate of the elastic torque, and zero

Dynamics may offer `motion_terms(q, v)` and `motion_rotatum(q, v, a, jerk)`, which give them at once
and for whole recordings, (N, n), and `place_terms(motion, out)` and `place_rotatum(motion, out)`,
which write those of one sample where they belong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import cos, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError, check_known
from pliant.estimate.core.state import WINDOW
from pliant.estimate.settings import Mode
from pliant.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Engine = Literal["auto", "mujoco", "pinocchio"]


class Dynamics(Protocol):
    """Rigid-body dynamics of n joints of one degree of freedom each.

    Vectors are of shape (n,) in the order of `names`, in rad, rad/s, rad/s^2, rad/s^3 and N m (in
    m and N for a sliding joint). Contacts, limits, springs, damping and friction are left out.
    """

    @property
    def n(self) -> int:
        """The number of joints."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The joints' names."""
        ...

    def mass(self, q: "Array") -> "Array":
        """M(q), of shape (n, n)."""
        ...

    def coriolis(self, q: "Array", v: "Array") -> "Array":
        """C(q, v), of shape (n, n), such that Mdot = C + C^T."""
        ...

    def gravity(self, q: "Array") -> "Array":
        """G(q)."""
        ...

    def inverse(self, q: "Array", v: "Array", a: "Array") -> "Array":
        """ID = M a + C v + G."""
        ...

    def rotatum(self, q: "Array", v: "Array", a: "Array", jerk: "Array") -> "Array":
        """The rate of ID along the motion, in N m/s; that of the elastic torque is its negative."""
        ...


def load_dynamics(
    path: str | Path, engine: Engine = "auto", joints: "Sequence[str] | None" = None
) -> Dynamics:
    """The dynamics of the robot in a URDF or MJCF file.

    Args:
        path: the file; one with a document type is refused. Mesh files are not needed if the file
            gives inertias.
        engine: "auto" is Pinocchio if it is installed, else MuJoCo.
        joints: the joints to use, in the order wanted; the others are held in their reference
            pose. By default all, in the order of the file.

    Raises:
        PliantError: the file is refused, a joint is not in it or has more than one degree of
            freedom, or Pinocchio is asked for and not installed.
    """
    installed = find_spec("pinocchio") is not None
    check_known(engine, ["auto", "mujoco", "pinocchio"], "is not an engine", "engine")
    if engine == "pinocchio":
        need("pinocchio", "pinocchio")
    if engine == "mujoco" or not installed:
        from pliant.estimate.dynamics_mujoco import MujocoDynamics

        return MujocoDynamics.load(path, joints)
    from pliant.estimate.dynamics_pinocchio import PinocchioDynamics

    return PinocchioDynamics.load(path, joints)


@dataclass(frozen=True, kw_only=True)
class Pendulum:
    """Rigid-body terms of one joint, by the protocol `Dynamics`.

    Attributes:
        inertia: about the joint [kg m^2].
        gravity_torque: m g l, the largest torque of gravity [N m].
        phase: angle of the centre of mass from hanging down, at q = 0 [rad].
        name: of the joint.
    """

    inertia: float
    gravity_torque: float = 0.0
    phase: float = 0.0
    name: str = "joint"

    def __post_init__(self) -> None:
        if not self.inertia > 0.0:
            raise PliantError(
                "not an inertia", field="inertia", found=self.inertia, accepted="above 0 [kg m^2]"
            )

    @property
    def n(self) -> int:
        """One joint."""
        return 1

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the joint."""
        return (self.name,)

    def mass(self, q: Floats) -> Floats:
        """M, (1, 1) [kg m^2], the same everywhere."""
        return np.array([[self.inertia]])

    def coriolis(self, q: Floats, v: Floats) -> Floats:
        """C, (1, 1) [N m s/rad], zero."""
        return np.zeros((1, 1))

    def gravity(self, q: Floats) -> Floats:
        """(1,) [N m]."""
        return self.gravity_torque * np.sin(q + self.phase)

    def inverse(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """(1,) M a + G [N m]."""
        return self.inertia * a + self.gravity(q)

    def rotatum(self, q: Floats, v: Floats, a: Floats, jerk: Floats) -> Floats:
        """(1,) M jerk + dG/dq v [N m/s]."""
        return self.inertia * jerk + self.gravity_torque * np.cos(q + self.phase) * v

    def motion_terms(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Momentum M v (N, 1) [N m s] and G - C^T v (N, 1) [N m] of recordings q, v (N, 1)."""
        return self.inertia * v, self.gravity(q)

    def place_terms(self, motion: Floats, out: Floats) -> None:
        """`motion_terms` of one sample, in their units: motion (4, 1), out (2, 1)."""
        out[0, 0] = self.inertia * motion[1, 0]
        out[1, 0] = self.gravity_torque * sin(motion[0, 0] + self.phase)

    def place_rotatum(self, motion: Floats, out: Floats) -> None:
        """Less `rotatum` of one sample [N m/s], and zero: motion (4, 1), out (2, 1)."""
        slope = self.gravity_torque * cos(motion[0, 0] + self.phase)
        out[0, 0] = -self.inertia * motion[3, 0] - slope * motion[1, 0]
        out[1, 0] = 0.0

    def motion_rotatum(self, q: Floats, v: Floats, a: Floats, jerk: Floats) -> Floats:
        """(N, 1) [N m/s] `rotatum` for whole recordings of shape (N, 1)."""
        return self.rotatum(q, v, a, jerk)


Terms = Callable[[Floats, Floats], None]

_OBSERVER = ((1, 0, 0, 0), (-1, 1, 0, 0), (1, -2, 1, 0), (-1, 3, -3, 1))
"""Weights of four samples, oldest first, for position to jerk of the delayed observer.

That observer (Trumić et al. 2022, eq. 13) is deadbeat: after three samples nothing is left of where it
began, and it is these differences, to rounding. Noise s of a position becomes sqrt(20) s / T^3 in the jerk."""
_CENTRED = (
    (-1 / 16, 9 / 16, 9 / 16, -1 / 16),
    (-1 / 12, -9 / 12, 9 / 12, 1 / 12),
    (0.5, -0.5, -0.5, 0.5),
    (-1, 3, -3, 1),
)
"""The same for the middle of the four, which all of them belong to: for positions smoothed before. Speed and jerk are
too low by the same part (`filters.MIDDLE_RATE`)."""


def sample_terms(dynamics: Dynamics, mode: Mode) -> Terms:
    """A function of the motion, (4, n): position, speed, acceleration, jerk; it fills (2, n)."""
    paper = mode == "paper"
    placed: Any = getattr(dynamics, "place_rotatum" if paper else "place_terms", None)
    if placed is not None:
        return placed
    at_once: Any = _at_once(dynamics, mode)
    rate = at_once or dynamics.rotatum

    def rotatum(motion: Floats, out: Floats) -> None:
        out[0], out[1] = rate(*motion), 0.0
        out[0] *= -1.0

    def both(motion: Floats, out: Floats) -> None:
        out[0], out[1] = at_once(motion[0], motion[1])

    def each(motion: Floats, out: Floats) -> None:
        q, v = motion[0], motion[1]
        out[0] = dynamics.mass(q) @ v
        out[1] = dynamics.gravity(q) - dynamics.coriolis(q, v).T @ v

    return rotatum if paper else each if at_once is None else both


def recorded_terms(
    dynamics: Dynamics, mode: Mode, q: Floats, dt: float, *, smoothed: bool = False
) -> tuple[Floats, Floats]:
    """(N, n) the same for every sample of a recording, (N, n); zero before there is a window.

    Args:
        smoothed: mode "paper" takes centred differences, as of positions smoothed before.
    """
    out = np.zeros((2, *q.shape))
    taps = _CENTRED if smoothed else _OBSERVER
    motion = _paper_motion(q, dt, taps) if mode == "paper" else _motion(q, dt)
    at_once: Any = _at_once(dynamics, mode)
    if at_once is not None:
        found = (-at_once(*motion), 0.0) if mode == "paper" else at_once(motion[0], motion[1])
        out[0], out[1] = found
        return out[0], out[1]
    terms = sample_terms(dynamics, mode)
    for k in range(WINDOW - 1, len(q)):
        terms(motion[:, k], out[:, k])
    return out[0], out[1]


def _at_once(dynamics: Dynamics, mode: Mode) -> Any:
    return getattr(dynamics, "motion_rotatum" if mode == "paper" else "motion_terms", None)


def _motion(q: Floats, dt: float) -> Floats:
    motion = np.zeros((4, *q.shape))
    motion[0, 2:] = q[:-2]
    outer, inner = q[4:] - q[:-4], q[3:-1] - q[1:-3]
    motion[1, 4:] = (8.0 * inner - outer) / (12.0 * dt)
    return motion


def _paper_motion(q: Floats, dt: float, taps: tuple[tuple[float, ...], ...]) -> Floats:
    motion = np.zeros((4, *q.shape))
    for order, weights in enumerate(taps):
        part = sum(c * q[i : len(q) - 3 + i] for i, c in enumerate(weights))
        motion[order, 3:] = part / dt**order
    return motion
