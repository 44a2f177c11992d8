"""Small robots shared by several experiments, with their equilibria: one joint with a load, two segments.

A joint's axis is -y, so that a positive angle lifts an arm that points along +x.

For equilibria the motors are ideal, as in operation modes 2 and 3: they are at their references under any
load.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import mujoco

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.engines.spec.names import PRESET
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.lower.law import parameters_of, plain
from pliant.robots.mode import with_mode

SOURCES = {
    "GRAVITY": "assumed: of all the papers",
    "FLANGE_AND_CUBE": "AlterEgo robot's description",
    "DAMPING, FRICTION": "Mengacci et al. 2021, section 4.2, and the AlterEgo robot's description",
    "POINT": "assumed: MuJoCo wants every mass to have some inertia of its own",
}

GRAVITY = 9.81
"""[m/s^2] As in all the papers."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A rigid link, symmetric about its plane.

    Attributes:
        mass: [kg]. centre: distance of the centre of mass from the joint [m]. inertia: about the
            joint [kg m^2]. length: to the next joint [m].
    """

    mass: float
    centre: float
    inertia: float
    length: float


FLANGE_AND_CUBE = Segment(mass=0.5408, centre=0.0768, inertia=4.047e-3, length=0.09)
"""A C-flange with a qbmove on it, from the description of the AlterEgo robot."""
DAMPING, FRICTION = 0.065, 0.025
"""[N m s/rad] and [N m] Of the joints of that robot, and of Mengacci et al. 2021."""


def empty(timestep: float, *, gravity: bool = True, grip: float | None = None) -> mujoco.MjSpec:
    """A world with nothing in it, lit from all sides; `grip`, for contacts: `impratio` of elliptic cones."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    spec.option.gravity = [0.0, 0.0, -GRAVITY if gravity else 0.0]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.visual.headlight.ambient = [0.25, 0.25, 0.25]
    if grip is not None:
        spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, grip
    return spec


def one_joint(
    segment: Segment,
    *,
    timestep: float,
    damping: float = 0.0,
    friction: float = 0.0,
    gravity: bool = True,
    zero: float = 0.0,
) -> mujoco.MjSpec:
    """A segment on the joint "joint".

    Args:
        segment: the link.
        timestep: [s].
        damping: [N m s/rad] and friction: [N m] of the joint.
        gravity: whether there is any.
        zero: [rad] elevation of the link at q = 0: 0 horizontal, -pi/2 hanging, pi/2 upright.
    """
    return chain(
        [segment],
        ["joint"],
        timestep=timestep,
        damping=damping,
        friction=friction,
        gravity=gravity,
        zero=zero,
    )


def chain(
    segments: list[Segment],
    joints: list[str],
    *,
    timestep: float,
    damping: float = DAMPING,
    friction: float = FRICTION,
    gravity: bool = True,
    zero: float = -0.5 * pi,
    tip_mass: float = 0.0,
) -> mujoco.MjSpec:
    """Segments one after another in a vertical plane, with the arguments of `one_joint`.

    `tip_mass` [kg] is a point at the end of the last one.
    """
    spec = empty(timestep, gravity=gravity)
    parent, start, turn = spec.worldbody, 0.0, zero
    for segment, name in zip(segments, joints, strict=True):
        body = parent.add_body(name=f"{name}_link", pos=[start, 0.0, 0.0], quat=_lifted(turn))
        hinge(body, name, [0.0, -1.0, 0.0], damping=damping, frictionloss=friction)
        own = segment.inertia - segment.mass * segment.centre**2
        weigh(body, segment.mass, own, centre=segment.centre)
        parent, start, turn = body, segment.length, 0.0
    if tip_mass > 0.0:
        weigh(parent.add_body(name="tip", pos=[start, 0.0, 0.0]), tip_mass, POINT)
    return spec


POINT = 1e-9
"""[kg m^2] MuJoCo requires every mass to have some inertia of its own."""


def hinge(body: mujoco.MjsBody, name: str, axis: Sequence[float], **more: Any) -> None:
    """A hinge about an axis; `more` are MuJoCo's `damping` and `frictionloss`."""
    body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, **more)


