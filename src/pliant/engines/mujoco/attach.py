"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is what the device takes: a goal position [rad] for a servo. A device with two commands
(equilibrium and stiffness preset, or two motor angles) gets a second control, `elbow.preset`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

import mujoco

from pliant.assemble import Actuator
from pliant.engines.mujoco import moved
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.joints import check_targets
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, PRESET, reference, signed
from pliant.engines.spec.rows import complete
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

__all__ = ["PRESET", "Attached", "Attachment", "attach"]


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
    moved.make_movable()
    wanted = [(joint, _loaded(actuator)) for joint, actuator in pairs]
    _check_joints(spec, [joint for joint, _ in wanted])
    plugins = [register(actuator).name for _, actuator in wanted]
    added = [_add(spec, *pair, plugin) for pair, plugin in zip(wanted, plugins, strict=True)]
    return complete(spec, list(zip(added, (actuator for _, actuator in wanted), strict=True)))


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


def _add(spec: mujoco.MjSpec, joint: str, actuator: Actuator, plugin: str) -> mujoco.MjsActuator:
    # One instance serves all joints with the same actuator: one call of the callback in each step.
    instance = f"{plugin}.shared"
    spec.activate_plugin(plugin)
    if not any(known.name == instance for known in spec.plugins):
        shared = spec.add_plugin(name=instance, plugin_name=plugin, active=True)
        shared.config = {LAWS: signed(actuator), ACTUATOR: reference(actuator)}
    added = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    added.plugin.name, added.plugin.plugin_name, added.plugin.active = instance, plugin, True
    return added
