"""Eight qbmove Maker Pro modules as a small upper body: Parnenzini, Fig. 7. A demonstration.

Two arms of shoulder, yaw and gripper close around a ball on a table and lift it; a head of two
modules looks at it.
"""

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion
from pliant.experiments.parnenzini.maker_pro import modules
from pliant.experiments.support.benches import BLUE, PALE, RED, driven, empty, hinge, shape
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip

NAME = "frank"
TITLE = "Eight qbmove modules as a two-armed upper body lift a ball (Parnenzini, Fig. 7)"

SOURCES = {
    "actuator": "Table I",
    "presets, ball, friction, low, high, squeeze, gripper, times, duration, timestep": "assumed: Fig. 7 is a picture",
    "MODULE": "authors' released model of the snake (qbmove_snake, model.sdf), not in the paper",
    "SIDE, SHOULDER, FOREARM, FINGER, PAD, JOINT_FRICTION, JOINT_DAMPING": "assumed: Fig. 7 is a picture",
}
SIDES = {"left": 1.0, "right": -1.0}
HEAD = ("head_yaw", "head_pitch")
MODULE, SIDE = 0.25, 0.066
"""[kg], [m] Of a qbmove."""
SHOULDER = (0.0, 0.15, 0.35)
"""[m] Of the left arm."""
FOREARM, FINGER = 0.17, 0.07
"""[m]"""
PAD = 0.03
"""[kg] Of the pad at the end of a forearm and of a finger."""
JOINT_FRICTION, JOINT_DAMPING = 0.01, 0.05
"""[N m], [N m s/rad]"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All assumed: the paper shows a picture.

    Attributes:
        actuator: with its power stage. presets: of all modules, one after the other [rad].
        ball: radius [m] and mass [kg]. friction: of hands, ball and table.
        low, high: shoulder when reaching and when lifting [rad]. squeeze: yaw of the arms, and
        gripper: turn of the fingers when they hold [rad].
        times: when the arms close, and when they lift [s]. duration: [s]. timestep: [s].
    """

    actuator: str = "qbmove_maker_pro_pwm"
    presets: tuple[float, ...] = (0.3, 0.5)
    ball: tuple[float, float] = (0.07, 0.1)
    friction: float = 1.0
    low: float = 0.45
    high: float = -0.25
    squeeze: float = 0.55
    gripper: float = 0.0
    times: tuple[float, float] = (2.0, 4.0)
    duration: float = 7.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Reach, close, lift, at each preset."""
    settings = settings or Settings()
    figure, axis = new_figure(1, 1, width=7.0, height=4.0)
    rows: list[Row] = []
    strips: list[Path] = []
    for preset in settings.presets:
        motion = lifted(settings, preset)
        height = motion.qpos[:, int(motion.model.joint("ball").qposadr[0]) + 2]
        rise = float(height[-1] - height[round(1.0 / settings.timestep)])
        rows.append(
            Row(
                f"ball lifted, preset {preset:g} rad",
                "a picture",
                f"{1e2 * rise:.1f} cm",
                f"of {settings.ball[1]:g} kg",
            )
        )
        axis.plot(motion.time, 1e2 * height, label=f"preset {preset:g} rad")
        strips.append(
            write_strip(
                motion,
                folder,
                f"{NAME}_preset_{preset:g}".replace(".", "_"),
                times=[0.5, 1.8, 3.5, 5.0, settings.duration],
                view=View(lookat=[0.12, 0.0, 0.3], distance=1.1, azimuth=150.0, elevation=-20.0),
                title=f"preset {preset:g} rad",
            )
        )
    axis.set(xlabel="time [s]", ylabel="height of the ball [cm]")
    axis.legend()
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME), *strips], notes=NOTES)


def lifted(settings: Settings, preset: float) -> Motion:
    """The whole motion."""
    spec = upper_body(settings)
    joints = [joint.name for joint in spec.joints if joint.name != "ball"]
    units = modules(settings.actuator, len(joints))
    steps = round(settings.duration / settings.timestep)
    time: Floats = settings.timestep * np.arange(steps, dtype=np.float64)
    given: dict[str, Floats | float] = {}
    close, lift = settings.times
    for side, way in SIDES.items():
        given[f"{side}_shoulder"] = _ramp(time, lift, settings.low, settings.high)
        given[f"{side}_yaw"] = -way * _ramp(time, close, 0.0, settings.squeeze)
        given[f"{side}_gripper"] = -way * _ramp(time, close, -0.5, settings.gripper)
    given["head_pitch"] = _ramp(time, lift, 0.5, 0.1)
    return driven(spec, dict(zip(joints, units, strict=True)), steps, given, preset)


def _ramp(time: Floats, begin: float, old: float, new: float) -> Floats:
    x = np.clip(time - begin, 0.0, 1.0)
    return old + (new - old) * x**2 * (3.0 - 2.0 * x)


def upper_body(settings: Settings) -> mujoco.MjSpec:
    """Body, arms, head, table and ball."""
    spec = empty(settings.timestep, grip=10.0)
    rough = [settings.friction, 0.01, 1e-3]
    world = spec.worldbody
    world.add_light(pos=[0.8, 0.8, 2.0], dir=[-0.4, -0.4, -1.0])
    shape(world, "box", [0.03, 0.1, 0.2], [0.35, 0.36, 0.4, 1], pos=[-0.04, 0, 0.2], touches=False)
    shape(world, "plane", [2, 2, 0.1], PALE, friction=rough)
    for side, way in SIDES.items():
        _arm(world, side, way, rough)
    _head(world)
    reach = SIDE + FOREARM
    # The hands reach the ball at its middle.
    height = SHOULDER[2] - reach * float(np.sin(settings.low)) - settings.ball[0]
    ahead = reach * float(np.cos(settings.low)) + 0.01
    shape(world, "box", [0.05, 0.05, 0.01], PALE, pos=[ahead, 0, height - 0.01], friction=rough)
    ball = world.add_body(name="ball", pos=[ahead, 0.0, height + settings.ball[0]])
    ball.add_freejoint(name="ball")
    shape(
        ball,
        "sphere",
        [settings.ball[0], 0, 0],
        RED,
        mass=settings.ball[1],
        friction=rough,
        condim=6,
    )
    return spec


def _arm(world: mujoco.MjsBody, side: str, way: float, rough: list[float]) -> None:
    """Shoulder about the y axis, yaw, and a finger; forward at 0."""
    x, y, z = SHOULDER
    upper = world.add_body(name=f"{side}_upper", pos=[x, way * y, z])
    _hinge(upper, f"{side}_shoulder", [0, 1, 0])
    _module(upper, 0.5 * SIDE)
    fore = upper.add_body(name=f"{side}_fore", pos=[SIDE, 0, 0])
    _hinge(fore, f"{side}_yaw", [0, 0, 1])
    _module(fore, 0.5 * FOREARM)
    _pad(fore, FOREARM, rough)
    finger = fore.add_body(name=f"{side}_finger", pos=[FOREARM, 0, 0])
    _hinge(finger, f"{side}_gripper", [0, 0, 1])
    _pad(finger, FINGER, rough)


def _head(world: mujoco.MjsBody) -> None:
    neck = world.add_body(name="neck", pos=[0.0, 0.0, 0.43])
    _hinge(neck, HEAD[0], [0, 0, 1])
    _module(neck, 0.0)
    face = neck.add_body(name="face", pos=[0.0, 0.0, SIDE])
    _hinge(face, HEAD[1], [0, 1, 0])
    _module(face, 0.0)


def _hinge(body: mujoco.MjsBody, name: str, axis: list[int]) -> None:
    hinge(body, name, axis, damping=JOINT_DAMPING, frictionloss=JOINT_FRICTION)


def _module(body: mujoco.MjsBody, at: float) -> None:
    shape(body, "box", [0.5 * SIDE] * 3, BLUE, pos=[at, 0, 0], mass=MODULE, touches=False)


def _pad(body: mujoco.MjsBody, length: float, rough: list[float]) -> None:
    shape(
        body,
        "capsule",
        [0.015, 0, 0],
        [0.3, 0.3, 0.35, 1],
        fromto=[0.6 * length, 0, 0, length, 0, 0],
        mass=PAD,
        friction=rough,
        condim=6,
    )


NOTES = (
    "A demonstration: the paper shows a picture of a robot with eight modules and no numbers. "
    "Dimensions, ball and motion are assumed. A ball between two round arms is a delicate thing: "
    "other presets and squeezes drop it.",
)
