"""Arms that reach for a point: their model, observations, commands and rewards."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.spec.attachment import Attachment

TIMESTEP = 0.002
"""[s]"""


@dataclass(frozen=True)
class Arm:
    """A vertical arm with two joints.

    Attributes:
        lengths: of the two links [m]. masses: of the links [kg]. tip: mass at the end [kg].
        actuator: of both joints, a name in the catalogue.
        low, high: bounds of the commands, in the order of the controls: two goals or equilibria
            [rad], then two stiffness presets if the actuator takes one.
    """

    lengths: tuple[float, float]
    masses: tuple[float, float]
    tip: float
    actuator: str
    low: tuple[float, ...]
    high: tuple[float, ...]

    def commands(self, action: Floats) -> Floats:
        """(…, K) commands for actions (…, K) between -1 and 1."""
        low, high = np.array(self.low), np.array(self.high)
        return low + 0.5 * (np.clip(action, -1.0, 1.0) + 1.0) * (high - low)

    def model(
        self, actuators: Mapping[str, Actuator | str] | None = None
    ) -> tuple[mujoco.MjModel, Attachment]:
        """The compiled arm, and its attachment.

        Args:
            actuators: joint ("shoulder", "elbow") to another actuator than the arm's own.

        Raises:
            PliantError: no such joint or actuator.
        """
        spec = self.spec()
        chosen = dict.fromkeys(JOINTS, self.actuator) | dict(actuators or {})
        attachment = attach(spec, chosen)
        return spec.compile(), attachment

    def spec(self) -> mujoco.MjSpec:
        """The arm without actuators."""
        spec = mujoco.MjSpec()
        spec.option.timestep = TIMESTEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        body = spec.worldbody
        reach = 0.0
        for joint, length, mass in zip(JOINTS, self.lengths, self.masses, strict=True):
            body = body.add_body(name=joint, pos=[0.0, 0.0, -reach])
            body.add_joint(name=joint, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_CAPSULE,
                size=[0.012, 0.0, 0.0],
                mass=mass,
                fromto=[0, 0, 0, 0, 0, -length],
                contype=0,
                conaffinity=0,
            )
            reach = length
        body.add_site(name=TIP, pos=[0.0, 0.0, -reach])
        if self.tip > 0.0:
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[0.015, 0.0, 0.0],
                pos=[0.0, 0.0, -reach],
                mass=self.tip,
                contype=0,
                conaffinity=0,
            )
        return spec

    def tips(self, q: Floats) -> Floats:
        """(…, 2) [m] position of the tip, forward and up, at joint angles (…, 2) [rad]."""
        first, second = q[..., 0], q[..., 0] + q[..., 1]
        ahead = -self.lengths[0] * np.sin(first) - self.lengths[1] * np.sin(second)
        up = -self.lengths[0] * np.cos(first) - self.lengths[1] * np.cos(second)
        return np.stack([ahead, up], axis=-1)


JOINTS = ("shoulder", "elbow")
TIP = "tip"

ARMS: dict[str, Arm] = {
    "ServoReach": Arm(
        lengths=(0.10, 0.08),
        masses=(0.06, 0.04),
        tip=0.05,
        actuator="xl330_bam_m6",
        low=(-1.5, -1.5),
        high=(1.5, 1.5),
    ),
    "StiffnessReach": Arm(
        lengths=(0.10, 0.10),
        masses=(0.26, 0.26),
        tip=0.10,
        actuator="qbmove_maker_pro",
        low=(-1.2, -1.2, 0.05, 0.05),
        high=(1.2, 1.2, 0.5, 0.5),
    ),
}
"""Arms by the middle part of their environment's name."""


FRAME_SKIP = 10
"""Engine steps per action: 50 Hz."""
SPEED = 10.0
"""[rad/s] Scale of joint speeds in an observation."""
WIDTH = 8
"""Size of an observation."""


@dataclass(frozen=True)
class Reach:
    """Bring the tip to a point and hold it there.

    Attributes:
        arm: the arm. near: [m] distance at which the target counts as reached.
        effort: penalty on an action's change, per unit squared.
    """

    arm: Arm
    near: float = 0.01
    effort: float = 0.02

    def targets(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 2) points [m] that the arm can reach, from angles within its commands."""
        low, high = np.array(self.arm.low[:2]), np.array(self.arm.high[:2])
        return self.arm.tips(random.uniform(0.8 * low, 0.8 * high, (count, 2)))

    def start(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 2) joint angles [rad] to start from, at rest."""
        return random.uniform(-0.3, 0.3, (count, 2))

    def observations(self, q: Floats, v: Floats, target: Floats) -> Floats:
        """(…, 8) angles, speeds, the target, and the vector to it, each scaled to about 1."""
        scale = sum(self.arm.lengths)
        way = (target - self.arm.tips(q)) / scale
        return np.concatenate([q, v / SPEED, target / scale, way], axis=-1)

    def rewards(self, q: Floats, target: Floats, change: Floats) -> Floats:
        """(…,) minus the distance in arm lengths, plus 1 at the target, less the effort."""
        distance = self.distances(q, target)
        near = (distance < self.near).astype(np.float64)
        effort = self.effort * np.sum(change * change, axis=-1)
        return near - distance / sum(self.arm.lengths) - effort

    def distances(self, q: Floats, target: Floats) -> Floats:
        """(…,) [m] from the tip to the target."""
        return np.linalg.norm(target - self.arm.tips(q), axis=-1)
