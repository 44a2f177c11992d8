"""One motor closes the 19 joints of the Pisa/IIT SoftHand: Catalano et al. 2014, eqs. (21) to (27).

A tendon over all joints, each with a spring: the joints share its tension, and close further where
one of them is held.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.experiments.catalano2014.soft_hand_body import RATIOS, TENDON, Settings, hand
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip
from pliant.robots.attach import attach

NAME = "soft_hand"
TITLE = "One motor closes the 19 joints of a soft hand (Catalano 2014, eqs. 21 to 27)"

SOURCES = {"HELD": "assumed", "GRIP": "assumed"}
"""Place of each number in the paper, or "assumed"."""

HELD = -0.04
"""[N m] On each rolling joint of the index finger, against its closing."""
GRIP = 4.5
"""[rad] Goal of the drum with a cylinder in the hand."""
SEEN = ("index_inner", "thumb_abd", "thumb_inner", "little_abd")
"""Joints that are drawn."""
VIEW = View(lookat=[0.02, 0.0, 0.1], distance=0.27, azimuth=215.0, elevation=-12.0)


@dataclass(frozen=True, eq=False)
class Posture:
    """The hand at rest.

    Attributes:
        q: (19,) [rad]. wound: tendon on the drum [m]. tension: [N].
    """

    q: Floats
    wound: float
    tension: float


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The free hand, a finger held, and a cylinder."""
    settings = settings or Settings()
    rows = [
        _compared(f"free hand, drum at {goal:g} rad", settings, goal) for goal in settings.closing
    ]
    rows.append(_compared("index finger held", settings, settings.closing[1], held()))
    figure, axis = new_figure(1, 1, width=7.0, height=4.0)
    _draw(axis, settings)
    free, grasp = (
        closed(settings, settings.closing[-1], cylinder=False),
        closed(settings, GRIP, cylinder=True),
    )
    rows.append(_grip(settings, grasp))
    strips = [
        write_strip(motion, folder, name, times=_times(settings), view=VIEW, title=title)
        for motion, name, title in (
            (free, f"{NAME}_free", "free"),
            (grasp, f"{NAME}_cylinder", "around a cylinder of 45 mm"),
        )
    ]
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME), *strips], notes=NOTES)


def held() -> Floats:
    """(19,) Torques [N m] that hold the index finger back."""
    return np.array(
        [HELD if joint.startswith("index") and "abd" not in joint else 0.0 for joint in RATIOS]
    )


def balance(settings: Settings, wound: float, torque: ArrayLike = 0.0) -> Posture:
    """Eq. (27): the posture where springs, tendon and outer torques are in balance.

    Args:
        settings: pulleys and springs. wound: tendon on the drum, z [m]. torque: (19,) from outside [N m].
    """
    ratios, elastic = np.array(list(RATIOS.values())).T
    radii, stiffness = ratios * settings.pulley, elastic * settings.stiffness
    alone = np.broadcast_to(torque, radii.shape) / stiffness
    tension = (wound - radii @ alone) / float(radii @ (radii / stiffness))
    return Posture(alone + tension * radii / stiffness, wound, float(tension))


def settled(settings: Settings, goal: float, torque: ArrayLike = 0.0) -> Posture:
    """The hand in MuJoCo without gravity, at rest with the drum's goal [rad] and torques [N m] from outside."""
    spec = hand(settings)
    spec.option.gravity = [0.0, 0.0, 0.0]
    attachment = attach(spec, {TENDON: settings.actuator}, transmission={TENDON: -settings.drum})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = goal
    data.qfrc_applied[[int(model.joint(joint).dofadr[0]) for joint in RATIOS]] = torque
    mujoco.mj_step(model, data, nstep=round(settings.duration / settings.timestep))
    q = np.array([data.joint(joint).qpos[0] for joint in RATIOS])
    wound = settings.drum * float(data.joint(TENDON).qpos[0])
    motor = attachment[TENDON]
    return Posture(q, wound, float(motor.torque(data) + motor.friction(data)) / settings.drum)


