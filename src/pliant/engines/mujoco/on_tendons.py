"""Actuators with a spring on tendons: they pull the tendon itself, without a drum.

    attach(spec, {"shoulder_elbow": "sea_walkman_200"})            # a biarticular series-elastic one

Their friction is on their own motors, so they need no degree of freedom. What they see as the link's
angle is how much longer the tendon is than in the reference pose, by their travel [m/rad, rad/rad].

Left out: springs that the timestep does not resolve (on a joint, those move in sub-steps).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco

from pliant.assemble import Actuator
from pliant.engines.mujoco.ahead import register_all
from pliant.engines.mujoco.attach import plug
from pliant.engines.spec.attachment import Attached
from pliant.engines.spec.drums import formers_of, travel_of
from pliant.engines.spec.formers import delete, former_of, second_of
from pliant.engines.spec.fresh import fresh_actuator
from pliant.engines.spec.joints import compiled_copy, inertias_in
from pliant.engines.spec.keyframes import Snapshot
from pliant.engines.spec.placing import Placed, free_name, keep_keyframes, taken
from pliant.engines.spec.rows import complete_alone
from pliant.engines.spec.steps import Steps, steps_of
from pliant.errors import PliantError

__all__ = ["OnTendon", "attach_to_tendons", "checked_tendons"]


@dataclass(frozen=True)
class OnTendon:
    """An actuator for a tendon, checked.

    Attributes:
        gear: radians of the actuator for a metre, or a radian, of the tendon.
    """

    tendon: str
    actuator: Actuator
    gear: float
    steps: Steps


def checked_tendons(
    spec: mujoco.MjSpec,
    wanted: Mapping[str, Actuator],
    transmission: Mapping[str, float],
    *,
    replace: bool,
) -> list[OnTendon]:
    """The actuators for `attach_to_tendons`, checked; the spec stays as it is.

    Raises:
        PliantError: a tendon has no transmission though it does not run along hinges only, has an
            actuator that is not to be replaced, or moves nothing; the timestep is too long for the
            spring.
    """
    known = {tendon.name: tendon for tendon in spec.tendons}
    for name in wanted:
        there = formers_of(spec, name)
        if there and not replace:
            raise taken(name, there[0], "tendon")
    gears = [1.0 / travel_of(known[name], transmission.get(name)) for name in wanted]
    model = compiled_copy(spec)
    timestep = float(spec.option.timestep)
    found: list[OnTendon] = []
    for (name, actuator), gear in zip(wanted.items(), gears, strict=True):
        if model.tendon_invweight0[model.tendon(name).id] == 0.0:
            raise PliantError("moves nothing in the reference pose", field=f"tendon {name}")
        (inertia,), _ = inertias_in(model, [name], [])
        steps = steps_of(actuator, inertia / gear**2, timestep)
        if steps.mobility > 0.0:
            raise PliantError(
                f"too long for the spring of {actuator.name} on the tendon {name}",
                field="option: timestep",
                found=timestep,
                accepted=f"up to {steps.longest:.2g} s",
            )
        found.append(OnTendon(name, actuator, gear, steps))
    return found


def attach_to_tendons(spec: mujoco.MjSpec, wanted: Sequence[OnTendon]) -> tuple[Attached, ...]:
    """Add the actuators behind those of the spec; what was on the tendons is deleted."""
    plugins = register_all(one.actuator for one in wanted)
    keyframes = Snapshot.of(spec)
    placed: list[Placed] = []
    for one, plugin in zip(wanted, plugins, strict=True):
        there = formers_of(spec, one.tendon)
        records = [former_of(spec, entry, deleted=True) for entry in there]
        seconds = [second for entry in there if (second := second_of(spec, entry)) is not None]
        records += [former_of(spec, second, deleted=True) for second in seconds]
        entry, _ = fresh_actuator(spec, free_name(spec, one.tendon), one.tendon)
        entry.trntype = mujoco.mjtTrn.mjTRN_TENDON
        entry.gear[0] = one.gear
        placed.append(Placed(entry, one.actuator, tuple(records)))
        for former in (*there, *seconds):
            delete(spec, former, entry)
        plug(spec, entry, one.actuator, plugin)
    done = complete_alone(
        spec,
        [(new.entry, new.actuator) for new in placed],
        [one.steps for one in wanted],
        [new.formers for new in placed],
    )
    keep_keyframes(spec, keyframes, placed)
    return done
