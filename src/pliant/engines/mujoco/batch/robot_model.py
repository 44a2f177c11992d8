"""A robot's own model, made ready to be compared with its recordings.

Joints with an actuator get it from `attach`. Joints that were only recorded follow their recording: with an
armature so large that no torque disturbs them, driven by a servo that also gets the acceleration. Their effect
on the other joints is in the model. The file's own actuators on either kind are replaced if asked for, and
refused otherwise, as by `attach`. A floating base is held at its pose in the model: joint recordings do not
state where it moves.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.formers import formers_on, named
from pliant.engines.spec.joints import checked_joint, drop_keyframes, takes_position
from pliant.engines.spec.names import actuator_named
from pliant.engines.spec.placing import Wishes, taken
from pliant.errors import PliantError, located
from pliant.io.formats.names import check_names

DELAY = "timing.delay"
LED = 1e3
"""Armature of a joint that is led, in units of what the joint moves."""
RATE = 40.0
"""[rad/s] How fast a led joint returns to its recording, critically damped."""
SMOOTHING = 0.010
"""[s] Standard deviation of the Gaussian over a recording before it is differentiated."""
LINEAR = 1
"""`interp` for commands between two steps: linear in the history."""
MOST_GROUPS = 30
"""Number of actuator groups that MuJoCo can disable individually."""


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A compiled robot, and where its joints are.

    Attributes:
        path: its file. digest: SHA-256 of it. attachment: what `attach` set.
        joints: those with actuators, led: those that follow their recording.
        notes: messages about what was removed from the file's model.
    """

    path: Path
    digest: str
    model: mujoco.MjModel
    attachment: Attachment
    joints: tuple[str, ...]
    led: tuple[str, ...]
    notes: tuple[str, ...]

    def qpos(self, joint: str) -> int:
        """Address of the joint's position in `qpos`."""
        return int(self.model.joint(joint).qposadr[0])

    def dof(self, joint: str) -> int:
        """Address of its degree of freedom."""
        return int(self.model.joint(joint).dofadr[0])

    def actuator(self, joint: str) -> int:
        """The number of the actuator that moves the joint, or leads it."""
        known = {entry.joint: entry.name for entry in self.attachment.joints}
        return int(self.model.actuator(known.get(joint, joint)).id)

    def gear(self, joint: str) -> float:
        """Turns of the actuator [rad] for one rad or m of its joint."""
        return self.attachment[joint].gear

    def of_goal(self, joint: str) -> float:
        """Control for one unit of a recorded command, which counts positions as the joint does."""
        return self.gear(joint) if takes_position(self.attachment[joint].actuator) else 1.0

    def body(self, name: str) -> int:
        """The number of a body."""
        names = body_names(self.model)
        if name not in names or self.model.body_mass[names.index(name)] <= 0.0:
            heavy = [n for n, m in zip(names, self.model.body_mass, strict=True) if n and m > 0.0]
            raise PliantError(
                "no such body with mass",
                file=self.path,
                field="mass",
                found=name,
                accepted=heavy,
            )
        return names.index(name)


def robot_model(
    path: Path,
    actuators: Mapping[str, Actuator],
    led: Sequence[str] = (),
    *,
    timestep: float | None = None,
    longest_delay: Mapping[str, float] | None = None,
    wishes: Wishes | None = None,
) -> RobotModel:
    """Read the model in `path` and give its joints the `actuators`.

    Args:
        path: MJCF or URDF.
        actuators: joint to actuator. led: joints that follow their recording.
        timestep: [s] instead of the model's.
        longest_delay: joint to the longest command delay [s] to be tried.
        wishes: options of `pliant.attach`.

    Raises:
        PliantError: the model is refused, or a joint is not in it, is neither hinge nor slide, or has
            an actuator that may not be replaced.
    """
    wishes = wishes or Wishes()
    spec, own = load_measured(path)
    drop_keyframes(spec)  # of other actuators; a recording begins in a pose of its own
    if timestep is not None:
        spec.option.timestep = timestep
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    notes = [f"model: {entry.joint} has {entry.actuator.name} already" for entry in own.joints]
    notes += [text for text in own.notes if "left out" in text]
    late = longest_delay or {}
    with located(path):
        check_names([*actuators, *led], [joint.name for joint in spec.joints if joint.name])
        hold_bases(spec)
        notes += cleared(spec, led, replace=wishes.replace)
        wanted = {j: _roomy(a, late.get(j, 0.0)) for j, a in actuators.items()}
        attachment = attach(spec, wanted, wishes)
    for k, entry in enumerate(attachment.joints):
        notes += [f"{former} of the model on {entry.joint} is replaced" for former in entry.formers]
        added = actuator_named(spec, entry.name)
        added.group = k % MOST_GROUPS + 1
        added.interp = LINEAR  # a delay of a part of a step counts as that part
    for joint in led:
        _lead(spec, joint)
    model = spec.compile()
    for joint in led:
        _harden(model, joint)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return RobotModel(path, digest, model, attachment, tuple(actuators), tuple(led), tuple(notes))


