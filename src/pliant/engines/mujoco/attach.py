"""Give joints of a MuJoCo model the actuators they have in reality.

    spec = mujoco.MjSpec.from_file("arm.xml")
    print(pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}))
    model = spec.compile()                 # from here on everything is plain MuJoCo

The control is the device's command: a goal position [rad] for a servo. A device with two commands
(equilibrium and stiffness preset, or two motor angles) gets a second control, `elbow.preset`.

Actuators with a spring on tendons and between sites pull the length itself, without a drum:

    attach(spec, {"shoulder_elbow": "sea_walkman_200"})            # a biarticular series-elastic one

Their friction is on their own motors, so they need no degree of freedom. Their link angle is the change of
the tendon's length from the reference pose, or of the site's position along its direction, divided by their
travel [m/rad, rad/rad].

Left out: springs that the timestep does not resolve (on a joint, those move in sub-steps).
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco import moved
from pliant.engines.mujoco.native import checks
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec import placing
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.drums import formers_of, tendons_among, travel_of
from pliant.engines.spec.formers import add_anew, can_be_anew
from pliant.engines.spec.joints import astray, compiled_copy, inertias_in
from pliant.engines.spec.keyframes import Snapshot
from pliant.engines.spec.messages import Caution, unlogged
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, reference, signed
from pliant.engines.spec.placing import Wanted, Wishes
from pliant.engines.spec.rows import complete, complete_alone
from pliant.engines.spec.sites import check_sites, site_gear
from pliant.engines.spec.steps import Steps, steps_of
from pliant.errors import PliantError


def attach(
    spec: mujoco.MjSpec,
    actuators: Wanted,
    wishes: Wishes = Wishes(),  # noqa: B008 - frozen
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator gets the name of its joint, or of the actuator that it replaces. Rotor inertia, damping
    and dry friction of the joint are replaced by the actuator's, if it has them; previous values are
    reported.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        wishes: the options of `pliant.attach`.

    Raises:
        PliantError: a joint is not in the model, is no hinge or slide, already has an actuator that
            may not be replaced, or slides without a transmission;
            an actuator is unknown or refused; MuJoCo refuses the model, or is not recognised.
    """
    moved.make_movable()
    wanted = placing.loaded(actuators)
    placing.check_joints(spec, wanted, wishes)
    plugins = [register(actuator).name for _, actuator in wanted]
    keyframes = Snapshot.of(spec)
    placed = placing.place(spec, wanted, wishes)
    for one, plugin in zip(placed, plugins, strict=True):
        plug(spec, one.entry, one.actuator, plugin)
    done = complete(
        spec,
        [(one.entry, one.actuator) for one in placed],
        exclude_base_collision=wishes.exclude_base_collision,
        keep_armature=wishes.keep_armature,
    )
    placing.keep_keyframes(spec, keyframes, placed)
    attachment = placing.told(spec, done, placed)
    check_taken(spec, placed)  # last: the entries of `placed` may be none of the spec's then
    return attachment


