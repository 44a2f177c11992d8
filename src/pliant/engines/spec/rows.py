"""The numbers of each actuator, written into a spec: parameters, sub-steps, delays, second command.

1. the joint's rotor inertia and friction become the actuator's
2. friction rows that hold, for the joints that have a budget
3. room for state and parameters, and a second control where the device takes two commands
4. sub-steps, slip and delay for the inertia that the joint feels and the model's timestep
"""

import dataclasses
from collections.abc import Sequence
from math import ceil

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.spec import against, joints, slots
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.formers import Former, fresh_actuator, limits_of, make_fresh, second_of
from pliant.engines.spec.joint_numbers import Numbers, take_over, with_armature_kept
from pliant.engines.spec.names import PRESET, joint_named
from pliant.engines.spec.steps import AT_REST, Steps, check_timestep, row_of, steps_of
from pliant.engines.spec.sticking import stick
from pliant.errors import PliantError

LINEAR = 1
"""`interp` of a command that arrives within the step: it acts as its mean over the step."""

Pairs = Sequence[tuple[mujoco.MjsActuator, Actuator]]
"""Actuators of a spec, and what they are."""


def act_width(actuator: Actuator) -> int:
    """Number of activations that the actuator has in MuJoCo."""
    return slots.STATE + len(actuator.state)


def complete(
    spec: mujoco.MjSpec,
    wanted: Pairs,
    *,
    exclude_base_collision: bool = False,
    keep_armature: bool = False,
) -> Attachment:
    """Give actuators that stand in a spec their numbers, and their joints what those need.

    The plugin refuses an actuator without numbers, so that they are there before their inertia is
    looked up in a compiled copy.

    Raises:
        PliantError: a gear is 0, the step is too large for a spring, or MuJoCo refuses the model.
    """
    check_timestep(float(spec.option.timestep))
    if keep_armature:
        wanted = [(added, with_armature_kept(spec, added, a)) for added, a in wanted]
    taken = [take_over(spec, added, a, keep_armature=keep_armature) for added, a in wanted]
    budgets = [added.target for added, actuator in wanted if joints.has_budget(actuator)]
    sticking = stick(spec, budgets) if budgets else None
    _make_room(spec, wanted)
    presets = {
        added.name: _second_command(spec, added, actuator)
        for added, actuator in wanted
        if joints.references(actuator) > 1
    }
    places = {entry.name: place for place, entry in enumerate(spec.actuators)}
    model = joints.compiled_copy(spec)
    inertias, coupling = _inertias(wanted, model)
    every_step = _steps(spec, wanted, inertias, coupling, [lost for lost, _ in taken])
    done: list[Attached] = []
    for (added, actuator), steps, numbers in zip(wanted, every_step, taken, strict=True):
        second = presets.get(added.name)
        behind = 0 if second is None else places[second.name] - places[added.name]
        fill(added, actuator, steps, float(spec.option.timestep), behind)
        _keep_history(spec, [added] if second is None else [added, second], steps.delay)
        if steps.unloaded > 0.0:
            # What is left of it while MuJoCo calls no actuator at all (mjDSBL_ACTUATION).
            joint_named(spec, added.target).frictionloss = joints.gear_of(added) * steps.unloaded
        done.append(_attached(added, actuator, steps, *numbers))
    warnings = [*(sticking.warnings if sticking else ())]
    warnings += [one.on(entry.joint) for entry in done for one in entry.steps.warnings]
    warnings += against.lost_inertia(done, inertias)
    warnings += against.explicit_damping(model, [entry.joint for entry in done])
    collisions = list(against.base_collisions(model, [entry.joint for entry in done]))
    notes: list[str] = []
    if exclude_base_collision:
        against.exclude(spec, collisions)
        notes = [
            "contacts between {} and {} are ignored".format(*one.bodies or ()) for one in collisions
        ]
    else:
        warnings += collisions
    notes += against.stiff_chain(spec, done)
    return Attachment(tuple(done), sticking, tuple(warnings), tuple(notes))


def complete_alone(
    spec: mujoco.MjSpec,
    wanted: Pairs,
    steps: Sequence[Steps],
    formers: Sequence[tuple[Former, ...]],
) -> tuple[Attached, ...]:
    """As `complete`, of actuators without friction of a joint, whose steps are known.

    Args:
        formers: actuators that each had to give way to.
    """
    _make_room(spec, wanted)
    seconds = [
        _second_command(spec, added, actuator) if joints.references(actuator) > 1 else None
        for added, actuator in wanted
    ]
    places = {entry.name: place for place, entry in enumerate(spec.actuators)}
    done: list[Attached] = []
    for (added, actuator), own, second, gone in zip(wanted, steps, seconds, formers, strict=True):
        behind = 0 if second is None else places[second.name] - places[added.name]
        fill(added, actuator, own, float(spec.option.timestep), behind)
        _keep_history(spec, [added] if second is None else [added, second], own.delay)
        done.append(dataclasses.replace(_attached(added, actuator, own), formers=gone))
    return tuple(done)


