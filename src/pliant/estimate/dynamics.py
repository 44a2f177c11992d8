"""The rigid-body terms that an estimator needs, from a URDF or MJCF file.

    M(q) q'' + C(q, q') q' + G(q) + tau_e = 0            stiffness estimation: section 1

Two engines offer the same terms: MuJoCo, which is always there, and Pinocchio, whose derivatives
are analytic, where it is installed (`pip install pliant[pinocchio]`).
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from pliant.errors import PliantError
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
        path: the file; one with a document type is refused. Mesh files are not needed where the
            file gives inertias.
        engine: "auto" is Pinocchio where it is installed, and MuJoCo elsewhere.
        joints: the joints that count, in the order wanted; the others are held in their reference
            pose. By default all, in the order of the file.

    Raises:
        PliantError: the file is refused, a joint is not in it or has more than one degree of
            freedom, or Pinocchio is wanted and not installed.
    """
    installed = find_spec("pinocchio") is not None
    if engine not in ("auto", "mujoco", "pinocchio"):
        raise PliantError(
            "is not an engine",
            field="engine",
            found=engine,
            accepted=["auto", "mujoco", "pinocchio"],
        )
    if engine == "pinocchio":
        need("pinocchio", "pinocchio")
    if engine == "mujoco" or not installed:
        from pliant.estimate.dynamics_mujoco import MujocoDynamics

        return MujocoDynamics.load(path, joints)
    from pliant.estimate.dynamics_pinocchio import PinocchioDynamics

    return PinocchioDynamics.load(path, joints)
