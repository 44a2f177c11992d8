"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is what the device takes: a goal position [rad] for a servo. A device with two commands
(equilibrium and stiffness preset, or two motor angles) gets a second control, `elbow.preset`.
"""

from collections.abc import Sequence

import mujoco

from pliant.assemble import Actuator
from pliant.engines.mujoco import moved
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.fresh import add_anew, can_be_anew
from pliant.engines.spec.keyframes import Snapshot
from pliant.engines.spec.messages import Caution, unlogged
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, PRESET, reference, signed
from pliant.engines.spec.placing import (
    Placed,
    Wanted,
    Wishes,
    check_joints,
    keep_keyframes,
    loaded,
    place,
    told,
)
from pliant.engines.spec.rows import complete
from pliant.errors import PliantError

__all__ = ["PRESET", "Attached", "Attachment", "Caution", "attach", "check_taken", "plug"]


def attach(
    spec: mujoco.MjSpec,
    actuators: Wanted,
    wishes: Wishes = Wishes(),  # noqa: B008 - frozen
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator is called like its joint, or as the one whose place it has. Rotor inertia, damping
    and dry friction of the joint become the actuator's, where it has its own; what was there before
    is reported.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        wishes: the options of `pliant.attach`.

    Raises:
        PliantError: a joint is not in the model, is no hinge or slide, has an actuator already that
            is not to be replaced, or slides without a transmission;
            an actuator is unknown or refused; MuJoCo refuses the model, or is not recognised.
    """
    moved.make_movable()
    wanted = loaded(actuators)
    check_joints(spec, wanted, wishes)
    plugins = [register(actuator).name for _, actuator in wanted]
    keyframes = Snapshot.of(spec)
    placed = place(spec, wanted, wishes)
    for one, plugin in zip(placed, plugins, strict=True):
        plug(spec, one.entry, one.actuator, plugin)
    done = complete(
        spec,
        [(one.entry, one.actuator) for one in placed],
        exclude_base_collision=wishes.exclude_base_collision,
        keep_armature=wishes.keep_armature,
    )
    keep_keyframes(spec, keyframes, placed)
    attachment = told(spec, done, placed)
    check_taken(spec, placed)  # last: the entries of `placed` may be none of the spec's then
    return attachment


def check_taken(spec: mujoco.MjSpec, placed: Sequence[Placed]) -> None:
    """Add anew what MuJoCo would still hold to be the former actuator of Pliant, or refuse it.

    In a spec that was copied, or attached to another, it keeps an actuator's plugin instance,
    whatever name that is given. Nothing in Python tells such a spec; its own compiler does.
    """
    plugins = {f"{PREFIX}{one.actuator.name}" for one in placed}
    turned = [
        (one.entry.id, f.name) for one in placed for f in one.formers if f.kind.startswith(PREFIX)
    ]
    if not turned or plugins == {f.kind for one in placed for f in one.formers}:
        return
    try:
        with unlogged():
            spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        if "other laws" not in str(error):  # the user's own compile() says all else
            return
        first, _ = min(turned)
        if not can_be_anew(spec, first):
            raise PliantError(
                "MuJoCo keeps the laws of actuators in a spec that was copied or attached to another",
                field="replace",
                found=", ".join(name for _, name in turned),
                accepted="attach before that; or spec.delete(spec.actuator(name)) first: the new one"
                " stands behind the others then",
            ) from None
        add_anew(spec, first)


def plug(spec: mujoco.MjSpec, entry: mujoco.MjsActuator, actuator: Actuator, plugin: str) -> None:
    """Make an actuator of the spec one of the plugin's."""
    # One instance serves all joints with the same actuator: one call of the callback in each step.
    instance = f"{plugin}.shared"
    spec.activate_plugin(plugin)
    if not any(known.name == instance for known in spec.plugins):
        shared = spec.add_plugin(name=instance, plugin_name=plugin, active=True)
        shared.config = {LAWS: signed(actuator), ACTUATOR: reference(actuator)}
    entry.plugin.name, entry.plugin.plugin_name, entry.plugin.active = instance, plugin, True
