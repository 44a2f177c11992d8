"""Drums: a motor on a tendon gets a hinge of its own, coupled to the tendon by an equality constraint.

    attach(spec, {"grip": "mx106_bam_m4"}, transmission={"grip": 0.01})     # 1 cm of tendon a radian

Friction of a servo belongs to its own degree of freedom: it resists the tendon's pull, whatever its cause.
So the motor gets a hinge, named like the tendon, on the world; the change of the tendon's length from the
reference pose is the hinge's angle times its travel.

Left out: the slack of a cable (it pushes as it pulls), its stretch. Actuators with a spring need no
drum, see `engines.mujoco.on_lengths`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.formers import is_position, is_second, kind_of, make_plain, second_of
from pliant.engines.spec.joints import compiled_copy
from pliant.engines.spec.names import DRUM, PREFIX
from pliant.engines.spec.placing import taken
from pliant.errors import PliantError

__all__ = ["add_drums", "formers_of", "gears_of", "tendons_among", "travel_of"]

_NATIVE: Any = mujoco
_MASS, _INERTIA = 1e-9, 1e-12
"""[kg], [kg m^2] A body must have some; the motor's rotor is the hinge's armature."""
_STIFF = np.array([0.999, 0.9999, 1e-3, 0.5, 2.0])
"""`solimp` of the coupling: as stiff as MuJoCo lets it be."""
_STEPS = 2.0
"""Its time constant in timesteps, the shortest that MuJoCo lets it have."""


@dataclass(frozen=True)
class _Drum:
    tendon: Any
    travel: float


def tendons_among(spec: mujoco.MjSpec, names: Sequence[str]) -> list[str]:
    """Those of `names` that are tendons and not joints."""
    joints = {joint.name for joint in spec.joints}
    tendons = {tendon.name for tendon in spec.tendons if tendon.name}
    return [name for name in names if name in tendons and name not in joints]


def add_drums(
    spec: mujoco.MjSpec,
    wanted: Collection[str],
    transmission: Mapping[str, float],
    *,
    replace: bool,
) -> list[str]:
    """Add a drum with a hinge for each tendon, called like it; what was added, in words.

    Actuators that are on such a tendon are on its drum then.

    Raises:
        PliantError: a tendon along anything but hinges has no transmission, or has an actuator that
            is not to be replaced. Nothing is changed then.
    """
    known = {tendon.name: tendon for tendon in spec.tendons}
    drums = [_Drum(known[name], travel_of(known[name], transmission.get(name))) for name in wanted]
    formers = {drum.tendon.name: formers_of(spec, drum.tendon.name) for drum in drums}
    for name in wanted:
        if formers[name] and not replace:
            raise taken(name, formers[name][0], "tendon")
        if spec.body(name) is not None:
            raise PliantError("a body has this name", field=f"tendon {name}", accepted="another")
    poses = _poses(spec, drums, formers)
    for drum in drums:
        _add(spec, drum)
        for entry in formers[drum.tendon.name]:
            for one in filter(None, (second_of(spec, entry), entry)):
                one.trntype = mujoco.mjtTrn.mjTRN_JOINT
    for key, angles in zip(spec.keys, poses, strict=True):
        if len(key.qpos):
            key.qpos = np.append(key.qpos, angles)
        if len(key.qvel):
            key.qvel = np.append(key.qvel, 0.0 * angles)
    return [
        f"tendon {drum.tendon.name}: moved by its own drum, joint {drum.tendon.name!r}, after"
        f" the others in qpos and qvel; {_said(drum)} of tendon for one radian"
        for drum in drums
    ]


def gears_of(spec: mujoco.MjSpec, transmission: Mapping[str, float]) -> dict[str, float]:
    """The transmissions of joints, without those of drums that are there already."""
    own = {
        tendon.name.removesuffix(DRUM): float(tendon.path[0].coef)
        for tendon in spec.tendons
        if tendon.name.endswith(DRUM) and len(tendon.path)
    }
    for name in own.keys() & transmission.keys():
        if not np.isclose(transmission[name], own[name], rtol=1e-9, atol=0.0):
            raise PliantError(
                "the tendon already has a drum with a different travel",
                field=f"transmission: {name}",
                found=transmission[name],
                accepted=f"{own[name]:g}, or none; for a different one attach to the model without the drum",
            )
    return {name: travel for name, travel in transmission.items() if name not in own}


def _said(drum: _Drum) -> str:
    """Its travel: an angle along hinges, else a length."""
    angle = _along_hinges(drum.tendon)
    return f"{drum.travel:g} rad" if angle else f"{1e3 * drum.travel:g} mm"


def _along_hinges(tendon: Any) -> bool:
    """Whether it is fixed to hinges alone, so that its length is an angle."""
    hinge = mujoco.mjtJoint.mjJNT_HINGE
    along = [w.target for w in tendon.path if w.type == mujoco.mjtWrap.mjWRAP_JOINT]
    return len(along) == len(tendon.path) and all(joint.type == hinge for joint in along)


def travel_of(tendon: Any, given: float | None) -> float:
    """Length of the tendon for one radian of its actuator; an angle along hinges.

    Raises:
        PliantError: none is given and the tendon is measured in metres, or it moves nothing.
    """
    if given is not None:
        if given == 0.0 or not isfinite(given):
            raise PliantError("moves nothing", field=f"transmission: {tendon.name}", found=given)
        return given
    if _along_hinges(tendon):
        return 1.0
    raise PliantError(
        "needs a transmission: the actuator is rotary and the tendon is measured in metres",
        field=f"tendon {tendon.name}",
        accepted=f'transmission={{"{tendon.name}": metres for one radian}}',
    )


def formers_of(spec: mujoco.MjSpec, name: str) -> list[mujoco.MjsActuator]:
    """The actuators on a tendon, but for second commands of Pliant's."""
    return [
        entry
        for entry in spec.actuators
        if entry.trntype == mujoco.mjtTrn.mjTRN_TENDON
        and entry.target == name
        and not is_second(entry)
    ]


