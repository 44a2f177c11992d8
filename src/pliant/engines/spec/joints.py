"""Joints of a spec as an actuator finds them: which can have one, and how heavy they are.

Between sites, MuJoCo's force acts along the direction as it is now. Where the frame that it is
measured in turns by joints of its own, or both turn about several axes, the length changes otherwise
than that force does work: a spring there gains or loses energy.
"""

from collections.abc import Collection, Iterator, Sequence
from math import inf
from typing import Any
from warnings import catch_warnings, simplefilter

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.formers import ratio_of
from pliant.engines.spec.messages import refusal
from pliant.engines.spec.names import joint_named
from pliant.errors import PliantError

__all__ = ["along", "astray"]


_NATIVE: Any = mujoco
SITE_POSES = 24
"""Poses beside the reference pose, drawn anew alike for every model."""
FAR = 1.0
"""[rad, m] Joints without a range are this far from the reference pose at most."""
_STEP = 1e-5
"""[s] Of the differences, at velocities of about 1 rad/s: rounding is 1e-10 of the length then."""


def along(model: mujoco.MjModel, actuator: int) -> float:
    """Largest mobility [1/(kg m^2), 1/kg] along the direction of an actuator between sites, all free.

    Of the reference pose and of others: in one pose alone a stretched leg would be rigid.
    """
    data: Any = mujoco.MjData(model)
    output = _output(model, actuator)
    moved = np.zeros((1, model.nv))
    found: list[float] = []
    for q in _poses(model):
        _placed(model, data, q)
        _NATIVE.mj_crb(model, data)
        _NATIVE.mj_factorM(model, data)
        pull = _pull(model, data, output)
        _NATIVE.mj_solveM(model, data, moved, pull[None])
        found.append(float(moved[0] @ pull))
    return max(found)


def pulls(model: mujoco.MjModel, actuator: int) -> Floats:
    """(nv,) The most that a force of 1 of an actuator does to each degree of freedom, over the same poses."""
    data: Any = mujoco.MjData(model)
    found: list[Floats] = []
    for q in _poses(model):
        _placed(model, data, q)
        found.append(np.abs(_pull(model, data, _output(model, actuator))))
    return np.max(found, axis=0)


def astray(model: mujoco.MjModel, actuator: int) -> float:
    """Part of the length's rate (root mean square over poses) in which MuJoCo's force does no work."""
    data: Any = mujoco.MjData(model)
    random, output = np.random.default_rng(1), _output(model, actuator)
    rates: list[tuple[float, float]] = []
    for q in _poses(model):
        v = random.standard_normal(model.nv)
        _placed(model, data, q)
        worked = float(_pull(model, data, output) @ v)
        ends: list[float] = []
        for h in (-_STEP, _STEP):
            there = q.copy()
            _NATIVE.mj_integratePos(model, there, v, h)
            _placed(model, data, there)
            ends.append(float(data.actuator_length[output]))
        rates.append(((ends[1] - ends[0]) / (2.0 * _STEP) / _norm(model, output), worked))
    length, force = np.array(rates).T
    whole = max(float(np.linalg.norm(length)), float(np.linalg.norm(force)))
    return float(np.linalg.norm(length - force)) / whole if whole > 0.0 else 0.0


def _poses(model: mujoco.MjModel) -> Iterator[Floats]:
    m: Any = model
    yield m.qpos0.copy()
    random = np.random.default_rng(0)
    for _ in range(SITE_POSES):
        q = m.qpos0.copy()
        _NATIVE.mj_integratePos(model, q, random.uniform(-FAR, FAR, model.nv), 1.0)
        for joint in np.flatnonzero(m.jnt_limited):
            if m.jnt_type[joint] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                q[m.jnt_qposadr[joint]] = random.uniform(*m.jnt_range[joint])
        yield q


def _placed(model: mujoco.MjModel, data: Any, q: Floats) -> None:
    data.qpos[:] = q
    for stage in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_transmission"):
        getattr(_NATIVE, stage)(model, data)


def _output(model: mujoco.MjModel, actuator: int) -> int:
    """Row of its length, moment and gear."""
    return int(model.actuator_outadr[actuator])


