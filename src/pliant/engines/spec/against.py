"""Settings of a model that conflict with the actuators on its joints."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import mujoco
import numpy as np

from pliant.assemble import still
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.formers import limits_of
from pliant.engines.spec.joint_numbers import armature_of
from pliant.engines.spec.joints import (
    POSES,
    compiled_copy,
    has_budget,
    mobility_of,
    pulls,
    takes_position,
)
from pliant.engines.spec.messages import Caution
from pliant.engines.spec.names import DRUM, actuator_named, joint_named
from pliant.lower.law import at_rest

DEEP = 1e-4
"""[m] Depth from which two bodies overlap instead of touching."""
PROBE = 0.5
"""[rad] A pose in which springs between a joint and its motor are free, where nothing else pulls."""
SLIGHT = 1e-6
"""[N m, 1] Rounding."""
_GROUPS = 31
SHOWN = 4
"""Joints that a note names."""
_NATIVE: Any = mujoco
"""Its type stubs lack some of it."""
_THROUGH = {
    int(mujoco.mjtTrn.mjTRN_TENDON): "tendon",
    int(mujoco.mjtTrn.mjTRN_SITE): "site",
    int(_NATIVE.mjtTrn.mjTRN_SLIDERCRANK): "site",
}
"""Transmission of an actuator on no joint to what it is on."""


def with_warnings(spec: mujoco.MjSpec, attachment: Attachment) -> Attachment:
    """The attachment, with warnings about settings of joints that conflict with their actuators."""
    found = [one for entry in attachment.joints for one in _against(spec, entry)]
    found += _coupled(spec, [entry.joint for entry in attachment.joints])
    if any(int(entry.trntype) in _THROUGH for entry in spec.actuators):
        found += _pulled(compiled_copy(spec), [entry.joint for entry in attachment.joints])
    if attachment.joints and spec.option.disableflags & int(_NATIVE.mjtDisableBit.mjDSBL_ACTUATION):
        found.append(Caution("flag", "the flag actuation is disabled: no actuator has any torque"))
    return dataclasses.replace(attachment, warnings=(*attachment.warnings, *found))


def _against(spec: mujoco.MjSpec, entry: Attached) -> Iterator[Caution]:
    """Warnings about one joint and its actuator: active limits, torque off, no gain, tendons."""
    joint: Any = joint_named(spec, entry.joint)
    yield from _torque_range(joint, entry)
    group = int(actuator_named(spec, entry.name).group)
    if 0 <= group < _GROUPS and (int(spec.option.disableactuator) >> group) & 1:
        yield Caution(
            "group",
            f"its group {group} is disabled in this model: its torque is off",
            entry.joint,
            {"group": group},
        )
    for name in still(entry.actuator):
        yield Caution("gain", f"{name} is 0: it will not move", entry.joint, {name: 0.0})
    yield from _elsewhere(entry)
    lost = [f.command_range for f in entry.formers if f.command_range is not None]
    if lost and entry.command_range is None:
        low, high = lost[0]
        drum = any(tendon.name == f"{entry.joint}{DRUM}" for tendon in spec.tendons)
        gives = "a ctrlrange of its actuator" if drum else "limits='joint' or 'model'"
        yield Caution(
            "command_range",
            f"commands had the range {low:g} to {high:g} and now have none, which gives an empty"
            f" action space in Gymnasium: {gives} sets one",
            entry.joint,
            {"low": low, "high": high},
        )


def _elsewhere(entry: Attached) -> Iterator[Caution]:
    """Warnings about springs that push a joint off the angle of its motor: both motors determine where it rests."""
    f = at_rest(entry.actuator)
    p = f["load_parameters"](entry.actuator.values.tolist(), 0)
    state = f["start"](PROBE, p)
    push = f["torque"](state, PROBE, 0.0, PROBE, 0.0, f["voltage"](p), 1.0, p)
    if not has_budget(entry.actuator) and takes_position(entry.actuator) and abs(push) > SLIGHT:
        yield Caution(
            "elsewhere",
            "a command is an angle of its motor; both motors together determine where the joint rests, not at the"
            " commanded angle, also in keyframes: pliant.robots.refs_for gives the commands for a pose",
            entry.joint,
            {"angle": PROBE, "torque": push},
        )


def _coupled(spec: Any, joints: Sequence[str]) -> Iterator[Caution]:
    """Two joints with actuators that an equality constraint makes one, as `<mimic>` of a URDF does."""
    kind = _NATIVE.mjtEq.mjEQ_JOINT
    for one in (e for e in spec.equalities if e.type == kind and e.active):
        if one.name1 in joints and one.name2 in joints:
            yield Caution(
                "coupled",
                f"an equality constraint couples it to {one.name2!r}, which also has an actuator: they work"
                " against each other unless their commands satisfy the constraint; leave one out",
                one.name1,
            )


def _torque_range(joint: Any, entry: Attached) -> Iterator[Caution]:
    """Warning that the joint's own limit of actuator torque stays, if the actuator is stronger."""
    limits = limits_of(joint.actfrclimited, joint.actfrcrange)
    if not has_budget(entry.actuator):  # a spring's torque is not known from its motor at rest
        return
    strongest = entry.steps.stall * entry.gear
    if limits is None or strongest <= min(-limits[0], limits[1]):
        return
    yield Caution(
        "torque_range",
        f"the joint's actuatorfrcrange (effort in a URDF), {limits[0]:g} to {limits[1]:g}, still applies:"
        f" the actuator could give {strongest:.3g}",
        entry.joint,
        {"low": limits[0], "high": limits[1], "strongest": strongest},
    )