def closed(settings: Settings, goal: float, *, cylinder: bool) -> Motion:
    """The hand in MuJoCo under gravity; the drum's goal [rad] rises evenly for half of the time."""
    spec = hand(settings, cylinder=cylinder)
    attached = attach(spec, {TENDON: settings.actuator}, transmission={TENDON: -settings.drum})
    model = spec.compile()
    part = np.linspace(0.0, 2.0, round(settings.duration / settings.timestep)).clip(max=1.0)
    return played(model, controls(model, len(part), {TENDON: goal * part}), attached=attached)


def pressed(motion: Motion) -> tuple[int, float]:
    """Phalanges that touch the cylinder at the end, and the sum of what they press with [N]."""
    model, data = motion.model, mujoco.MjData(motion.model)
    data.qpos[:], data.qvel[:], data.act[:] = motion.qpos[-1], motion.qvel[-1], motion.act[-1]
    if motion.control is not None:
        data.ctrl[:] = motion.control[-1]
    mujoco.mj_forward(model, data)
    force, total = np.zeros(6), 0.0
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        total += float(force[0])
    touching = {int(data.contact.geom[k].min()) for k in range(data.ncon)}
    return len(touching), total


def _compared(what: str, settings: Settings, goal: float, torque: ArrayLike = 0.0) -> Row:
    found = settled(settings, goal, torque)
    expected = balance(settings, found.wound, torque)
    flexion = list(RATIOS).index("middle_inner")
    apart = float(np.abs(found.q - expected.q).max())
    return Row(
        f"{what}: middle finger's joints",
        f"eq. (27): {expected.q[flexion]:.4f} rad",
        f"{found.q[flexion]:.4f} rad",
        f"all 19 joints within {1e3 * apart:.2g} mrad of eq. (27); tension {found.tension:.2f} N, "
        f"by the equation {expected.tension:.2f} N; both of the same springs and pulleys",
    )


def _grip(settings: Settings, motion: Motion) -> Row:
    count, force = pressed(motion)
    drum = float(motion.position(TENDON)[-1])
    return Row(
        "around a cylinder of 45 mm: force",
        "about 20 N along z at most (section V.A)",
        f"{force:.1f} N",
        f"sum over the {count} phalanges that touch; drum at {drum:.2f} of {GRIP:g} rad; "
        f"another motor ({settings.actuator}) than the paper's, not to be compared",
    )


def _draw(axis: Any, settings: Settings) -> None:
    goals = np.linspace(0.0, settings.closing[-1], 6)
    found = [settled(settings, float(goal)) for goal in goals]
    for joint in SEEN:
        place = list(RATIOS).index(joint)
        wound = 1e3 * np.array([one.wound for one in found])
        (line,) = axis.plot(
            wound, [balance(settings, one.wound).q[place] for one in found], label=joint
        )
        axis.plot(wound, [one.q[place] for one in found], "o", color=line.get_color())
    axis.set(xlabel="tendon wound up [mm]", ylabel="angle [rad] (line: eq. 27)")
    axis.legend()


def _times(settings: Settings) -> list[float]:
    return [part * settings.duration for part in (0.0, 0.15, 0.3, 0.45, 1.0)]


NOTES = (
    "Given by the authors' description of the hand (BSD 3-clause): transmission ratios, relative "
    "elasticities, lengths, masses, limits. Given by the paper: pulleys of 3.5 mm, rolling circles of "
    "6.5 mm (section IV), a 6 W motor RE-max21 with a gear of 84:1 (section V).",
    "Assumed: the springs' unit (0.1 N m/rad; ratios alone decide the posture), the drum, and the "
    "motor: neither its winding nor its controller is published, so a servo of the catalogue turns the drum.",
    "Eq. (27) is evaluated for the length that is wound up, so the servo's own error is no part of the "
    "comparison. Both sides have the same numbers: the rows prove the engine and its tendon, not the hand. It holds without gravity and before a joint meets its stop; the images are with gravity.",
)