def _pull(model: mujoco.MjModel, data: Any, output: int) -> Floats:
    """(nv,) What a force of 1 along the direction does to each degree of freedom."""
    row, first = np.zeros(model.nv), int(data.moment_rowadr[output])
    there = slice(first, first + int(data.moment_rownnz[output]))
    row[data.moment_colind[there]] = data.actuator_moment[there]
    return row / _norm(model, output)


def _norm(model: mujoco.MjModel, output: int) -> float:
    return float(np.linalg.norm(model.actuator_gear[output]))


POSES = 1.5
"""Factor by which joints may move more readily in other poses than in the reference pose."""
_SITE = mujoco.mjtTrn.mjTRN_SITE
_NAMED = int(mujoco.mjtObj.mjOBJ_JOINT), int(mujoco.mjtObj.mjOBJ_TENDON)


def checked_joint(spec: mujoco.MjSpec, name: str) -> mujoco.MjsJoint:
    """The joint of this name; refused unless it is a hinge or a slide."""
    joint = joint_named(spec, name) if name else None  # "" finds one without a name
    if joint is None:
        kind = _kind_of(spec, name) if name else None
        if kind is not None:
            raise PliantError(
                f"is a {kind}, not a joint: friction needs a degree of freedom, and a {kind} has none",
                field="joint",
                found=name,
                accepted=_instead(spec, name),
            )
        ours = {entry.name: entry.target for entry in spec.actuators if entry.name}
        named = _also(spec, joints_said(spec))
        raise PliantError(
            "is an actuator, not a joint" if name in ours else "no such joint in the model",
            field="joint",
            found=name,
            accepted=[ours[name]] if name in ours and ours[name] in named else named,
        )
    if joint.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        raise PliantError(
            "only a joint with one degree of freedom can have an actuator's friction",
            field=f"joint {name}",
            found=mujoco.mjtJoint(joint.type).name.removeprefix("mjJNT_").lower(),
            accepted="hinge, slide",
        )
    return joint


def joints_said(spec: mujoco.MjSpec) -> list[str] | str:
    """Names of the joints; where none has one, how to give it."""
    names = [joint.name for joint in spec.joints if joint.name]
    if names or not len(spec.joints):
        return names
    return 'none of the joints has a name: spec.joints[0].name = "elbow"'


def _also(spec: mujoco.MjSpec, joints: list[str] | str) -> list[str] | str:
    """Behind the joints, the tendons and the actuators between sites."""
    if isinstance(joints, str):
        return joints
    tendons = [one.name for one in spec.tendons if one.name]
    on_sites = [one.name for one in spec.actuators if one.trntype == _SITE and one.name]
    return [*joints, *tendons, *on_sites]


def _kind_of(spec: Any, name: str) -> str | None:
    """Kind of the element of this name that is no joint."""
    others = {"site": spec.sites, "tendon": spec.tendons, "body": spec.bodies}
    return next((kind for kind, all_ in others.items() if any(x.name == name for x in all_)), None)


def _instead(spec: Any, name: str) -> list[str] | str:
    """Joints of the body, or actuators on the site, of this name; or what else there is."""
    body = spec.body(name)
    own = [joint.name for joint in body.joints if joint.name] if body is not None else []
    on_site = [
        entry.name for entry in spec.actuators if entry.trntype == _SITE and entry.target == name
    ]
    if any(on_site):
        named = ", ".join(filter(None, on_site))
        return f"for a spring, an actuator of the model that acts on it: {named}"
    if on_site:
        return "for a spring, the model's actuator that acts on it: name it, and attach to it"
    if any(site.name == name for site in spec.sites):
        return "a hinge, a slide or a tendon; for a spring, an actuator of the model with site and refsite"
    return own or "a hinge or a slide; pliant.attach also takes a tendon, and gives it a drum"


def checked_joints(spec: mujoco.MjSpec, names: Sequence[str], others: Collection[str] = ()) -> None:
    """Refuse joints that can have no actuator, or are to have two; `others` are no joints."""
    for k, name in enumerate(names):
        if name not in others:
            checked_joint(spec, name)
        if name in names[:k]:
            raise PliantError(
                "two actuators on one joint" if name not in others else "two actuators for one",
                field=f"joint {name}" if name not in others else f"actuators: {name}",
                found="two of Pliant",
                accepted="one",
            )