def attached(spec: mujoco.MjSpec, there: Pairs) -> tuple[Attached, ...]:
    """Joints and actuators of a complete spec, as `complete` would have returned them."""
    every_step = _steps(spec, there, *_inertias(there, joints.compiled_copy(spec)))
    return tuple(
        _attached(added, actuator, steps)
        for (added, actuator), steps in zip(there, every_step, strict=True)
    )


def _attached(
    added: mujoco.MjsActuator,
    actuator: Actuator,
    steps: Steps,
    replaced: Numbers = (),
    kept: Numbers = (),
) -> Attached:
    return Attached(
        added.target,
        added.name,
        actuator,
        replaced,
        steps,
        kept,
        command_range=limits_of(added.ctrllimited, added.ctrlrange),
        force_range=limits_of(added.forcelimited, added.forcerange),
        gear=joints.gear_of(added),
    )


def fill(
    added: mujoco.MjsActuator, actuator: Actuator, steps: Steps, timestep: float, behind: int
) -> None:
    """Write the rows of one actuator; see `slots`."""
    added.userdata = np.array(actuator.values)
    added.dynprm = row_of(steps, timestep, joints.gear_of(added), behind)


def set_substeps(added: mujoco.MjsActuator, count: int) -> None:
    """Let a complete actuator take `count` sub-steps."""
    row = np.array(added.dynprm)
    row[slots.SUBSTEPS] = count
    added.dynprm = row


def _make_room(spec: mujoco.MjSpec, wanted: Pairs) -> None:
    width = max((len(actuator.fields) for _, actuator in wanted), default=0)
    if 0 <= spec.nuser_actuator < width:  # below 0, MuJoCo finds the width itself
        spec.nuser_actuator = width
    for added, actuator in wanted:
        added.dyntype = mujoco.mjtDyn.mjDYN_USER
        added.actdim = act_width(actuator)
        fill(added, actuator, AT_REST, float(spec.option.timestep), 0)


def _inertias(wanted: Pairs, model: mujoco.MjModel) -> tuple[list[float], float]:
    springs = [added.target for added, actuator in wanted if not joints.has_budget(actuator)]
    return joints.inertias_in(model, [added.target for added, _ in wanted], springs)


def _steps(
    spec: mujoco.MjSpec,
    wanted: Pairs,
    inertias: Sequence[float],
    coupling: float,
    lost: Sequence[Numbers] = (),
) -> list[Steps]:
    """Steps of each; `lost` are the numbers that each joint has no more."""
    timestep, found = float(spec.option.timestep), list[Steps]()
    for k, (added, actuator) in enumerate(wanted):
        try:
            own = inertias[k] / joints.gear_of(added) ** 2
            found.append(steps_of(actuator, own, timestep, coupling))
        except PliantError as error:
            if lost and any(number.kind == "armature" for number in lost[k]):
                error.accepted = f"{error.accepted}, or keep_armature=True (--keep-armature)"
            raise error.located(field=f"joint {added.target}") from None
    return found


def _second_command(
    spec: mujoco.MjSpec, added: mujoco.MjsActuator, actuator: Actuator
) -> mujoco.MjsActuator:
    """An actuator without a force: its control is the second command of `added`."""
    second = second_of(spec, added)
    if second is None:
        second, _ = fresh_actuator(spec, f"{added.name}{PRESET}", added.target)
        second.trntype = added.trntype
    else:
        make_fresh(second, {"group"})
    second.gainprm[0] = 0.0
    second.dynprm[slots.FORM] = slots.SECOND_FORM
    ends = joints.adjuster_ends(actuator)
    if ends is not None:  # beyond them there is no spring, and its law has no number
        second.ctrllimited, second.ctrlrange = mujoco.mjtLimited.mjLIMITED_TRUE, ends
    return second


def _keep_history(spec: mujoco.MjSpec, entries: Sequence[mujoco.MjsActuator], delay: float) -> None:
    """Make MuJoCo keep the commands of the last `delay` [s]; the callback reads them."""
    if delay <= 0.0:
        return
    for entry in entries:
        entry.delay, entry.nsample = delay, ceil(delay / float(spec.option.timestep)) + 2
        entry.interp = LINEAR
