"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is what the device takes: a goal position [rad] for a servo.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.mujoco import native
from pliant.engines.mujoco.sticking import Sticking, checked_joint, slip_needed, stick
from pliant.engines.mujoco.steps import Steps, steps_of
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

CREEP = 8.7e-5
"""[rad/s] Allowed creep of a held joint: 0.05 degrees in 10 s."""


@dataclass(frozen=True)
class Attached:
    """One joint and what it got."""

    joint: str
    actuator: Actuator
    replaced: tuple[str, ...]
    """What the joint had before and lost."""
    steps: Steps

    def __str__(self) -> str:
        text = f"{self.joint}: {self.actuator.name} ({self.actuator.title})"
        if self.replaced:
            text += f"; replaces the joint's {', '.join(self.replaced)}"
        if self.steps.substeps > 1:
            text += f"; {self.steps.substeps} sub-steps of the actuator in each step"
        return text


@dataclass(frozen=True)
class Attachment:
    """What `attach` set. `str()` says it in words."""

    joints: tuple[Attached, ...]
    sticking: Sticking | None
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [str(joint) for joint in self.joints]
        if self.sticking is not None:
            lines.append(str(self.sticking))
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])


def attach(
    spec: mujoco.MjSpec,
    actuators: Mapping[str, Actuator | str | Path] | Iterable[tuple[str, Actuator | str | Path]],
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator is called like its joint. Rotor inertia, damping and dry friction of the joint
    become the actuator's, where it has its own; what was there before is reported.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`.

    Raises:
        PliantError: a joint is not in the model, is no hinge or slide, or has an actuator already;
            an actuator is unknown or refused; the installed MuJoCo is not recognised.
    """
    pairs = list(actuators.items() if isinstance(actuators, Mapping) else actuators)
    wanted = [(joint, _loaded(actuator)) for joint, actuator in pairs]
    _check_joints(spec, [joint for joint, _ in wanted])
    for joint, actuator in wanted:
        _add(spec, joint, actuator, native.register(actuator))
    return complete(spec, wanted)


def complete(spec: mujoco.MjSpec, wanted: Sequence[tuple[str, Actuator]]) -> Attachment:
    """Give the joints what their actuators need of them, and the actuators their numbers.

    The last plugin actuator of the spec on each joint is its actuator.
    """
    added = {a.target: a for a in spec.actuators if a.plugin.active}
    replaced = [_take_over(spec.joint(joint), actuator) for joint, actuator in wanted]
    budgets = [joint for joint, actuator in wanted if _has_budget(actuator)]
    sticking = stick(spec, budgets) if budgets else None
    width = max((native.user_width(actuator) for _, actuator in wanted), default=0)
    spec.nuser_actuator = max(spec.nuser_actuator, width)
    for joint, actuator in wanted:
        added[joint].dyntype = mujoco.mjtDyn.mjDYN_USER
        added[joint].actdim = native.act_width(actuator)
    inertia = _inertias(spec, [joint for joint, _ in wanted])
    timestep = float(spec.option.timestep)
    attached: list[Attached] = []
    for (joint, actuator), lost in zip(wanted, replaced, strict=True):
        steps = steps_of(actuator, inertia[joint], timestep)
        _fill(added[joint], actuator, steps, timestep)
        attached.append(Attached(joint, actuator, lost, steps))
    warnings = [f"{entry.joint}: {text}" for entry in attached for text in entry.steps.warnings]
    return Attachment(tuple(attached), sticking, tuple(warnings))


def _loaded(actuator: Actuator | str | Path) -> Actuator:
    return actuator if isinstance(actuator, Actuator) else load_actuator(actuator)


def _has_budget(actuator: Actuator) -> bool:
    return bool(getattr(actuator.topology.module, "HAS_BUDGET"))


def _check_joints(spec: mujoco.MjSpec, joints: list[str]) -> None:
    taken = {a.target for a in spec.actuators if a.trntype == mujoco.mjtTrn.mjTRN_JOINT}
    for k, name in enumerate(joints):
        checked_joint(spec, name)
        if name in taken or name in joints[:k]:
            raise PliantError(
                "two actuators on one joint", field=f"joint {name}",
                found="an actuator of the model and one to attach" if name in taken else "two to attach",
                accepted="one; delete the model's own actuator first",
            )  # fmt: skip


def _take_over(joint: mujoco.MjsJoint, actuator: Actuator) -> tuple[str, ...]:
    """Make rotor inertia, damping and friction of the joint the actuator's; return what was lost."""
    if not _has_budget(actuator):
        return ()
    lost: list[str] = []
    damping = np.atleast_1d(joint.damping)
    if damping.any():
        lost.append(f"damping {damping[0]:g}")
        joint.damping = 0.0 * joint.damping
    if joint.frictionloss:
        lost.append(f"frictionloss {joint.frictionloss:g}")
        joint.frictionloss = 0.0
    armature = actuator.value("own.armature")
    if joint.armature and joint.armature != armature:
        lost.append(f"armature {joint.armature:g}")
    joint.armature = armature
    return tuple(lost)


def _inertias(spec: mujoco.MjSpec, joints: list[str]) -> dict[str, float]:
    """Inertia [kg m^2] that each joint feels in the model's reference pose, others locked."""
    model = spec.copy().compile()
    address = {name: model.joint(name).dofadr[0] for name in joints}
    return {name: float(model.dof_M0[dof]) for name, dof in address.items()}


def _add(spec: mujoco.MjSpec, joint: str, actuator: Actuator, plugin: str) -> None:
    # One instance serves all joints with the same actuator: one call of the callback in each step.
    instance = f"{plugin}.shared"
    spec.activate_plugin(plugin)
    if not any(known.name == instance for known in spec.plugins):
        shared = spec.add_plugin(name=instance, plugin_name=plugin, active=True)
        shared.config = {native.ACTUATOR: str(actuator.path or actuator.name)}
    added = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    added.plugin.name, added.plugin.plugin_name, added.plugin.active = instance, plugin, True


def _fill(
    added: mujoco.MjsActuator, actuator: Actuator, steps: Steps, timestep: float
) -> None:
    user = np.zeros(native.user_width(actuator))
    user[: len(actuator.fields)] = actuator.values
    slip = slip_needed(timestep, steps.withheld, CREEP)
    user[len(actuator.fields) :] = steps.substeps, slip
    added.userdata = user
    if steps.delay > 0.0:
        # MuJoCo keeps the history of the commands; the callback reads it.
        added.delay, added.nsample = steps.delay, ceil(steps.delay / timestep) + 2
