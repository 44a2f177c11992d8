"""One motor closes the 19 joints of the Pisa/IIT SoftHand: Catalano et al. 2014, eqs. (21) to (27).

One tendon runs over all joints, each with a spring: the joints share its tension, and if one is
held, the others close further.

A joint between phalanges rolls: two hinges 13 mm apart that turn by the same angle. Numbers are those of the
authors' description (github.com/CentroEPiaggio/pisa-iit-soft-hand, BSD 3-clause).
"""

from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.experiments.support.benches import BLUE, WOOD, empty, hinge, shape, weigh
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip
from pliant.robots.attach import attach

SOURCES = {
    "actuator, drum": "assumed: section V gives motor (RE-max21, 6 W), gear (84:1) and encoder, not winding and drum",
    "pulley": "section IV",
    "stiffness": "assumed: the description's 1 N m/rad would take a tendon of 300 N; sections IV and V give no stiffness",
    "joint_damping, friction, timestep, duration, closing, HELD, GRIP": "assumed",
    "cylinder": "section V.A, Fig. 18a",
    "cylinder_at": "assumed: where the fingers close around it",
    "RATIOS": "published description, soft_hand.transmission.xacro: mechanicalReduction and mechanicalElasticity",
    "FINGERS, TO_JOINT, THUMB_TO_JOINT, LIMITS": "published description, soft_hand.urdf.xacro",
    "ROLLING": "section IV: circles of 6.5 mm that roll on one another; the description has the same",
    "MASSES": "published description, soft_hand.inertia.xacro, in grams (its simulation takes ten times as much)",
    "RADIUS": "assumed: half the thickness of a phalanx's mesh",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuator: that turns the drum. drum: its radius [m]. pulley: radius of the joints' [m].
        stiffness: of a joint whose elasticity is 1 in the description [N m/rad].
        joint_damping: [N m s/rad]. friction: of hand and cylinder.
        closing: drum angles at which the free hand is evaluated [rad], in turn.
        cylinder: radius and length [m]. cylinder_at: its middle, from the palm [m].
        duration: of a motion [s]. timestep: [s].
    """

    actuator: str = "mx64_bam_m6"
    drum: float = 0.01
    pulley: float = 3.5e-3
    stiffness: float = 0.1
    joint_damping: float = 5e-3
    friction: float = 1.0
    closing: tuple[float, ...] = (1.0, 2.5, 3.5)
    cylinder: tuple[float, float] = (0.0225, 0.12)
    cylinder_at: tuple[float, float, float] = (0.034, 0.0, 0.1)
    duration: float = 3.0
    timestep: float = 5e-4


RATIOS = {
    "thumb_abd": (1.3, 0.5),
    "thumb_inner": (1.0, 1.0),
    "thumb_outer": (1.0, 1.0),
    "index_abd": (-0.2, 1.0),
    "index_inner": (1.0, 1.0),
    "index_middle": (1.0, 1.0),
    "index_outer": (1.0, 1.0),
    "middle_abd": (0.001, 1.0),
    "middle_inner": (1.0, 1.0),
    "middle_middle": (1.0, 1.0),
    "middle_outer": (1.0, 1.0),
    "ring_abd": (0.2, 1.0),
    "ring_inner": (1.0, 1.0),
    "ring_middle": (1.0, 1.0),
    "ring_outer": (1.0, 1.0),
    "little_abd": (0.4, 1.0),
    "little_inner": (1.0, 1.0),
    "little_middle": (1.0, 1.0),
    "little_outer": (1.0, 1.0),
}
"""Joint to its transmission ratio (R of eq. 21) and elasticity (K of eq. 23), both relative."""
FINGERS = {
    "thumb": ((0.00566972, 0.0296160, 0.0553140), (0.0, -0.38397275793662144, 0.5 * pi)),
    "index": ((-0.0033, 0.0195, 0.0936994), (0.5 * pi, -1.4835299330931884, 0.5 * pi)),
    "middle": ((-0.0033, 0.0, 0.100699), (pi, -0.5 * pi, 0.0)),
    "ring": ((-0.0033, -0.0195, 0.0936994), (-0.5 * pi, -1.5184364298870514, -0.5 * pi)),
    "little": ((-0.0033, -0.039, 0.0836994), (-0.5 * pi, -1.4835299330931884, -0.5 * pi)),
}
"""Position [m] and rotation (about the palm's x, y, z, in turn) [rad] of each knuckle."""
ROLLING, TO_JOINT = 0.013, 0.009
"""[m] Between the two hinges of a rolling joint, and from a phalanx's start to the next joint."""
THUMB_TO_JOINT = ((0.0225, -0.0033, 0.0), (0.42662757656587236, 0.0, 0.0))
"""[m], [rad] From the thumb's knuckle to its first rolling joint."""
LIMITS = {"thumb_abd": (0.0, 0.5 * pi), "abd": (-pi / 6.0, pi / 6.0), "flexion": (0.0, 0.25 * pi)}
"""[rad]; each of the two hinges of a rolling joint turns by up to 45 degrees."""
MASSES = {"palm": 0.228, "knuckle": 0.009, "roller": 1e-4, "phalanx": 0.005, "fingertip": 0.010}
"""[kg]; a roller, between two hinges, has almost no mass."""
RADIUS = 0.007
"""[m] Of a phalanx."""
TENDON = "synergy"


def hand(settings: Settings, *, cylinder: bool = False) -> mujoco.MjSpec:
    """The hand, palm fixed and fingers up, its tendon over all joints; a fixed cylinder in front of it."""
    spec = empty(settings.timestep, grip=10.0)
    spec.compiler.degree = False
    spec.compiler.eulerseq = "XYZ"
    spec.worldbody.add_light(pos=[0.6, 0.3, 1.0], dir=[-0.5, -0.2, -1.0])
    palm = spec.worldbody.add_body(name="palm")
    weigh(palm, MASSES["palm"], 2e-4)
    shape(
        palm,
        "box",
        [0.012, 0.04, 0.04],
        [0.2, 0.2, 0.22, 1],
        pos=[-0.018, -0.008, 0.045],
        touches=False,
    )
    for name in FINGERS:
        _finger(spec, palm, name, settings)
    tendon = spec.add_tendon(name=TENDON)
    for joint, (ratio, _) in RATIOS.items():
        tendon.wrap_joint(joint, -ratio * settings.pulley)
    if cylinder:
        radius, length = settings.cylinder
        body = spec.worldbody.add_body(
            name="cylinder", pos=settings.cylinder_at, euler=[0.5 * pi, 0, 0]
        )
        shape(
            body,
            "cylinder",
            [radius, 0.5 * length, 0],
            WOOD,
            name="cylinder",
            contype=0,
            conaffinity=1,
            friction=[settings.friction, 0.01, 0.001],
        )
    return spec


def _finger(spec: mujoco.MjSpec, palm: mujoco.MjsBody, name: str, settings: Settings) -> None:
    at, turn = FINGERS[name]
    thumb = name == "thumb"
    body = palm.add_body(name=f"{name}_knuckle", pos=at, euler=turn)
    weigh(body, MASSES["knuckle"], 70e-6 * MASSES["knuckle"])
    limits = LIMITS["thumb_abd" if thumb else "abd"]
    _hinge(body, f"{name}_abd", [0, 0, -1 if thumb else 1], limits, settings)
    if thumb:
        place, tilt = THUMB_TO_JOINT
        _drawn(body, place[0], settings)
    else:
        place, tilt = (TO_JOINT, 0.0, 0.0), (0.0, 0.0, 0.0)
    phalanges = [joint.removeprefix(f"{name}_") for joint in RATIOS if joint.startswith(name)][1:]
    for phalanx in phalanges:
        joint = f"{name}_{phalanx}"
        roller = body.add_body(name=f"{joint}_roller", pos=place, euler=tilt)
        weigh(roller, MASSES["roller"], 10e-6 * MASSES["roller"])
        _hinge(roller, joint, [0, -1, 0], LIMITS["flexion"], settings)
        body = roller.add_body(name=joint, pos=[ROLLING, 0, 0])
        kind = "fingertip" if phalanx == phalanges[-1] else "phalanx"
        weigh(
            body,
            MASSES[kind],
            60e-6 * MASSES[kind],
            centre=0.0098 if kind == "fingertip" else 0.0051,
        )
        hinge(body, f"{joint}_roll", [0, -1, 0], damping=1e-05)
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=f"{joint}_roll",
            name2=joint,
            data=[0.0, 1.0, *[0.0] * 10],
            solref=[2.0 * settings.timestep, 1.0],
            solimp=[0.9999, 0.9999, 0.001, 0.5, 2.0],
        )
        _drawn(body, 0.018 if kind == "fingertip" else TO_JOINT, settings)
        place, tilt = (TO_JOINT, 0.0, 0.0), (0.0, 0.0, 0.0)


def _hinge(
    body: mujoco.MjsBody,
    name: str,
    axis: list[int],
    limits: tuple[float, float],
    settings: Settings,
) -> None:
    body.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=axis,
        range=limits,
        limited=True,
        stiffness=RATIOS[name][1] * settings.stiffness,
        damping=settings.joint_damping,
    )


