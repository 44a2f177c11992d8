"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is what the device takes: a goal position [rad] for a servo. A device with two commands
(equilibrium and stiffness preset, or two motor angles) gets a second control, `elbow.preset`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import cast

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.engines.mujoco.native import register as native
from pliant.engines.mujoco.steps import Steps, steps_of
from pliant.engines.mujoco.sticking import Sticking, checked_joint, slip_needed, stick
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

PRESET = ".preset"
"""The second command of the actuator `elbow` is the control of the actuator `elbow.preset`."""
POSES = 1.5
"""By how much joints may move more readily together in other poses than in the reference pose."""
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
        if self.steps.mobility > 0.0:
            text += (
                "; where its spring is too stiff for the timestep, the joint moves in sub-steps too"
            )
        if self.steps.substeps > 1:
            text += f"; {self.steps.substeps} sub-steps of the actuator in each step"
        return text


@dataclass(frozen=True)
class Attachment:
    """What `attach` set. `str()` says it in words."""

    joints: tuple[Attached, ...]
    sticking: Sticking | None
    warnings: tuple[str, ...] = ()

    def column(self, joint: str, parameter: str) -> int:
        """Where `parameter` ("friction.K_c") of the actuator on `joint` is in `actuator_user`.

        Raises:
            PliantError: nothing was attached to this joint, or its actuator has no such parameter.
        """
        attached = {entry.joint: entry.actuator for entry in self.joints}
        if joint not in attached:
            raise PliantError("nothing was attached to this joint", found=joint, accepted=attached)
        attached[joint].check_names([parameter])
        return list(attached[joint].fields).index(parameter)

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
            an actuator is unknown or refused; MuJoCo refuses the model, or is not recognised.
    """
    pairs = cast(
        "Iterable[tuple[str, Actuator | str | Path]]",
        actuators.items() if isinstance(actuators, Mapping) else actuators,
    )
    wanted = [(joint, _loaded(actuator)) for joint, actuator in pairs]
    _check_joints(spec, [joint for joint, _ in wanted])
    plugins = [native.register(actuator) for _, actuator in wanted]
    added = [_add(spec, *pair, plugin) for pair, plugin in zip(wanted, plugins, strict=True)]
    return complete(spec, list(zip(added, (actuator for _, actuator in wanted), strict=True)))


def complete(
    spec: mujoco.MjSpec, wanted: Sequence[tuple[mujoco.MjsActuator, Actuator]]
) -> Attachment:
    """Give the plugin actuators of a spec their numbers, and their joints what those need."""
    replaced = [_take_over(spec, added, actuator) for added, actuator in wanted]
    budgets = [added.target for added, actuator in wanted if _has_budget(actuator)]
    sticking = stick(spec, budgets) if budgets else None
    width = max((native.user_width(actuator) for _, actuator in wanted), default=0)
    if 0 <= spec.nuser_actuator < width:  # below 0, MuJoCo finds the width itself
        spec.nuser_actuator = width
    for added, actuator in wanted:
        added.dyntype = mujoco.mjtDyn.mjDYN_USER
        added.actdim = native.act_width(actuator)
    presets = {
        added.name: _second_command(spec, added)
        for added, actuator in wanted
        if getattr(actuator.topology.module, "REFERENCES", 1) > 1
    }
    places = {entry.name: place for place, entry in enumerate(spec.actuators)}
    springs = [added.target for added, actuator in wanted if not _has_budget(actuator)]
    inertias, coupling = _inertias(spec, [added.target for added, _ in wanted], springs)
    timestep = float(spec.option.timestep)
    done: list[Attached] = []
    for (added, actuator), inertia, lost in zip(wanted, inertias, replaced, strict=True):
        gear = _gear(added)
        steps = steps_of(actuator, inertia / gear**2, timestep, coupling)
        second = presets.get(added.name)
        behind = 0 if second is None else places[second.name] - places[added.name]
        _fill(added, actuator, steps, timestep, behind)
        if steps.delay > 0.0:
            # MuJoCo keeps the history of the commands; the callback reads it. Between two of them
            # linearly: a command that arrives within the step acts as its mean over the step.
            for entry in (added,) if second is None else (added, second):
                entry.delay, entry.nsample = steps.delay, ceil(steps.delay / timestep) + 2
                entry.interp = 1
        if steps.unloaded > 0.0:
            # What is left of it while MuJoCo calls no actuator at all (mjDSBL_ACTUATION).
            spec.joint(added.target).frictionloss = gear * steps.unloaded
        done.append(Attached(added.target, actuator, lost, steps))
    warnings = [f"{entry.joint}: {text}" for entry in done for text in entry.steps.warnings]
    return Attachment(tuple(done), sticking, tuple(warnings))


def attached(
    spec: mujoco.MjSpec, there: Sequence[tuple[mujoco.MjsActuator, Actuator]]
) -> tuple[Attached, ...]:
    """What a spec whose actuators are complete has, as `complete` would have told."""
    springs = [added.target for added, actuator in there if not _has_budget(actuator)]
    inertias, coupling = _inertias(spec, [added.target for added, _ in there], springs)
    timestep = float(spec.option.timestep)
    return tuple(
        Attached(
            added.target,
            actuator,
            (),
            steps_of(actuator, inertia / _gear(added) ** 2, timestep, coupling),
        )
        for (added, actuator), inertia in zip(there, inertias, strict=True)
    )


def check_targets(
    spec: mujoco.MjSpec, joints: Sequence[str], others: Iterable[str], file: Path | None = None
) -> None:
    """Refuse joints that can have no actuator, or have two: Pliant's, one each, and `others`."""
    taken = set(others)
    for k, name in enumerate(joints):
        checked_joint(spec, name, file)
        if name in taken or name in joints[:k]:
            raise PliantError(
                "two actuators on one joint",
                file=file,
                field=f"joint {name}",
                found="one of MuJoCo and one of Pliant" if name in taken else "two of Pliant",
                accepted="one",
            )


