"""Effect of errors in the rigid-body model on the stiffness, tested on a recording.

Encoders carry no information on mass: a model that is 20 % too heavy gives springs that are 20 % too stiff,
with an equally small residual. So the recording is estimated again with models that are wrong by a stated
fraction, in one kind of parameter of all bodies at a time:

    mass              with the inertia
    centre of mass    its distance from the joint
    length            from one joint to the next
    friction          of the link, held at a part of what was learned of it

Friction is learned as viscous and, in mode "torque", as Coulomb friction: any other friction, such as presliding or
load dependence, acts like wrongly known friction. Left out: payload, rotor inertia.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate.dynamics import Dynamics, Engine, load_dynamics
from pliant.estimate.dynamics_mujoco import rigid_bodies
from pliant.estimate.estimates import Estimate, StiffnessWarning
from pliant.estimate.offline import StiffnessRun, estimated
from pliant.estimate.settings import EstimatorSettings

Body = Literal["mass", "centre of mass", "length"]
Kind = Literal["mass", "centre of mass", "length", "friction"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelError:
    """One kind of error.

    Attributes:
        kind: of parameter. part: its relative error, 0.2 for 20 % too high.
        change: (n,) median relative change of the stiffness [1]; NaN where it is not known.
        misfit: (n,) residual over torque with the wrong model, for friction without any [1].
    """

    kind: Kind
    part: float
    change: Floats
    misfit: Floats


def model_errors(
    found: StiffnessRun, path: str | Path, part: float, *, engine: Engine = "auto"
) -> list[ModelError]:
    """Estimate again with each kind of number too low and too high.

    Args:
        found: from `estimate_log`. path: URDF or MJCF of its robot. part: 0.2 for 20 %.
        engine: of the rigid-body terms, as `load_dynamics` has it.

    Raises:
        PliantError: the part is not between 0 and 1.
    """
    if not 0.0 < part < 1.0:
        raise PliantError("not a part", field="model error", found=part, accepted="between 0 and 1")
    robot: Any = type(load_dynamics(path, engine, found.names))
    tried: list[ModelError] = []
    for kind in get_args(Body):
        for wrong in (-part, part):
            dynamics: Dynamics = robot(wrong_bodies(path, found.names, kind, wrong), found.names)
            estimate = _estimated(found, dynamics, found.settings)
            tried.append(_compared(found, estimate, kind, wrong))
    if found.settings.friction:
        exact: Dynamics = robot(rigid_bodies(path, found.names), found.names)
        without = _estimated(found, exact, replace(found.settings, friction=False))
        tried += [_held_friction(found, without, wrong) for wrong in (-part, part)]
    return tried


def wrong_bodies(
    path: str | Path, joints: Sequence[str], kind: Body, part: float
) -> mujoco.MjModel:
    """The bodies of a robot with one kind of number of all of them multiplied by 1 + `part`."""
    model, factor = rigid_bodies(path, joints), 1.0 + part
    for body in range(1, model.nbody):
        moves = model.body_jntnum[body] > 0
        if kind == "mass":
            model.body_mass[body] *= factor
            model.body_inertia[body] *= factor
        elif kind == "length" and model.body_parentid[body] > 0:
            model.body_pos[body] *= factor
        elif kind == "centre of mass" and moves:
            at = model.jnt_pos[model.body_jntadr[body]]
            model.body_ipos[body] = at + factor * (model.body_ipos[body] - at)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def worst(tried: Sequence[ModelError], joint: int) -> ModelError | None:
    """The error that changes the stiffness of a joint most; None if its stiffness is not known."""
    known = [one for one in tried if np.isfinite(one.change[joint])]
    return max(known, key=lambda one: abs(one.change[joint]), default=None)


def rows(tried: Sequence[ModelError]) -> list[list[str]]:
    """Cells of a table: the error, and the change of each joint's stiffness [%]."""
    return [
        [
            f"{one.kind} {100.0 * one.part:+.3g} %",
            *(f"{100.0 * x:+.2f} %" if np.isfinite(x) else "not known" for x in one.change),
        ]
        for one in tried
    ]


def _estimated(found: StiffnessRun, dynamics: Dynamics, settings: EstimatorSettings) -> Estimate:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)  # of a model that is wrong on purpose
        return estimated(found.log, dynamics, found.joints, found.mode, settings)


def _held_friction(found: StiffnessRun, without: Estimate, part: float) -> ModelError:
    """Friction held at 1 + `part` of what was learned: least squares change in proportion to what is held."""
    whole = _compared(found, without, "friction", -1.0)
    return replace(whole, part=part, change=-part * whole.change)


def _compared(found: StiffnessRun, estimate: Estimate, kind: Kind, part: float) -> ModelError:
    ratio = estimate.sigma / found.estimate.sigma - 1.0
    known = np.isfinite(ratio)
    change = [
        float(np.median(ratio[known[:, k], k])) if known[:, k].any() else np.nan
        for k in range(ratio.shape[1])
    ]
    return ModelError(
        kind=kind, part=part, change=np.array(change), misfit=estimate.misfit[-1].copy()
    )