def _pulled(model: mujoco.MjModel, joints: Sequence[str]) -> Iterator[Caution]:
    """Joints that an actuator on something else drives too: a tendon, a site, a slider-crank."""
    m: Any = model
    dofs = {model.joint(j).name: int(m.jnt_dofadr[j]) for j in range(model.njnt)}
    for k in range(len(m.actuator_trntype)):
        kind = _THROUGH.get(int(m.actuator_trntype[k]))
        if kind is None or not m.actuator_gear[m.actuator_outadr[k]].any():
            continue
        most, target = pulls(model, k), int(m.actuator_trnid[k, 0])
        name, what = model.actuator(k).name, f"{kind} {getattr(model, kind)(target).name!r}"
        for joint in (one for one in joints if one in dofs and most[dofs[one]] > SLIGHT):
            instead = "attach to the tendon instead, or " if kind == "tendon" else ""
            found = f"spec.actuator({name!r})" if name else f"spec.actuators[{k}]"
            yield Caution(
                kind,
                f"actuator {name!r} also acts on it, through {what}, so it will miss its goals, and"
                f" friction does not account for that force: {instead}delete that one first: spec.delete({found})",
                joint,
            )


def explicit_damping(model: mujoco.MjModel, joints: Sequence[str]) -> Iterator[Caution]:
    """Joints whose own damping diverges, where Euler's method does not take it implicitly.

    The rates are those of all the joints together in the reference pose: neighbours that carry each
    other move more readily than each alone. The limit has a margin for other poses.
    """
    m: Any = model
    h, implicit = float(m.opt.timestep), int(_NATIVE.mjtDisableBit.mjDSBL_EULERDAMP)
    if m.opt.integrator != mujoco.mjtIntegrator.mjINT_EULER or not m.opt.disableflags & implicit:
        return
    known = {model.joint(j).name for j in range(model.njnt)}
    dofs = {joint: int(m.joint(joint).dofadr[0]) for joint in joints if joint in known}
    damping = {joint: float(np.ravel(m.dof_damping[dof])[0]) for joint, dof in dofs.items()}
    damped = {joint: value for joint, value in damping.items() if value > 0.0}
    if not damped:
        return
    root = np.sqrt(list(damped.values()))
    inverse = mobility_of(model, [dofs[joint] for joint in damped])
    rates, modes = np.linalg.eigh(inverse * np.outer(root, root))
    told: set[str] = set()
    for rate, mode in zip(rates[::-1].tolist(), modes.T[::-1], strict=True):
        limit = 2.0 / (rate * POSES)
        if h <= limit:
            return
        joint = list(damped)[int(np.abs(mode).argmax())]
        if joint in told:
            continue
        told.add(joint)
        yield Caution(
            "timestep",
            f"its damping {damped[joint]:g} {'diverges' if h * rate > 2.0 else 'may diverge'} at a"
            f" timestep of {h:g} s by itself, because the flag eulerdamp is disabled: use up to {limit:.2g} s,"
            " or implicitfast",
            joint,
            {"timestep": h, "limit": limit, "damping": damped[joint]},
        )


