"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is what the device takes: a goal position [rad] for a servo. A device with two commands
(equilibrium and stiffness preset, or two motor angles) gets a second control, `elbow.preset`.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import cast

import mujoco

from pliant.assemble import Actuator
from pliant.engines.mujoco import moved
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.fresh import LIMITS, fresh_actuator
from pliant.engines.spec.joints import check_targets
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, PRESET, reference, signed
from pliant.engines.spec.rows import complete
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

__all__ = ["PRESET", "Attached", "Attachment", "attach"]


def attach(
    spec: mujoco.MjSpec,
    actuators: Mapping[str, Actuator | str | Path] | Iterable[tuple[str, Actuator | str | Path]],
    *,
    transmission: Mapping[str, float] | None = None,
    limits: bool = False,
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator is called like its joint. Rotor inertia, damping and dry friction of the joint
    become the actuator's, where it has its own; what was there before is reported.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        transmission: joint name to how far the joint moves for one radian of the actuator: [m] of a
            slide (a rack of 0.01 m/rad), [rad] of a hinge (a gear outside the actuator). A slide
            must have one.
        limits: let the ranges of command and force hold that the model's defaults of actuators
            have. Nothing else of those defaults is taken.

    Raises:
        PliantError: a joint is not in the model, is no hinge or slide, has an actuator already, or
            slides without a transmission;
            an actuator is unknown or refused; MuJoCo refuses the model, or is not recognised.
    """
    pairs = cast(
        "Iterable[tuple[str, Actuator | str | Path]]",
        actuators.items() if isinstance(actuators, Mapping) else actuators,
    )
    moved.make_movable()
    wanted = [(joint, _loaded(actuator)) for joint, actuator in pairs]
    _check_joints(spec, [joint for joint, _ in wanted])
    plugins = [register(actuator).name for _, actuator in wanted]
    keep = LIMITS if limits else ()
    gears = _gears(spec, [joint for joint, _ in wanted], transmission or {})
    added: list[mujoco.MjsActuator] = []
    left: set[str] = set()
    for (joint, actuator), plugin in zip(wanted, plugins, strict=True):
        entry, defaults = _add(spec, joint, actuator, plugin, keep)
        entry.gear[0] = gears.get(joint, 1.0)
        added.append(entry)
        left |= set(defaults)
    done = complete(spec, list(zip(added, (actuator for _, actuator in wanted), strict=True)))
    notes = [f"not taken from the model's defaults of actuators: {', '.join(sorted(left))}"]
    return dataclasses.replace(done, notes=tuple(notes if left else ()))


def _gears(
    spec: mujoco.MjSpec, joints: list[str], transmission: Mapping[str, float]
) -> dict[str, float]:
    """Radians of the actuator for one metre or radian of the joint, where that was said."""
    for joint, travel in transmission.items():
        if joint not in joints:
            raise PliantError(
                "no actuator is attached there", field="transmission", found=joint, accepted=joints
            )
        if travel == 0.0 or not isfinite(travel):
            raise PliantError("moves nothing", field=f"transmission: {joint}", found=travel)
    for joint in joints:
        if spec.joint(joint).type == mujoco.mjtJoint.mjJNT_SLIDE and joint not in transmission:
            raise PliantError(
                "the actuator turns and this joint slides",
                field=f"joint {joint}",
                accepted=f'transmission={{"{joint}": metres for one radian}}',
            )
    return {joint: 1.0 / travel for joint, travel in transmission.items()}


def _loaded(actuator: Actuator | str | Path) -> Actuator:
    return actuator if isinstance(actuator, Actuator) else load_actuator(actuator)


def _check_joints(spec: mujoco.MjSpec, joints: list[str]) -> None:
    ours = {a.target for a in spec.actuators if a.plugin.plugin_name.startswith(PREFIX)}
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


def _add(
    spec: mujoco.MjSpec, joint: str, actuator: Actuator, plugin: str, keep: Collection[str]
) -> tuple[mujoco.MjsActuator, tuple[str, ...]]:
    # One instance serves all joints with the same actuator: one call of the callback in each step.
    instance = f"{plugin}.shared"
    spec.activate_plugin(plugin)
    if not any(known.name == instance for known in spec.plugins):
        shared = spec.add_plugin(name=instance, plugin_name=plugin, active=True)
        shared.config = {LAWS: signed(actuator), ACTUATOR: reference(actuator)}
    added, left = fresh_actuator(spec, joint, joint, keep)
    added.plugin.name, added.plugin.plugin_name, added.plugin.active = instance, plugin, True
    return added, left