def hold_bases(spec: mujoco.MjSpec) -> list[str]:
    """Take out the free joints of a spec, so that their bodies stay; the names of these bodies."""
    free = [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    names = [joint.parent.name for joint in free]
    for joint in free:
        spec.delete(joint)
    return names


def given_way(path: Path, joints: Sequence[str]) -> list[str]:
    """Messages about actuators of a model that are replaced by those that its recordings are compared with."""
    spec, _ = load_measured(path)
    return [
        f"{named(entry)} of the model on {joint} is replaced"
        for joint in joints
        for entry in formers_on(spec, joint)
    ]


def body_names(model: mujoco.MjModel) -> list[str]:
    """Names of the bodies in the order of the model; "" for one without."""
    body = int(mujoco.mjtObj.mjOBJ_BODY)
    return [mujoco.mj_id2name(model, body, k) or "" for k in range(len(model.body_mass))]


def course(time: Floats, position: Floats, grid: Floats) -> Floats:
    """(T,) Commands of a led joint on `grid` that make it move like `position`.

    The smoothed recording r as r + 2 r' / RATE + r'' / RATE², which leads a mass on a critically
    damped servo along r.
    """
    step = grid[1] - grid[0]
    reach = round(4.0 * SMOOTHING / step) + 1
    away: Floats = step * np.arange(-reach, reach + 1, dtype=np.float64)
    window: Floats = np.exp(-0.5 * (away / SMOOTHING) ** 2)
    line: Floats = np.interp(grid, time, position)
    around = np.pad(line, reach, mode="reflect", reflect_type="odd")
    r: Floats = np.convolve(around, window / window.sum(), mode="valid").astype(np.float64)
    rate: Floats = np.gradient(r, step)
    return r + 2.0 * rate / RATE + np.gradient(rate, step) / RATE**2


def _roomy(actuator: Actuator, delay: float) -> Actuator:
    """Attach with the longest delay, because MuJoCo keeps only as many commands as that delay needs."""
    if DELAY not in actuator.fields or delay <= actuator.value(DELAY):
        return actuator
    return actuator.with_values({DELAY: delay}, "longest delay tried", "assumed")


def cleared(spec: mujoco.MjSpec, joints: Sequence[str], *, replace: bool = True) -> list[str]:
    """Remove the file's own actuators of these joints; return messages about them.

    Raises:
        PliantError: there is one and it may not be replaced; or there is no such joint.
    """
    notes: list[str] = []
    for joint in joints:
        checked_joint(spec, joint)
        for entry in formers_on(spec, joint):
            if not replace:
                raise taken(joint, entry)
            notes.append(f"{named(entry)} of the model on {joint} is removed")
            spec.delete(entry)
    return notes


def _lead(spec: mujoco.MjSpec, name: str) -> None:
    joint = spec.joint(name)
    joint.damping, joint.frictionloss, joint.limited = 0.0 * joint.damping, 0.0, 0
    added = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    added.biastype = mujoco.mjtBias.mjBIAS_AFFINE


def _harden(model: mujoco.MjModel, name: str) -> None:
    """Armature and gains of a joint that is led, in proportion to what it moves."""
    dof, k = int(model.joint(name).dofadr[0]), model.actuator(name).id
    mass = LED * float(model.dof_M0[dof])
    model.dof_armature[dof] = mass
    model.actuator_gainprm[k, 0] = mass * RATE**2
    model.actuator_biasprm[k, 1:3] = -mass * RATE**2, -2.0 * mass * RATE
    mujoco.mj_setConst(model, mujoco.MjData(model))