def lost_inertia(done: Sequence[Attached], inertias: Sequence[float]) -> Iterator[Caution]:
    """Joints that were heavy only by an armature that the actuator's has replaced."""
    for entry, inertia in zip(done, inertias, strict=True):
        before = sum(number.value for number in entry.replaced if number.kind == "armature")
        own = armature_of(entry.actuator) * entry.gear**2
        if before - own > inertia:
            yield Caution(
                "armature",
                "its armature in the model exceeded its total inertia with the actuator's armature:"
                " keep_armature=True (--keep-armature) keeps the model's",
                entry.joint,
                {"armature": before, "actuator": own, "inertia": inertia},
            )


def base_collisions(model: mujoco.MjModel, joints: Sequence[str]) -> Iterator[Caution]:
    """Warnings about bodies that overlap a parent welded to the world in the reference pose.

    MuJoCo ignores contacts between a body and its parent, unless the parent is welded to the world.
    """
    m: Any = model
    data: Any = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    flat = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))
    deepest: dict[tuple[int, int], float] = {}
    for contact in data.contact:
        geoms = [int(g) for g in contact.geom]
        if min(geoms) < 0 or any(int(m.geom_type[g]) in flat for g in geoms):
            continue
        base, child = sorted((int(m.geom_bodyid[g]) for g in geoms), key=lambda b: m.body_weldid[b])
        if m.body_weldid[base] or not _hangs_on_world(m, child) or contact.dist > -DEEP:
            continue
        pair = base, child
        deepest[pair] = max(deepest.get(pair, 0.0), -float(contact.dist))
    for (base, child), depth in deepest.items():
        moved = [model.joint(j).name for j in _joints_of(m, int(m.body_weldid[child]))]
        if joint := next((name for name in moved if name in joints), None):
            yield _collision(model, joint, (base, child), depth)


def _collision(model: mujoco.MjModel, joint: str, pair: tuple[int, int], depth: float) -> Caution:
    base, child = (model.body(k).name for k in pair)
    return Caution(
        "base_collision",
        f"body {child!r} is {1e3 * depth:.3g} mm inside {base!r}, which is welded to the world, so"
        " MuJoCo pushes them apart: exclude_base_collision=True (--exclude-base-collision) ignores the contact",
        joint,
        {"depth": depth},
        (base, child),
    )


def _hangs_on_world(m: Any, body: int) -> bool:
    weld = int(m.body_weldid[body])
    return weld > 0 and int(m.body_weldid[m.body_parentid[weld]]) == 0


def _joints_of(m: Any, body: int) -> range:
    first = int(m.body_jntadr[body])
    return range(first, first + int(m.body_jntnum[body]))


def exclude(spec: mujoco.MjSpec, found: Sequence[Caution]) -> None:
    """Exclude contacts between the pairs of base collisions."""
    for caution in found:
        if caution.bodies is not None:
            base, child = caution.bodies
            spec.add_exclude(bodyname1=base, bodyname2=child)


def stiff_chain(spec: mujoco.MjSpec, done: Sequence[Attached]) -> Iterator[str]:
    """A note, if joints with springs too stiff for the timestep carry each other.

    Such a joint moves in the actuator's own sub-steps, with the other joints' forces from the previous
    step. A single one is stable at any stiffness; several in a chain only while they move slowly.
    """
    stiff = {entry.joint: entry for entry in done if entry.steps.mobility > 0.0}
    if len(stiff) < 2:
        return
    chained = [joint for joint in stiff if _carried(spec, joint) & (stiff.keys() - {joint})]
    if not chained:
        return
    first = [joint for joint in stiff if any(joint in _carried(spec, other) for other in chained)]
    names = list(dict.fromkeys([*first, *chained]))
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
    longest = min(stiff[joint].steps.longest for joint in names)
    yield (
        f"the springs of {shown} are too stiff for the timestep of {spec.option.timestep:g} s and "
        f"carry each other: slow motion is correct, fast motion may diverge; a timestep of at most "
        f"{longest:.2g} s resolves them"
    )


def _carried(spec: mujoco.MjSpec, joint: str) -> set[str]:
    """The joints between this one and the world, its own body's included."""
    body: mujoco.MjsBody | None = joint_named(spec, joint).parent
    found: set[str] = set()
    while body is not None and body.name != "world":
        found |= {other.name for other in body.joints}
        body = body.parent
    return found - {joint}
