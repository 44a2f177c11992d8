"""Actuators with a spring on tendons and between sites: they pull the length itself, without a drum.

    attach(spec, {"shoulder_elbow": "sea_walkman_200"})            # a biarticular series-elastic one

Their friction is on their own motors, so they need no degree of freedom. What they see as the link's
angle is how much longer the tendon is than in the reference pose, or how much further the site is
along its direction, by their travel [m/rad, rad/rad].

Left out: springs that the timestep does not resolve (on a joint, those move in sub-steps).
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import check_taken, plug
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec.attachment import Attached
from pliant.engines.spec.drums import formers_of, tendons_among, travel_of
from pliant.engines.spec.joints import astray, compiled_copy, inertias_in
from pliant.engines.spec.keyframes import Snapshot
from pliant.engines.spec.messages import Caution
from pliant.engines.spec.placing import keep_keyframes, records_of, seated, taken
from pliant.engines.spec.rows import complete_alone
from pliant.engines.spec.sites import check_sites, site_gear
from pliant.engines.spec.steps import Steps, steps_of
from pliant.errors import PliantError

__all__ = ["OnLength", "attach_to_lengths", "checked_lengths"]

_TENDON, _SITE = mujoco.mjtTrn.mjTRN_TENDON, mujoco.mjtTrn.mjTRN_SITE
_MOST = 1e12
"""[kg m^2, kg] An inertia above this is that of nothing that moves, but for rounding."""
_ASTRAY = 1e-3
"""Part of a length's rate by which MuJoCo's force may be off untold."""


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
            raise taken(name, there[0], "tendon")
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
    """A warning where MuJoCo's force between sites is not that of a spring along their length."""
    part = astray(model, model.actuator(name).id)
    if part > _ASTRAY:
        yield Caution(
            "sites",
            f"MuJoCo's force is {100.0 * part:.3g} % off that of a spring along its length, in poses around"
            " the reference pose: its refsite turns by joints of its own, or its sites turn about several"
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
    records = [records_of(spec, t, one.actuator) for t, one in zip(there, wanted, strict=True)]
    placed = [
        seated(spec, one.name, one.actuator, (formers, told))
        for one, formers, told in zip(wanted, there, records, strict=True)
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
    keep_keyframes(spec, keyframes, placed)
    check_taken(spec, placed)  # last: the entries of `placed` may be none of the spec's then
    return done


def _entry(spec: mujoco.MjSpec, name: str) -> mujoco.MjsActuator:
    return next(entry for entry in spec.actuators if entry.name == name)