def _drawn(body: mujoco.MjsBody, length: float, settings: Settings) -> None:
    """A phalanx that can touch only the cylinder."""
    shape(
        body,
        "capsule",
        [RADIUS, 0, 0],
        BLUE,
        fromto=[-0.004, 0, 0, length, 0, 0],
        mass=0.0,
        contype=1,
        conaffinity=0,
        friction=[settings.friction, 0.01, 0.001],
    )


NAME = "soft_hand"
TITLE = "One motor closes the 19 joints of a soft hand (Catalano 2014, eqs. 21 to 27)"

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
    """Eq. (27): the posture in which springs, tendon and external torques balance.

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
    """The hand in MuJoCo under gravity; the drum's goal [rad] rises linearly for half of the time."""
    spec = hand(settings, cylinder=cylinder)
    attached = attach(spec, {TENDON: settings.actuator}, transmission={TENDON: -settings.drum})
    model = spec.compile()
    part = np.linspace(0.0, 2.0, round(settings.duration / settings.timestep)).clip(max=1.0)
    return played(model, controls(model, len(part), {TENDON: goal * part}), attached=attached)


def pressed(motion: Motion) -> tuple[int, float]:
    """Phalanges that touch the cylinder at the end, and the sum of their contact forces [N]."""
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
        f"by the equation {expected.tension:.2f} N; both with the same springs and pulleys",
    )


def _grip(settings: Settings, motion: Motion) -> Row:
    count, force = pressed(motion)
    drum = float(motion.position(TENDON)[-1])
    return Row(
        "around a cylinder of 45 mm: force",
        "about 20 N along z at most (section V.A)",
        f"{force:.1f} N",
        f"sum over the {count} phalanges that touch; drum at {drum:.2f} of {GRIP:g} rad; "
        f"not comparable: another motor ({settings.actuator}) than the paper's",
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
    "Eq. (27) is evaluated for the length wound up, which excludes the servo's own error from the "
    "comparison. Both sides have the same numbers: the rows test the engine and its tendon, not the hand. The equation holds without gravity and before a joint meets its stop; the images are with gravity.",
)