def references(actuator: Actuator) -> int:
    """Number of commands that it takes."""
    return int(getattr(actuator.topology.module, "REFERENCES", 1))


def takes_position(actuator: Actuator) -> bool:
    """Whether its first command is a position [rad], not a torque, current or duty.

    A rotor that follows its reference does so whatever the controller would make of it.
    """
    for number in ("", "_1"):
        rotor, control = (actuator.laws.get(f"{port}{number}") for port in ("rotor", "control"))
        if rotor is not None and rotor.name in ("follows", "lag"):
            return True
        if control is not None:
            return getattr(control.module, "GOAL", "rad") == "rad"
    return True


def adjuster_ends(actuator: Actuator) -> tuple[float, float] | None:
    """Range of a second command that is the place of an adjuster, in its own unit."""
    if "own.softest" not in actuator.fields:
        return None
    follows = actuator.laws["rotor_2"].name in ("follows", "lag")
    if not follows and actuator.laws["control_2"].module.GOAL != "rad":
        return None  # it is told a torque
    ends = actuator.value("own.softest"), actuator.value("own.stiffest")
    return min(ends), max(ends)


def gear_of(added: mujoco.MjsActuator) -> float:
    """Absolute transmission ratio: torque, friction and inertia of the actuator are behind it."""
    gear = abs(ratio_of(added))
    if gear == 0.0:
        raise PliantError(
            "moves nothing", field=f"actuator {added.name}: gear", found=gear, accepted="not 0"
        )
    return gear


def has_budget(actuator: Actuator) -> bool:
    """Whether the actuator has friction on its joint's side, which the engine's solver applies."""
    return bool(actuator.topology.module.HAS_BUDGET)


def compiled_copy(spec: mujoco.MjSpec, *, keyframes: bool = False) -> mujoco.MjModel:
    """The model of a spec as it stands; without its keyframes, which may be for other actuators."""
    try:
        copy = spec.copy()
        if not keyframes:
            drop_keyframes(copy)
        # What MuJoCo has to say of the model it says when the user compiles it.
        with catch_warnings():
            simplefilter("ignore")
            return copy.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise refusal(error, "MuJoCo refuses the model") from None


def drop_keyframes(spec: mujoco.MjSpec) -> None:
    """Delete all keyframes of a spec."""
    for key in list(spec.keys):
        spec.delete(key)


def inertias_in(
    model: mujoco.MjModel, joints: Sequence[str], springs: Sequence[str]
) -> tuple[list[float], float]:
    """Inertia [kg m^2] that each joint or tendon feels in the model's reference pose, all others free.

    An actuator between sites, by its name: what it feels in the pose where that is least, see `along`.

    And how much more readily the joints with springs move together than the readiest alone: the
    largest eigenvalue of their inverse inertia scaled to a diagonal of 1, with a margin for other
    poses.
    """
    known = {model.joint(j).name for j in range(model.njnt)}
    inertias = [1.0 / x if (x := _mobility(model, name)) else inf for name in joints]
    springs = [name for name in springs if name in known]
    if len(springs) < 2:
        return inertias, 1.0
    inverse = mobility_of(model, [int(model.joint(name).dofadr[0]) for name in springs])
    scale = 1.0 / np.sqrt(np.diag(inverse))
    return inertias, POSES * float(np.linalg.eigvalsh(inverse * np.outer(scale, scale))[-1])


def _mobility(model: mujoco.MjModel, name: str) -> float:
    joint, tendon = (mujoco.mj_name2id(model, kind, name) for kind in _NAMED)
    if joint >= 0:
        return float(model.dof_invweight0[model.jnt_dofadr[joint]])
    if tendon >= 0:
        return float(model.tendon_invweight0[tendon])
    return along(model, model.actuator(name).id)


def mobility_of(model: mujoco.MjModel, dofs: Sequence[int]) -> Floats:
    """(D, D) Acceleration of each degree of freedom by torques on them, in the reference pose, all free."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mobility = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, mobility, np.eye(model.nv))
    return mobility[np.ix_(dofs, dofs)]