def check_taken(spec: mujoco.MjSpec, placed: Sequence[placing.Placed]) -> None:
    """Re-create actuators that MuJoCo would still treat as the former actuator of Pliant, or refuse them.

    In a spec that was copied, or attached to another, MuJoCo keeps an actuator's plugin instance even if it
    is renamed. Python cannot recognise such a spec; MuJoCo's compiler can.
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
        if checks.REASONS[checks.OTHER_LAWS] not in str(
            error
        ):  # the user's own compile() says all else
            return
        first, _ = min(turned)
        if not can_be_anew(spec, first):
            raise PliantError(
                "MuJoCo keeps the actuators' laws in a spec that was copied or attached to another",
                field="replace",
                found=", ".join(name for _, name in turned),
                accepted="call attach before that; or spec.delete(spec.actuator(name)) first: the new one"
                " then comes after the others",
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


_TENDON, _SITE = mujoco.mjtTrn.mjTRN_TENDON, mujoco.mjtTrn.mjTRN_SITE
_MOST = 1e12
"""[kg m^2, kg] Inertia above which nothing moves, except for rounding."""
_ASTRAY = 1e-3
"""Relative error of MuJoCo's force, as a fraction of the length's rate, below which there is no warning."""


@dataclass(frozen=True)
class OnLength:
    """An actuator for a tendon, or for the model's actuator between sites of this name, checked.

    Attributes:
        gear: (6,) radians of the actuator for a metre, or a radian; of a tendon the first of them.
    """

    name: str
    actuator: Actuator
    gear: Floats
    steps: Steps
    on: mujoco.mjtTrn


def checked_lengths(
    spec: mujoco.MjSpec,
    wanted: Mapping[str, Actuator],
    transmission: Mapping[str, float],
    *,
    replace: bool,
) -> list[OnLength]:
    """The actuators for `attach_to_lengths`, checked; the spec stays as it is.

    Raises:
        PliantError: a tendon has no transmission though it does not run along hinges only, has an
            actuator that is not to be replaced, or moves nothing; so of sites, see `check_sites`;
            the timestep is too long for the spring.
    """
    tendons = tendons_among(spec, list(wanted))
    check_sites(spec, {n: a for n, a in wanted.items() if n not in tendons}, replace=replace)
    for name in tendons:
        there = formers_of(spec, name)
        if there and not replace:
            raise placing.taken(name, there[0], "tendon")
    gears = [_gear(spec, name, transmission.get(name), name in tendons) for name in wanted]
    model = compiled_copy(spec)
    found: list[OnLength] = []
    for (name, actuator), gear in zip(wanted.items(), gears, strict=True):
        on = _TENDON if name in tendons else _SITE
        steps = _steps(model, name, on, actuator, float(np.linalg.norm(gear)))
        if on == _SITE:
            lost = tuple(_lost(model, name))
            steps = dataclasses.replace(steps, warnings=(*steps.warnings, *lost))
        found.append(OnLength(name, actuator, gear, steps, on))
    return found


def _gear(spec: mujoco.MjSpec, name: str, travel: float | None, tendon: bool) -> Floats:
    if not tendon:
        return site_gear(_entry(spec, name), travel)
    known = next(one for one in spec.tendons if one.name == name)
    return np.array([1.0 / travel_of(known, travel), *[0.0] * 5])


def _steps(
    model: mujoco.MjModel, name: str, on: mujoco.mjtTrn, actuator: Actuator, gear: float
) -> Steps:
    field = f"{'tendon' if on == _TENDON else 'actuator'} {name}"
    timestep = float(model.opt.timestep)
    (inertia,), _ = inertias_in(model, [name], [])
    if inertia > _MOST:
        where = " in the reference pose" if on == _TENDON else ""
        raise PliantError(f"moves nothing{where}", field=field)
    steps = steps_of(actuator, inertia / gear**2, timestep)
    if steps.mobility > 0.0:
        raise PliantError(
            f"too long for the spring of {actuator.name} on the {field}",
            field="option: timestep",
            found=timestep,
            accepted=f"up to {steps.longest:.2g} s",
        )
    return steps


def _lost(model: mujoco.MjModel, name: str) -> Iterator[Caution]:
    """A warning if MuJoCo's force between sites is not that of a spring along their length."""
    part = astray(model, model.actuator(name).id)
    if part > _ASTRAY:
        yield Caution(
            "sites",
            f"MuJoCo's force is {100.0 * part:.3g} % off that of a spring along its length, in poses around"
            " the reference pose: its refsite is turned by joints of its own, or its sites turn about several"
            " axes; the spring gains or loses energy there",
            numbers={"part": part},
        )


def attach_to_lengths(spec: mujoco.MjSpec, wanted: Sequence[OnLength]) -> tuple[Attached, ...]:
    """Put the actuators in the places of those that act there, or behind all others."""
    plugins = [register(one.actuator).name for one in wanted]
    keyframes = Snapshot.of(spec)
    there = [
        formers_of(spec, one.name) if one.on == _TENDON else [_entry(spec, one.name)]
        for one in wanted
    ]
    # Before any is deleted, so that the numbers are those of the model as it was.
    records = [
        placing.records_of(spec, t, one.actuator) for t, one in zip(there, wanted, strict=True)
    ]
    placed = [
        placing.seated(spec, one.name, one.actuator, (formers, gave_way))
        for one, formers, gave_way in zip(wanted, there, records, strict=True)
    ]
    for one, new, plugin in zip(wanted, placed, plugins, strict=True):
        new.entry.trntype, new.entry.gear = one.on, one.gear
        plug(spec, new.entry, one.actuator, plugin)
    done = complete_alone(
        spec,
        [(new.entry, new.actuator) for new in placed],
        [one.steps for one in wanted],
        [new.formers for new in placed],
    )
    done = tuple(
        dataclasses.replace(made, joint=one.name) for made, one in zip(done, wanted, strict=True)
    )
    placing.keep_keyframes(spec, keyframes, placed)
    check_taken(spec, placed)  # last: the entries of `placed` may be none of the spec's then
    return done


def _entry(spec: mujoco.MjSpec, name: str) -> mujoco.MjsActuator:
    return next(entry for entry in spec.actuators if entry.name == name)