def _poses(
    spec: mujoco.MjSpec,
    drums: Sequence[_Drum],
    formers: Mapping[str, Sequence[mujoco.MjsActuator]],
) -> list[Floats]:
    """(D,) angles of the drums in each keyframe: there too, the tendons have their lengths.

    Commands that ask for a length of the tendon then ask for the angle of its drum.
    """
    if not spec.keys:
        return []
    model: Any = compiled_copy(spec, keyframes=True)
    data: Any = mujoco.MjData(model)
    numbers = [model.tendon(drum.tendon.name).id for drum in drums]
    travel = np.array([drum.travel for drum in drums])
    found: list[Floats] = []
    for key in range(model.nkey):
        _NATIVE.mj_resetDataKeyframe(model, data, key)
        _NATIVE.mj_fwdPosition(model, data)
        found.append((data.ten_length[numbers] - model.tendon_length0[numbers]) / travel)
        _ask(spec.keys[key], model, drums, formers)
    return found


def _ask(
    key: Any,
    model: Any,
    drums: Sequence[_Drum],
    formers: Mapping[str, Sequence[mujoco.MjsActuator]],
) -> None:
    """Turn the commands of a keyframe to formers on tendons into such to formers on their drums."""
    commands = np.array(key.ctrl)
    for drum in drums if len(commands) else ():
        rest = float(model.tendon_length0[model.tendon(drum.tendon.name).id])
        for entry in formers[drum.tendon.name]:
            k, gear = int(model.actuator_ctrladr[entry.id]), float(entry.gear[0])
            if kind_of(entry).startswith(PREFIX):
                # An angle of its motor, of which the gear is taken later.
                commands[k] /= drum.travel
            elif is_position(entry):
                commands[k] = (commands[k] - gear * rest) / drum.travel
    key.ctrl = commands


def _add(spec: Any, drum: _Drum) -> None:
    name = drum.tendon.name
    body = spec.worldbody.add_body(
        name=name, mass=_MASS, inertia=[_INERTIA] * 3, explicitinertial=True
    )
    plain: Any = mujoco.MjSpec()
    make_plain(body.add_joint(name=name), plain.worldbody.add_body().add_joint())
    measure = spec.add_tendon(name=f"{name}{DRUM}")
    make_plain(measure, plain.add_tendon())
    measure.wrap_joint(name, drum.travel)
    coupling = spec.add_equality(name=f"{name}{DRUM}")
    make_plain(coupling, plain.add_equality())
    coupling.type, coupling.objtype = _NATIVE.mjtEq.mjEQ_TENDON, _NATIVE.mjtObj.mjOBJ_TENDON
    coupling.name1, coupling.name2 = name, measure.name
    coupling.data[:2] = 0.0, 1.0
    coupling.solref = [_STEPS * spec.option.timestep, 1.0]
    coupling.solimp = _STIFF
