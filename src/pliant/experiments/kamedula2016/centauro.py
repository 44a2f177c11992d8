"""A robot with four legs, two arms and series-elastic joints: Kamedula et al. 2016, Figs. 7 to 9.

From an initial posture it crouches like a spider and rises like a mammal. The position loops run
at f_c = 1 kHz, physics and motors at f_s = 2 kHz.
"""

import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator, with_law
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.experiments.kamedula2016 import centauro_body as body
from pliant.experiments.kamedula2016 import signals
from pliant.experiments.support.compliant_truth import smooth
from pliant.experiments.support.energy import energy_of
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip
from pliant.io.actuator_file import load_actuator

NAME = "centauro"
TITLE = "A four-legged, two-armed robot with 36 series-elastic joints (Kamedula 2016, Figs. 7-9)"

SOURCES = {
    "f_c, f_s": "section 5.2",
    "sections, grounded": "section 4.1.2",
    "arm, leg": "assumed: stiffnesses, gains and limits are not published",
    "hold, change": "assumed",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        f_c: of the position loops [Hz]. f_s: of physics and motors [Hz], a multiple of f_c; both are
            the paper's.
        sections: parts of the robot; descendants of a missing section are left out too.
        grounded: fix the pelvis; without legs it is always fixed.
        arm, leg: (K_t, K_p, torque limit) of the joints [N m/rad, N m/rad, N m].
        hold, change: [s] in a posture, from one to the next.
    """

    f_c: float = 1000.0
    f_s: float = 2000.0
    sections: tuple[str, ...] = body.FIVE
    grounded: bool = False
    arm: tuple[float, float, float] = (500.0, 2000.0, 120.0)
    leg: tuple[float, float, float] = (2000.0, 5000.0, 300.0)
    hold: float = 3.0
    change: float = 3.0


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The change of postures, errors at rest, and the computing time."""
    settings = settings or Settings()
    motion, joints, goals = moved(settings)
    model = motion.model
    rows = [
        Row("actuated joints", "36", f"{len(joints)}"),
        *_bounded(motion, joints),
        *_at_rest(motion, joints, goals, settings),
        *_hips(motion, joints, goals, settings),
        *_creep(motion, settings),
        *_energy(motion),
        *_left_out(settings),
        *_cost(settings, model, joints, goals),
    ]
    figure, axes = new_figure(2, 1, width=10.0, height=6.0)
    _draw(axes, motion, joints, goals)
    drawn = [
        save_figure(figure, folder, NAME),
        signals.figure(motion, joints, goals, folder, since=0.5 * settings.hold),
    ]
    ends = [settings.hold, 2 * settings.hold + settings.change, float(motion.time[-1])]
    strip = write_strip(
        motion,
        folder,
        f"{NAME}_postures",
        times=ends,
        view=View(lookat=[0.0, 0.0, 0.5], distance=3.2, azimuth=130.0, elevation=-15.0),
    )
    return Outcome(rows=rows, figures=[*drawn, strip], notes=NOTES)


def moved(settings: Settings) -> tuple[Motion, list[str], Floats]:
    """The change of postures, its joints, and (T, J) references [rad]."""
    spec = body.robot(settings.sections, grounded=settings.grounded, timestep=1.0 / settings.f_s)
    joints = [joint.name for joint in spec.joints if joint.name != body.FLOATING]
    goals = _goals(joints, settings)
    attached = attach(spec, {name: _actuator(name, settings) for name in joints})
    model = spec.compile()
    motion = played(
        model,
        controls(model, len(goals), dict(zip(joints, goals.T, strict=True))),
        attached=attached,
        qpos=_first(model, joints, goals[0]),
    )
    return motion, joints, goals


def _actuator(joint: str, settings: Settings) -> Actuator:
    k, kp, limit = settings.leg if joint.startswith("leg") else settings.arm
    unit = with_law(load_actuator("sea_centauro_500"), "rate", "sampled")
    return unit.with_values(
        {"rate.f_c": settings.f_c, "spring.k": k, "control.k_p": kp, "control.limit": limit},
        "assumed: masses and gains of the robot are not published",
        "assumed",
    )


def _goals(joints: list[str], settings: Settings) -> Floats:
    """(T, J) References [rad]: hold, spider, hold, mammal, hold."""
    h = 1.0 / settings.f_s
    poses = [np.array([body.posture(name)[joint] for joint in joints]) for name in body.POSTURES]
    hold, change = round(settings.hold / h), round(settings.change / h)
    step = smooth(np.arange(change) / change)[:, None]
    parts = [np.tile(poses[0], (hold, 1))]
    for old, new in pairwise(poses):
        parts += [old + step * (new - old), np.tile(new, (hold, 1))]
    return np.concatenate(parts)


def _first(model: mujoco.MjModel, joints: list[str], goal: Floats) -> Floats:
    pose = np.array(model.qpos0)
    for joint, value in zip(joints, goal, strict=True):
        pose[int(model.joint(joint).qposadr[0])] = value
    return pose


def _positions(motion: Motion, joints: list[str]) -> Floats:
    return np.column_stack([motion.position(joint) for joint in joints])


def _bounded(motion: Motion, joints: list[str]) -> list[Row]:
    fastest = float(np.abs(motion.qvel).max())
    up = [1.0]
    if motion.model.nq > len(joints):
        x, y = motion.qpos[:, 4], motion.qpos[:, 5]
        up = 1.0 - 2.0 * (x**2 + y**2)
    finite = bool(np.isfinite(motion.qpos).all())
    tilt = float(np.degrees(np.arccos(min(up))))
    note = f"fastest {fastest:.1f} rad/s or m/s; pelvis tilts {tilt:.1f}° at most"
    return [Row("motion", "–", "bounded" if finite else "not finite", note)]


def _at_rest(motion: Motion, joints: list[str], goals: Floats, settings: Settings) -> list[Row]:
    """Errors at the end against load over stiffness, with the load of a rigid robot."""
    model, data = motion.model, mujoco.MjData(motion.model)
    data.qpos[:] = motion.qpos[-1]
    mujoco.mj_forward(model, data)
    errors = goals[-1] - motion.qpos[-1][[int(model.joint(j).qposadr[0]) for j in joints]]
    loads = data.qfrc_bias[[int(model.joint(j).dofadr[0]) for j in joints]]
    free = [k for k, j in enumerate(joints) if not j.startswith("leg")]
    soft = [sum(1.0 / x for x in settings.arm[:2])] * len(joints)
    expected = loads * np.array(soft)
    rows: list[Row] = []
    if free:
        apart = np.abs(errors - expected)[free]
        most = max(free, key=lambda k: abs(expected[k]))
        rows.append(
            Row(
                "joints without contact: largest |error − g(q) (1/K + 1/K_p)|",
                "non-negligible under gravity",
                f"{1e3 * apart.max():.3f} mrad",
                f"{joints[most]}: {1e3 * errors[most]:.1f} mrad under {loads[most]:.1f} N m; K and K_p are "
                "those simulated: it tests the engine",
            )
        )
    yaw = [k for k, j in enumerate(joints) if j == "torso_yaw"]
    for k in yaw:
        note = f"under {loads[k]:.2g} N m: the pelvis is not exactly level"
        rows.append(
            Row("error of torso_yaw, free of gravity", "–", f"{1e3 * errors[k]:.3f} mrad", note)
        )
    return rows


def _hips(motion: Motion, joints: list[str], goals: Floats, settings: Settings) -> list[Row]:
    """Yaw and pitch of a hip at rest in the last posture: standing, and with the legs in the air."""
    if "leg_1_yaw" not in joints:
        return []
    free = replace(settings, sections=("pelvis", "legs"), grounded=True)
    cases = {"standing": (motion, joints, goals)}
    if not settings.grounded:
        cases["legs in the air, pelvis grounded"] = moved(free)
    rows: list[Row] = []
    for where, (how, names, told) in cases.items():
        for word, paper in (("hip yaw", "can converge to 0"), ("hip pitch", "considerable")):
            joint = signals.SHOWN[word]
            error = told[-1, names.index(joint)] - how.position(joint)[-1]
            torque = signals.torques(how, joint, told[:, names.index(joint)])[0][-1]
            note = f"under {torque:.2g} N m of its transmission"
            rows.append(Row(f"error of {word}, {where}", paper, f"{1e3 * error:.3f} mrad", note))
    return rows


def creep(motion: Motion, begin: float, end: float) -> float:
    """Largest distance [m] that any foot moves on the floor between two times."""
    model, data = motion.model, mujoco.MjData(motion.model)
    feet = [g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE]
    places: list[Floats] = []
    for t in (begin, end):
        data.qpos[:] = motion.qpos[int(np.argmin(np.abs(motion.time - t)))]
        mujoco.mj_kinematics(model, data)
        places.append(np.array(data.geom_xpos[feet]))
    return float(np.linalg.norm(places[1] - places[0], axis=1).max())


def _creep(motion: Motion, settings: Settings) -> list[Row]:
    if "legs" not in body.sections(settings.sections) or settings.grounded:
        return []
    end = float(motion.time[-1])
    moved = creep(motion, end - 0.5 * settings.hold, end)
    what = f"feet move on the floor in the last {0.5 * settings.hold:g} s"
    return [Row(what, "–", f"{1e3 * moved:.3f} mm", "a robot at rest should not move")]


def _energy(motion: Motion) -> list[Row]:
    """Cost of the postures, relative to the path of the centre of mass, as the robot stays in place."""
    energy = energy_of(motion)
    assert energy is not None  # joints are attached
    model, data = motion.model, mujoco.MjData(motion.model)
    places: list[Floats] = []
    for pose in motion.qpos[::20]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        places.append(np.array(data.subtree_com[0]))
    way = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    mass, drawn = float(model.body_mass.sum()), float(np.nansum(energy.drawn))
    return [
        Row(
            "cost of transport, over the path of the centre of mass",
            "–",
            f"{energy.cost_of_transport(mass, way):.3g}",
            f"{drawn:.3g} J drawn by the motors, without recovery, for {mass:.3g} kg over {way:.2f} m; "
            f"{float(np.nansum(energy.friction)):.3g} J of it drag of the motors; their windings are unknown",
        )
    ]


def _left_out(settings: Settings) -> list[Row]:
    """Count the joints left without some sections, and name what carries the pelvis then."""
    rows: list[Row] = []
    for missing in ("wheels", "arms", "torso", "legs"):
        names = [name for name in body.FIVE if name != missing]
        spec = body.robot(names, grounded=False, timestep=1.0 / settings.f_s)
        floats = any(joint.name == body.FLOATING for joint in spec.joints)
        count = len(spec.joints) - floats
        kept = ", ".join(name for name in body.SECTIONS if name in body.sections(names))
        base = "floats" if floats else "is fixed"
        rows.append(Row(f"joints without {missing}", "–", f"{count}", f"{kept}; the base {base}"))
    hips = body.robot((*body.FIVE[:-1], "hip_wheels"), grounded=True, timestep=1.0 / settings.f_s)
    rows.append(Row("joints with wheels at the hips alone", "–", f"{len(hips.joints)}"))
    return rows


def _cost(settings: Settings, soft: mujoco.MjModel, joints: list[str], goals: Floats) -> list[Row]:
    """Time of the steps, against the same robot with MuJoCo's own position actuators."""
    spec = body.robot(settings.sections, grounded=settings.grounded, timestep=1.0 / settings.f_s)
    for joint in joints:
        _, kp, limit = settings.leg if joint.startswith("leg") else settings.arm
        servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.gainprm[0], servo.biastype = kp, mujoco.mjtBias.mjBIAS_AFFINE
        servo.biasprm[1], servo.biasprm[2] = -kp, -0.02 * kp
        servo.forcerange, servo.forcelimited = [-limit, limit], 1
    rigid = spec.compile()
    times: dict[str, list[float]] = {"soft": [], "rigid": []}
    for _ in range(5):
        for which, model in (("soft", soft), ("rigid", rigid)):
            times[which].append(_seconds(model, joints, goals))
    best = {which: min(values) for which, values in times.items()}
    simulated = COUNT / settings.f_s
    return [
        Row(
            "real-time factor, one core",
            "–",
            f"{simulated / best['soft']:.1f}",
            f"{1e6 * best['soft'] / COUNT:.0f} µs a step of {1e3 / settings.f_s:g} ms",
        ),
        Row(
            "time of a step, against the rigid robot",
            "–",
            f"{best['soft'] / best['rigid']:.2f}",
            "best of 5, interleaved; other load on the machine affects it",
        ),
    ]


COUNT = 1000
"""Number of timed steps."""


def _seconds(model: mujoco.MjModel, joints: list[str], goals: Floats) -> float:
    data = mujoco.MjData(model)
    data.qpos[:] = _first(model, joints, goals[0])
    for k, joint in enumerate(joints):
        data.ctrl[model.actuator(joint).id] = goals[0, k]
    begin = time.perf_counter()
    mujoco.mj_step(model, data, COUNT)
    return time.perf_counter() - begin


def _draw(axes: NDArray[np.object_], motion: Motion, joints: list[str], goals: Floats) -> None:
    every = slice(None, None, 20)
    errors = goals - _positions(motion, joints)
    for name in (*signals.SHOWN.values(), "leg_1_knee", "torso_pitch"):
        if name in joints:
            k = joints.index(name)
            axes[0].plot(motion.time[every], motion.position(name)[every], label=name)
            axes[1].plot(motion.time[every], 1e3 * errors[every, k], label=name)
    axes[0].set(xlabel="time [s]", ylabel="q [rad]")
    axes[1].set(xlabel="time [s]", ylabel="reference − q [mrad]")
    axes[0].legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


NOTES = (
    "Given by the paper: f_c = 1 kHz, f_s = 2 kHz, arms and legs of 0.80 m and about 10 kg, 36 "
    "joints, the order of the postures (Figs. 7 to 9).",
    "Masses, postures and gains are not published: the robot is built of simple shapes, arms and "
    "legs 0.80 m and 10 kg each, 100 kg in all, with stiffer springs, gains and limits for the "
    "legs.",
    "Only the feet touch the floor; the wheels at hips and knees have joints and turn nothing "
    "here.",
    "Friction in MuJoCo creeps under a steady load: without its pass against slip "
    "(noslip_iterations) the feet move outwards by millimetres per second, and the error of the hips "
    "drifts with them while the robot should stand still.",
    "Leg joints carry contact forces; their errors are not compared with a load that gravity "
    "alone would give. While standing, a hip yaw is not free of load as in the paper: the feet stick where they "
    "stepped, and brace the four legs against each other. With the legs in the air its error is the paper's 0.",
    "References of arms and legs change from posture to posture in an assumed way. The signals are plotted from the "
    "time when the initial oscillation of the springs, which start unloaded, has decayed.",
)
