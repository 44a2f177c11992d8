"""Give joints of a spec the actuators that `install` runs in MuJoCo Warp.

The rules are those of the C engine, from the same room: rotor inertia, friction rows, sticking,
sub-steps. Only their implementation differs: MuJoCo Warp has no plugins, so an actuator has type
`user`, and its delayed commands are kept in `act`, which is part of every reset and copy.
"""

from math import ceil

import mujoco

from pliant.engines.spec import placing
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.formers import second_of
from pliant.engines.spec.keyframes import Snapshot
from pliant.engines.spec.names import actuator_named
from pliant.engines.spec.placing import Wanted, Wishes
from pliant.engines.spec.rows import act_width, complete
from pliant.errors import PliantError

_USER = mujoco.mjtGain.mjGAIN_USER, mujoco.mjtBias.mjBIAS_USER


def attach(
    spec: mujoco.MjSpec,
    actuators: Wanted,
    wishes: Wishes = Wishes(),  # noqa: B008 - frozen
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled, for MuJoCo Warp.

    The compiled model is for `mujoco_warp.put_model` and `install`: MuJoCo itself would not move
    its joints.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        wishes: the options of `pliant.attach`.

    Raises:
        PliantError: a joint is not in the model, is no hinge or slide, has an actuator already that
            is not to be replaced, or slides without a transmission;
            an actuator is unknown or refused; the integrator is RK4; MuJoCo refuses the model.
    """
    if spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        raise no_runge_kutta()
    wanted = placing.loaded(actuators)
    placing.check_joints(spec, wanted, wishes)
    keyframes = Snapshot.of(spec)
    placed = placing.place(spec, wanted, wishes)
    for one in placed:
        one.entry.gaintype, one.entry.biastype = _USER
    attachment = complete(
        spec,
        [(one.entry, one.actuator) for one in placed],
        exclude_base_collision=wishes.exclude_base_collision,
        keep_armature=wishes.keep_armature,
    )
    for one in attachment.joints:
        _keep_commands(spec, one)
    placing.keep_keyframes(spec, keyframes, placed)
    return placing.told(spec, attachment, placed)


def no_runge_kutta() -> PliantError:
    """The refusal of the integrator RK4."""
    return PliantError(
        "an actuator with a state of its own cannot take the four half steps of RK4",
        field="integrator",
        found="RK4",
        accepted="Euler, implicitfast, implicit or discrete",
    )


def _keep_commands(spec: mujoco.MjSpec, one: Attached) -> None:
    """Room in `act` for the commands of as many steps as the delay is long, instead of a history."""
    entry = actuator_named(spec, one.name)
    second = second_of(spec, entry)
    commands = 1 if second is None else 2
    for kept in (entry, second):
        if kept is not None:
            kept.delay, kept.nsample = 0.0, 0
    delay = one.steps.delay
    steps = ceil(delay / float(spec.option.timestep)) + 1 if delay > 0.0 else 0
    entry.actdim = act_width(one.actuator) + commands * steps
