"""A planar arm of two links on compliant joints with friction, as a simulation and as a model.

Angles hang down at zero, the second relative to the first. The simulation is in closed form; the
estimator is given the same arm as a MuJoCo model, so that the two check each other. Friction of the
links is Pliant's elasto-plastic law (a Coulomb torque that builds up over a small displacement)
beside a viscous torque.
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numba import njit

from pliant.arrays import Floats
from pliant.catalogue import load_law
from pliant.experiments.support.benches import GRAVITY
from pliant.experiments.support.compliant_truth import Spring, Truth
from pliant.lower.law import lower_law

compiled = njit(nogil=True, error_model="numpy")


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
        """The arm with one number of one link (0 or 1) multiplied."""
        values = {
            name: list(getattr(self, name)) for name in ("mass", "length", "centre", "inertia")
        }
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
    lowered = lower_law(law, "numba")
    p = lowered.structures["P"](tau_f=max(friction.coulomb, 1e-6), k_z=friction.presliding)
    q, sigma = _arm(
        spring.torque,
        spring.stiffness,
        lowered.functions["step"],
        lowered.functions["torque"],
        lowered.functions["start"],
        p,
        friction.viscous,
        np.array(arm.terms),
        theta,
        dt,
        substeps,
    )
    time = np.arange(len(q), dtype=np.float64) * dt
    return Truth(time=time, q=q, theta=theta[:: 2 * substeps].copy(), sigma=sigma)


@compiled
def _acceleration(torque: Any, terms: Floats, x: Floats, theta: Floats, out: Floats) -> None:
    """Acceleration of both links under gravity, springs and the friction in x[4:]."""
    near, cross, far, g1, g2 = terms
    m = len(theta) // 2
    q2, v1, v2 = x[1], x[2], x[3]
    bc, h = cross * np.cos(q2), cross * np.sin(q2)
    load = g2 * np.sin(x[0] + q2)
    f1 = h * v2 * (2.0 * v1 + v2) - g1 * np.sin(x[0]) - load - torque(x[0], theta[:m]) - x[4]
    f2 = -h * v1 * v1 - load - torque(q2, theta[m:]) - x[5]
    m11, m12 = near + 2.0 * bc, far + bc
    det = m11 * far - m12 * m12
    out[0], out[1] = v1, v2
    out[2], out[3] = (far * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det


# So many arguments, since Numba takes functions one by one: a tuple of them would need its
# experimental first-class functions.
@compiled
def _arm(
    torque: Any,
    stiffness: Any,
    slide: Any,
    drag: Any,
    start: Any,
    p: Any,
    viscous: float,
    terms: Floats,
    theta: Floats,
    dt: float,
    substeps: int,
) -> tuple[Floats, Floats]:
    """Runge-Kutta 4; the friction of each step is that at its beginning."""
    count, m = (len(theta) - 1) // (2 * substeps) + 1, theta.shape[1] // 2
    q, sigma = np.empty((count, 2)), np.empty((count, 2))
    x, at, h = np.zeros(6), np.zeros(6), dt / substeps
    rates = np.zeros((4, 4))
    first, second = start(p), start(p)
    for k in range(count):
        q[k] = x[:2]
        here = theta[2 * substeps * k]
        sigma[k, 0], sigma[k, 1] = stiffness(x[0], here[:m]), stiffness(x[1], here[m:])
        for j in range(substeps if k < count - 1 else 0):
            i = 2 * (substeps * k + j)
            at[4] = drag(first, p) + viscous * x[2]
            at[5] = drag(second, p) + viscous * x[3]
            before1, before2 = x[0], x[1]
            for stage in range(4):
                share = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
                for c in range(4):
                    at[c] = x[c] + share * h * rates[max(stage - 1, 0), c]
                half = i + (0 if stage == 0 else (2 if stage == 3 else 1))
                _acceleration(torque, terms, at, theta[half], rates[stage])
            for c in range(4):
                total = rates[0, c] + 2.0 * rates[1, c] + 2.0 * rates[2, c] + rates[3, c]
                x[c] += h / 6.0 * total
            first, second = slide(first, x[0] - before1, p), slide(second, x[1] - before2, p)
    return q, sigma