PALE, BLUE = [0.85, 0.85, 0.82, 1], [0.25, 0.45, 0.7, 1]
RED, WOOD = [0.75, 0.3, 0.25, 1], [0.75, 0.6, 0.4, 1]
"""Colours."""


def shape(
    body: mujoco.MjsBody,
    kind: str,
    size: Sequence[float],
    rgba: Sequence[float],
    *,
    touches: bool = True,
    **more: Any,
) -> None:
    """A geom of a kind ("box"); one without contact is only visual. `more` are MuJoCo's attributes."""
    free = {} if touches else {"contype": 0, "conaffinity": 0}
    of = getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")
    body.add_geom(type=of, size=size, rgba=rgba, **free, **more)


def weigh(body: mujoco.MjsBody, mass: float, inertia: float, centre: float = 0.0) -> None:
    """Give `body` a mass [kg], the same inertia [kg m^2] about every axis through its centre of mass.

    The centre of mass is `centre` [m] along the body's x. It must be set: without `ipos` MuJoCo uses
    the body's position in its parent, and the mass would be twice as far out.
    """
    body.explicitinertial = True
    body.mass, body.inertia = mass, [inertia] * 3
    body.ipos, body.iquat = [centre, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]


def _lifted(angle: float) -> list[float]:
    """Quaternion of a rotation by `angle` about -y."""
    half = 0.5 * angle
    return [cos(half), 0.0, -sin(half), 0.0]


def driven(
    spec: mujoco.MjSpec,
    actuators: Mapping[str, Actuator],
    steps: int,
    goals: Mapping[str, Floats | float],
    preset: Floats | float | None = None,
    qpos: Floats | None = None,
) -> Motion:
    """The motion of a spec with these actuators, under commands, constant or one per step.

    Args:
        actuators: of its joints. steps: to simulate. goals: of the joints. preset: of all joints.
        qpos: initial positions of all, or of the first joints; by default the model's own pose.
    """
    attached = attach(spec, actuators)
    model, given = spec.compile(), dict(goals)
    if preset is not None:
        given |= {f"{joint}{PRESET}": preset for joint in actuators}
    pose = model.qpos0.copy()
    if qpos is not None:
        pose[: len(qpos)] = qpos
    return played(model, controls(model, steps, given), attached=attached, qpos=pose)


class Statics:
    """The torque of a joint whose motors are at the references given by its commands."""

    def __init__(self, actuator: Actuator) -> None:
        self._name = actuator.name
        still = with_mode(actuator, 3)
        self._f = plain(still)
        self._p = parameters_of(still)

    def _placed(self, goal: float, preset: float, q: float) -> Any:
        s = self._f["start"](q, self._p)
        return self._f["step"](s, goal, preset, q, 0.0, 0.0, 1.0, self._p, 1.0)

    def torque(self, goal: float, preset: float, q: float) -> float:
        """On the link [N m]."""
        s = self._placed(goal, preset, q)
        return self._f["torque"](s, goal, preset, q, 0.0, 0.0, 1.0, self._p)

    def rest(self, goal: float, preset: float, load: Callable[[float], float]) -> float:
        """Angle at which torque and `load` (of q) [N m] balance, within 1.5 rad of the goal."""

        def balance(q: float) -> float:
            return self.torque(goal, preset, q) + load(q)

        near, far = goal - 1.5, goal + 1.5
        low, high = balance(near), balance(far)
        if low * high > 0.0:
            raise PliantError(
                "the springs cannot hold the load",
                field=f"actuator {self._name}, preset {preset:g} rad",
                found=f"{abs(load(goal)):.3g} N m",
                accepted=f"at most {abs(self.torque(goal, preset, near)):.3g} N m",
            )
        optimize = extra_module("scipy.optimize", "identify")
        return float(optimize.brentq(balance, near, far, xtol=1e-14, rtol=1e-14))

    def deflection(self, preset: float, load: float) -> float:
        """Deflection [rad] from the command under a constant `load` [N m]."""
        return self.rest(0.0, preset, lambda q: load)
