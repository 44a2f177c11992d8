"""Sites that a spring pushes along, or turns about, a direction in the frame of others.

    <motor name="push" site="tip" refsite="base" gear="0 0 1 0 0 0"/>      # then attach(spec, {"push": ...})

A site can have six such directions. So the model's own actuator tells site, refsite and direction,
and its name is theirs; Pliant's takes its place.

Left out: a thruster (without refsite): it has no length, which a spring would be stretched by.
"""

from collections.abc import Mapping, Sequence
from math import isfinite

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.formers import is_second, kind_of
from pliant.engines.spec.joints import has_budget, references
from pliant.engines.spec.names import PREFIX
from pliant.engines.spec.placing import taken
from pliant.errors import PliantError

__all__ = ["check_sites", "site_gear", "sites_among"]

_SITE = mujoco.mjtTrn.mjTRN_SITE


def sites_among(spec: mujoco.MjSpec, names: Sequence[str]) -> list[str]:
    """Those of `names` that are actuators on sites, and no joints or tendons."""
    others = {one.name for one in (*spec.joints, *spec.tendons)}
    ours = {entry.name for entry in spec.actuators if entry.trntype == _SITE}
    return [name for name in names if name in ours and name not in others]


def check_sites(spec: mujoco.MjSpec, wanted: Mapping[str, Actuator], *, replace: bool) -> None:
    """Refuse actuators on sites that cannot give way, or not to these.

    Raises:
        PliantError: one is not to be replaced; has no refsite; moves along and about something at
            once; or is to be one with friction of a joint, or with a second command beside another.
    """
    entries = {entry.name: entry for entry in spec.actuators if entry.name in wanted}
    for name, actuator in wanted.items():
        entry, field = entries[name], f"actuator {name}"
        if has_budget(actuator):
            raise PliantError(
                f"is on a site, and the friction of {actuator.name} needs a degree of freedom:"
                " a site has none",
                field=field,
                accepted="an actuator with a spring; or this one on a joint, or on a tendon",
            )
        if not replace:
            raise taken(entry.target, entry, "site")
        if not entry.refsite:
            raise PliantError(
                "has no refsite: a thruster has no length that could stretch a spring",
                field=field,
                accepted='refsite="...", the site in whose frame its site is pushed; or a joint, or a tendon',
            )
        ways = [bool(np.any(part)) for part in np.split(entry.gear, 2)]
        if sum(ways) != 1:
            raise PliantError(
                "acts along and about a direction at once" if all(ways) else "moves nothing",
                field=f"{field}: gear",
                found=entry.gear.tolist(),
                accepted="three numbers that are a direction, before or after three zeros",
            )
        _check_alone(spec, entry, wanted)


def _check_alone(
    spec: mujoco.MjSpec, entry: mujoco.MjsActuator, wanted: Mapping[str, Actuator]
) -> None:
    """A second command is found by its site, so that this has no other actuator of Pliant's then."""
    beside = [
        one
        for one in spec.actuators
        if one.trntype == _SITE and one.target == entry.target and one.name != entry.name
    ]
    ours = [one for one in beside if kind_of(one).startswith(PREFIX) or one.name in wanted]
    if ours and (references(wanted[entry.name]) > 1 or any(map(is_second, beside))):
        raise PliantError(
            f"an actuator with two commands shares its site with {ours[0].name!r}",
            field=f"actuator {entry.name}",
            found=f"site {entry.target}",
            accepted="a separate site at the same place for each",
        )


def site_gear(entry: mujoco.MjsActuator, travel: float | None) -> Floats:
    """(6,) Radians of the actuator for a metre, or a radian, along the direction of one on a site."""
    unit = entry.gear / np.linalg.norm(entry.gear)
    if travel is None and np.any(unit[:3]):
        raise PliantError(
            "needs a transmission: the actuator is rotary and the sites move along a direction",
            field=f"actuator {entry.name}",
            accepted=f'transmission={{"{entry.name}": metres for one radian}}'
            f" (--transmission {entry.name}=METRES)",
        )
    travel = 1.0 if travel is None else travel
    if not travel > 0.0 or not isfinite(travel):
        raise PliantError(
            "moves nothing"
            if travel == 0.0 or not isfinite(travel)
            else "has the gear's direction",
            field=f"transmission: {entry.name}",
            found=travel,
            accepted="above 0; for the other direction reverse the gear",
        )
    return unit / travel
