"""The arm and the box of the experiment `push_box`, with its settings.

Flat flange (roll), C-flange (pitch), 90 mm, flat flange (yaw), 77.5 mm, C-flange (pitch), 90 mm,
flat flange (roll), 40.5 mm.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.experiments.support.benches import (
    BLUE,
    DAMPING,
    FRICTION,
    WOOD,
    empty,
    hinge,
    shape,
    weigh,
)

SOURCES = {
    "actuators": "assumed: the paper does not say which; AlterEgo's, the identified ones of section 4.3, the toolbox's defaults",
    "presets": "section 4.2",
    "share": "assumed: so that both outcomes come about",
    "box_side, box_mass, floor_friction": "section 4.2.3",
    "path, path_time, beside, hold, settle": "assumed: the paper does not give the path",
    "mode": "assumed",
    "gain": "assumed; section 4.2.3: of first order",
    "damping, friction": "section 4.2; the AlterEgo robot has the same",
    "timestep": "assumed",
    "TO_NEXT, FLANGE, FLANGE_CENTRE, FLANGE_INERTIA, CUBE, CUBE_INERTIA": "AlterEgo robot's description",
    "HAND, HAND_MASS": "assumed",
}

JOINTS = ("roll_1", "pitch_1", "yaw", "pitch_2", "roll_2")
AXES = ([1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0])
"""The arm points along x; a flat flange turns about x, a C-flange about a perpendicular axis."""
TO_NEXT = (0.0, 0.09, 0.0775, 0.09, 0.0405)
"""[m] From each joint to the next one, at last to the tip of the hand."""
FLANGE, FLANGE_INERTIA, CUBE, CUBE_INERTIA = 0.0866, 1.381e-4, 0.4542, 1.75e-4
"""[kg] and [kg m^2]; a flat flange is taken to weigh what a C-flange does."""
FLANGE_CENTRE = 0.0073
"""[m] From the joint to the centre of mass of a flange."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuators: springs of all five joints, one after the other: AlterEgo's (0.02 N m, 11 1/rad),
            identified ones of the paper's section 4.3, the toolbox's defaults.
        share: of the torque of the first springs, for one more set.
        presets: soft and stiff [rad].
        box_side: [m], box_mass: [kg], floor_friction: coefficient.
        path: [m] in path_time [s]; the face of the box is at its middle. beside: distance
            of the path from the shoulder [m].
        hold: [s] at the end. settle: [s] before. mode: operation mode.
        gain: of the inverse kinematics [1/s].
        damping, friction: of the joints. timestep: [s].
    """

    actuators: tuple[str, ...] = (
        "qbmove_advanced_alterego",
        "qbmove_ilc_joint_2",
        "qbmove_ilc_joint_1",
        "qbmove_advanced_equal",
    )
    share: float = 0.5
    presets: tuple[float, float] = (0.2, 0.6)
    box_side: float = 0.265
    box_mass: float = 2.0
    floor_friction: float = 0.23
    path: float = 0.2
    path_time: float = 4.0
    beside: float = 0.25
    hold: float = 2.0
    settle: float = 3.0
    mode: int = 6
    gain: float = 20.0
    damping: float = DAMPING
    friction: float = FRICTION
    timestep: float = 1e-3

    @property
    def start(self) -> Floats:
        """Starting point of the hand [m]; the arm moves level, at half the height of the box."""
        return np.array([-0.04, self.beside, 0.5 * self.box_side])


HAND, HAND_MASS = 0.01, 0.02
"""[m] Radius and [kg] mass of the hand, a ball."""
ARM = 2
"""Contact type of all links except the hand, which only the box collides with."""


def arm(settings: Settings, *, box: bool) -> mujoco.MjSpec:
    """The arm, and the box on the floor."""
    spec = empty(settings.timestep, grip=10.0)
    world = spec.worldbody
    world.add_light(pos=[-0.5, 0.2, 1.5], dir=[0.4, 0.0, -1.0])
    parent = world.add_body(name="base", pos=[0.0, 0.0, settings.start[2]])
    start = 0.0
    rough = [settings.floor_friction, 0.005, 0.0001]
    for k, (name, axis) in enumerate(zip(JOINTS, AXES, strict=True)):
        body = parent.add_body(name=name, pos=[start, 0.0, 0.0])
        hinge(body, name, axis, damping=settings.damping, frictionloss=settings.friction)
        reach = TO_NEXT[k]
        if k < 4:
            _heavy(body, reach, CUBE, CUBE_INERTIA, rough)
        _heavy(body, FLANGE_CENTRE, FLANGE, FLANGE_INERTIA, None)
        if reach:
            shape(
                body,
                "capsule",
                [0.012 if k < 4 else 0.006, 0, 0],
                [0.2, 0.2, 0.22, 1],
                fromto=[0, 0, 0, reach, 0, 0],
                mass=0.0,
                contype=ARM if k < 4 else 0,
                conaffinity=0,
                friction=rough,
            )
        parent, start = body, reach
    hand = parent.add_body(name="hand", pos=[start, 0.0, 0.0])
    shape(hand, "sphere", [HAND, 0, 0], [1.0, 0.15, 0.1, 1], mass=HAND_MASS, friction=rough)
    if box:
        _floor_and_box(spec, settings)
    return spec


def _heavy(
    body: mujoco.MjsBody, at: float, mass: float, inertia: float, rough: list[float] | None
) -> None:
    """A part with a mass; a cube, which the box can touch, where it has a friction."""
    part = body.add_body(pos=[at, 0.0, 0.0])
    weigh(part, mass, inertia)
    if rough:
        shape(part, "box", [0.02, 0.02, 0.02], BLUE, contype=ARM, conaffinity=0, friction=rough)


def _floor_and_box(spec: mujoco.MjSpec, settings: Settings) -> None:
    rough = [settings.floor_friction, 0.005, 0.0001]
    half = 0.5 * settings.box_side
    world = spec.worldbody
    shape(world, "plane", [2, 2, 0.1], [0.6, 0.6, 0.58, 1], friction=rough)
    face = settings.start[0] + 0.5 * settings.path + HAND
    box = world.add_body(name="box", pos=[face + half, settings.beside, half])
    box.add_freejoint(name="box")
    shape(box, "box", [half] * 3, WOOD, mass=settings.box_mass, conaffinity=1 | ARM, friction=rough)
