"""A five-joint qbmove arm pushes a box: Mengacci et al. 2021, Fig. 14.

The hand follows a straight path by first-order closed-loop inverse
kinematics; the deflection that gravity causes in the springs is added to the equilibria.
"""

from math import atan2, cos, pi, sin
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.engines.spec.names import PRESET
from pliant.experiments.mengacci2021.push_box_arm import JOINTS, TO_NEXT, Settings, arm
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.statics import Statics
from pliant.experiments.support.strip import write_strip
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode

NAME = "push_box"
TITLE = "A soft arm is stopped by a box, a stiff one pushes it (Mengacci 2021, Fig. 14)"


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The same path, soft and stiff."""
    settings = settings or Settings()
    figure, axes = new_figure(1, 2, width=10.0, height=4.0)
    rows: list[Row] = []
    strips: list[Path] = []
    for which, preset, paper in (
        ("soft", settings.soft, "the box stops the arm"),
        ("stiff", settings.stiff, "the arm pushes it to its goal"),
    ):
        motion = pushed(preset, settings)
        box, hand = moved(motion, settings), path_of_hand(motion)[:, 0]
        bar = "bar below 1 mm" if which == "soft" else "bar above 50 mm"
        short = settings.start[0] + settings.path - hand[-1]
        rows.append(
            Row(
                f"box moves, {which} (preset {preset:g} rad)",
                paper,
                f"{1e3 * box[-1]:.2f} mm",
                f"{bar}; the hand ends {1e3 * short:.0f} mm before its goal",
            )
        )
        time = motion.time - settings.settle
        axes[0].plot(time, hand, label=f"hand, {which}")
        axes[1].plot(time, 1e3 * box, label=which)
        times = settings.settle + settings.path_time * np.array([0.0, 0.4, 0.6, 0.8, 1.0])
        strips.append(
            write_strip(
                motion,
                folder,
                f"{NAME}_{which}",
                times=list(times),
                lookat=[0.1, 0.16, 0.12],
                distance=0.95,
                azimuth=35.0,
                elevation=-40.0,
                title=f"{which}, preset {preset:g} rad",
                since=settings.settle,
            )
        )
    axes[0].set(xlabel="time [s]", ylabel="hand along the path [m]")
    axes[1].set(xlabel="time [s]", ylabel="box moved [mm]")
    for axis in axes:
        axis.legend()
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME), *strips], notes=NOTES)


def first_pose(settings: Settings) -> Floats:
    """(5,) The arm turned flat by its first joint, the elbow away from the box [rad]."""
    upper, fore = TO_NEXT[1] + TO_NEXT[2], TO_NEXT[3] + TO_NEXT[4]
    x, y, _ = settings.start
    away = float(np.hypot(x, y))
    lead = float(np.arccos((upper**2 + away**2 - fore**2) / (2.0 * upper * away)))
    shoulder = atan2(y, x) + lead
    elbow = atan2(y - upper * sin(shoulder), x - upper * cos(shoulder)) - shoulder
    # Rolled by -pi/2 the pitch axes point up.
    return np.array([0.5 * pi, shoulder, 0.0, elbow, 0.0])


def planned(settings: Settings) -> Floats:
    """(T, 5) Joint angles [rad] along the path, by closed-loop inverse kinematics."""
    model = arm(settings, box=False).compile()
    data, h = mujoco.MjData(model), settings.timestep
    hand = model.body("hand").id
    data.qpos[:] = first_pose(settings)
    steps = round((settings.settle + settings.path_time + settings.hold) / h)
    rows, jacobian = np.empty((steps, 5)), np.zeros((3, model.nv))
    for k in range(steps):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jac(model, data, jacobian, None, data.xpos[hand], hand)
        place, speed = _target(k * h - settings.settle, settings)
        rows[k] = data.qpos
        data.qpos += (
            h
            * np.linalg.pinv(jacobian, rcond=1e-3)
            @ (speed + settings.gain * (place - data.xpos[hand]))
        )
    return rows


def _target(t: float, settings: Settings) -> tuple[Floats, Floats]:
    """Wanted place [m] and velocity [m/s] of the hand."""
    along = np.array([1.0, 0.0, 0.0])
    part = min(max(t / settings.path_time, 0.0), 1.0)
    moving = 0.0 < t < settings.path_time
    speed = settings.path / settings.path_time if moving else 0.0
    return settings.start + part * settings.path * along, speed * along


def compensated(plan: Floats, actuator: Actuator, preset: float, settings: Settings) -> Floats:
    """(T, 5) Equilibria [rad]: the plan, and what gravity deflects the springs by."""
    model = arm(settings, box=False).compile()
    data, statics = mujoco.MjData(model), Statics(actuator)
    every = 20
    knots = np.append(np.arange(0, len(plan), every), len(plan) - 1)
    yields = np.empty((len(knots), 5))
    for row, k in enumerate(knots):
        data.qpos[:], data.qvel[:] = plan[k], 0.0
        mujoco.mj_forward(model, data)
        yields[row] = [statics.deflection(preset, -load) for load in data.qfrc_bias]
    return plan - np.column_stack([np.interp(np.arange(len(plan)), knots, y) for y in yields.T])


def pushed(preset: float, settings: Settings) -> Motion:
    """The arm along its path, with the box in the way."""
    actuator = with_mode(load_actuator(settings.actuator), settings.mode)
    plan = planned(settings)
    goals = compensated(plan, actuator, preset, settings)
    spec = arm(settings, box=True)
    attached = attach(spec, dict.fromkeys(JOINTS, actuator))
    model = spec.compile()
    given: dict[str, Floats | float] = {name: goals[:, k] for k, name in enumerate(JOINTS)}
    given |= {f"{name}{PRESET}": preset for name in JOINTS}
    pose = np.array(model.qpos0)
    pose[:5] = plan[0]
    return played(model, controls(model, len(goals), given), attached=attached, qpos=pose)


def moved(motion: Motion, settings: Settings) -> Floats:
    """(T,) Distance [m] of the box from where it stood after settling."""
    first = int(motion.model.joint("box").qposadr[0])
    place = motion.qpos[:, first : first + 2]
    begin = round(0.5 * settings.settle / settings.timestep)
    return np.linalg.norm(place - place[begin], axis=1)


def path_of_hand(motion: Motion) -> Floats:
    """(T, 3) [m], at every 20th row exactly and between them linearly."""
    data, model = mujoco.MjData(motion.model), motion.model
    knots = np.append(np.arange(0, len(motion.time), 20), len(motion.time) - 1)
    places = np.empty((len(knots), 3))
    for row, k in enumerate(knots):
        data.qpos[:] = motion.qpos[k]
        mujoco.mj_kinematics(model, data)
        places[row] = data.xpos[model.body("hand").id]
    rows = np.arange(len(motion.time))
    return np.column_stack([np.interp(rows, knots, p) for p in places.T])


NOTES = (
    "Assumed: the arm moves in a horizontal plane at half the height of the box, the first joint "
    "rolled by 90 degrees, so that gravity loads the roll joints and the push the pitch joints; "
    "presets 0 and 0.4 rad; the path passes the shoulder at 0.25 m. The paper shows a picture.",
    "Hand and links can touch the box; the arm does not touch itself or the floor.",
    "Soft, the hand rests 19 mm off before it moves (without friction in the joints 11 mm): the "
    "compensation adds the springs' deflection alone, not the sag of the motors' position loops.",
    "Springs of hyperbolic sine stiffen as they yield: soft, they must take up half the path (0.1"
    " m) with less force than the 4.5 N that the floor holds the box with.",
)
