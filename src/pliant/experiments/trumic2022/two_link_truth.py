"""A planar arm of two links on compliant joints with friction, as a simulation and as a model.

Angles hang down at zero, the second relative to the first. The simulation is in closed form; the
estimator is given the same arm as a MuJoCo model, so that the two check each other. Friction of the
links is Pliant's elasto-plastic law (a Coulomb torque that builds up over a small displacement)
beside a viscous torque.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.catalogue import load_law
from pliant.experiments.support.benches import GRAVITY
from pliant.experiments.support.compliant_truth import Spring, Truth, in_order, loop


@dataclass(frozen=True, kw_only=True)
class TwoLink:
    """The numbers of both links.

    Attributes:
        mass: [kg]. length: [m]. centre: distance of the centre of mass from the joint [m].
        inertia: about the centre of mass [kg m^2].
    """

    mass: tuple[float, float]
    length: tuple[float, float]
    centre: tuple[float, float]
    inertia: tuple[float, float]

    def scaled(self, what: str, link: int, factor: float) -> "TwoLink":
        """The arm with one number of one link (0 or 1) multiplied; of inertia that about its joint.

        The inertia about the centre of mass may come out negative, which no link has.
        """
        values = {
            name: list(getattr(self, name)) for name in ("mass", "length", "centre", "inertia")
        }
        if what == "inertia":
            steiner = self.mass[link] * self.centre[link] ** 2
            values[what][link] = factor * (self.inertia[link] + steiner) - steiner
        else:
            values[what][link] *= factor
        return TwoLink(**{name: (pair[0], pair[1]) for name, pair in values.items()})

    @property
    def terms(self) -> tuple[float, float, float, float, float]:
        """M11 where cos q2 = 0, m2 l1 c2, M22, and the largest torques of gravity at the joints."""
        (m1, m2), l1, (c1, c2), (i1, i2) = self.mass, self.length[0], self.centre, self.inertia
        far = i2 + m2 * c2 * c2
        near = i1 + m1 * c1 * c1 + m2 * l1 * l1 + far
        return near, m2 * l1 * c2, far, GRAVITY * (m1 * c1 + m2 * l1), GRAVITY * m2 * c2

    def model(self) -> mujoco.MjModel:
        """The arm for MuJoCo."""
        inertial = [
            f'<inertial pos="0 0 {-c}" mass="{m}" diaginertia="{i} {i} {i}"/>'
            for m, c, i in zip(self.mass, self.centre, self.inertia, strict=True)
        ]
        return mujoco.MjModel.from_xml_string(f"""
        <mujoco><option gravity="0 0 -{GRAVITY}"/><compiler angle="radian"/><worldbody>
          <body><joint name="shoulder" axis="0 1 0"/>{inertial[0]}
            <body pos="0 0 {-self.length[0]}"><joint name="elbow" axis="0 1 0"/>{inertial[1]}</body>
          </body></worldbody></mujoco>""")


@dataclass(frozen=True, kw_only=True)
class Friction:
    """On each link: Coulomb [N m], the stiffness over which it builds up [N m/rad], viscous."""

    coulomb: float
    presliding: float
    viscous: float


def two_link_truth(
    arm: TwoLink, spring: Spring, friction: Friction, theta: Floats, dt: float, substeps: int
) -> Truth:
    """The motion from rest at zero for motor positions `theta`.

    Args:
        arm: its links. spring: of both joints, with m motors each. friction: of both links.
        theta: (2 substeps (N - 1) + 1, 2 m) [rad] motors at every half step.
        dt: sample time [s]. substeps: integration steps in it.
    """
    law = load_law("friction_state", "elastoplastic")
    rubbing = in_order(law, {"tau_f": max(friction.coulomb, 1e-6), "k_z": friction.presliding})
    count = (len(theta) - 1) // (2 * substeps) + 1
    q, sigma = np.empty((count, 2)), np.empty((count, 2))
    loop("arm", friction=law, **spring.laws)(
        spring.values,
        rubbing,
        friction.viscous,
        np.array(arm.terms),
        theta,
        dt,
        substeps,
        np.zeros((6, 6)),
        q,
        sigma,
    )
    time = np.arange(count, dtype=np.float64) * dt
    return Truth(time=time, q=q, theta=theta[:: 2 * substeps].copy(), sigma=sigma)