def _loaded(actuator: Actuator | str | Path) -> Actuator:
    return actuator if isinstance(actuator, Actuator) else load_actuator(actuator)


def _has_budget(actuator: Actuator) -> bool:
    return bool(actuator.topology.module.HAS_BUDGET)


def _check_joints(spec: mujoco.MjSpec, joints: list[str]) -> None:
    ours = {a.target for a in spec.actuators if a.plugin.plugin_name.startswith(native.PREFIX)}
    on_joints = {a.target for a in spec.actuators if a.trntype == mujoco.mjtTrn.mjTRN_JOINT}
    check_targets(spec, [*(ours & on_joints), *joints], on_joints - ours)
    names = {a.name for a in spec.actuators}
    for name in joints:
        if name in names:
            raise PliantError(
                "the model has an actuator of this name, on something else",
                field=f"joint {name}",
                accepted="another name for that actuator",
            )


def _gear(added: mujoco.MjsActuator) -> float:
    """Absolute transmission ratio: torque, friction and inertia of the actuator are behind it."""
    gear = abs(float(added.gear[0]))
    if gear == 0.0:
        raise PliantError(
            "moves nothing", field=f"actuator {added.name}: gear", found=gear, accepted="not 0"
        )
    return gear


def _take_over(
    spec: mujoco.MjSpec, added: mujoco.MjsActuator, actuator: Actuator
) -> tuple[str, ...]:
    """Make rotor inertia, damping and friction of the joint the actuator's; return what is lost."""
    if not _has_budget(actuator):
        return ()
    joint = spec.joint(added.target)
    lost = [] if _frictionless(actuator) else _friction_lost(joint)
    armature = actuator.value("own.armature") * _gear(added) ** 2
    if joint.armature and joint.armature != armature:
        lost.append(f"armature {joint.armature:g}")
    joint.armature = armature
    return tuple(lost)


def _frictionless(actuator: Actuator) -> bool:
    """Whether it says nothing of friction; then the joint keeps the model's."""
    return all(
        law.name == "none" for law in actuator.laws.values() if law.kind == "friction_budget"
    )


def _friction_lost(joint: mujoco.MjsJoint) -> list[str]:
    lost: list[str] = []
    damping = np.atleast_1d(joint.damping)
    if damping.any():
        lost.append(f"damping {damping[0]:g}")
        joint.damping = 0.0 * joint.damping
    if joint.frictionloss:
        lost.append(f"frictionloss {joint.frictionloss:g}")
        joint.frictionloss = 0.0
    return lost


def _inertias(
    spec: mujoco.MjSpec, joints: list[str], springs: list[str]
) -> tuple[list[float], float]:
    """Inertia [kg m^2] that each joint feels in the model's reference pose, all others free.

    And how much more readily the joints with springs move together than the readiest alone: the
    largest eigenvalue of their inverse inertia scaled to a diagonal of 1, with a margin for other
    poses.
    """
    try:
        model = spec.copy().compile()
    except (ValueError, mujoco.FatalError) as error:
        raise PliantError("MuJoCo refuses the model", found=" ".join(str(error).split())) from None
    inertias = [1.0 / float(model.dof_invweight0[model.joint(name).dofadr[0]]) for name in joints]
    if len(springs) < 2:
        return inertias, 1.0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mobility = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, mobility, np.eye(model.nv))
    dofs = [int(model.joint(name).dofadr[0]) for name in springs]
    inverse = mobility[np.ix_(dofs, dofs)]
    scale = 1.0 / np.sqrt(np.diag(inverse))
    return inertias, POSES * float(np.linalg.eigvalsh(inverse * np.outer(scale, scale))[-1])


def _add(spec: mujoco.MjSpec, joint: str, actuator: Actuator, plugin: str) -> mujoco.MjsActuator:
    # One instance serves all joints with the same actuator: one call of the callback in each step.
    instance = f"{plugin}.shared"
    spec.activate_plugin(plugin)
    if not any(known.name == instance for known in spec.plugins):
        shared = spec.add_plugin(name=instance, plugin_name=plugin, active=True)
        shared.config = {native.ACTUATOR: _reference(actuator)}
    added = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    added.plugin.name, added.plugin.plugin_name, added.plugin.active = instance, plugin, True
    return added


def _reference(actuator: Actuator) -> str:
    """How a saved model names it: its name in the catalogue, or its file."""
    known = actuator_files().get(actuator.name)
    return actuator.name if actuator.path in {known, None} else str(actuator.path)


def _second_command(spec: mujoco.MjSpec, added: mujoco.MjsActuator) -> mujoco.MjsActuator:
    """An actuator without a force: its control is the second command of `added`."""
    name = f"{added.name}{PRESET}"
    second = spec.add_actuator(name=name, target=added.target, trntype=added.trntype)
    second.gainprm[0] = 0.0
    return second


def _fill(
    added: mujoco.MjsActuator, actuator: Actuator, steps: Steps, timestep: float, behind: int
) -> None:
    user = np.zeros(native.user_width(actuator))
    user[: len(actuator.fields)] = actuator.values
    slip = slip_needed(timestep, steps.withheld / _gear(added), CREEP)
    user[len(actuator.fields) :] = steps.substeps, 1.0 / slip, steps.mobility, behind
    added.userdata = user
