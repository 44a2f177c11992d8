"""The rigid bodies of a URDF or MJCF file, and nothing else of it.

Actuators, contacts, equalities, tendons, sensors and pictures are left out; so are meshes of bodies
whose inertia is given, so that a URDF is read without its mesh files. What stays is what MuJoCo
reads: masses, axes, reflected rotor inertia (`armature`), gravity.
"""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import mujoco

from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.messages import refusal
from pliant.errors import PliantError, located

ONE_DOF = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_APART = (
    "actuators sensors equalities tendons pairs excludes keys tuples skins flexes lights "
    "cameras textures materials"
).split()


def rigid_bodies(path: str | Path, joints: Sequence[str] | None = None) -> mujoco.MjModel:
    """The compiled rigid bodies of a model file.

    Args:
        path: URDF or MJCF; documents with entities are refused.
        joints: the joints to keep, in any order; the others are welded in their reference pose.
            By default all, which must have one degree of freedom each.

    Raises:
        PliantError: the file is refused, a joint is not in it, is not named, or has not one
            degree of freedom, or there is none.
    """
    path = Path(path)
    if not path.is_file():
        raise PliantError("no such model file", file=path)
    spec, _ = load_measured(path)
    for element in chain(*(getattr(spec, kind) for kind in _APART)):
        spec.delete(element)
    _without_pictures(spec)
    with located(path):
        _keep(spec, joints)
        try:
            return spec.compile()
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise refusal(error) from None


def _without_pictures(spec: mujoco.MjSpec) -> None:
    """Drop what only shows or touches: geoms of bodies whose inertia is given."""
    compiler: Any = spec.compiler
    for body in spec.bodies:
        if body.explicitinertial and compiler.inertiafromgeom != 1:
            for geom in list(body.geoms):
                spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)


def _keep(spec: mujoco.MjSpec, joints: Sequence[str] | None) -> None:
    names = [joint.name for joint in spec.joints]
    for name in joints or ():
        if name not in names:
            raise PliantError(
                "no such joint",
                field="joints",
                found=name,
                accepted=[known for known in names if known],
            )
    for joint in list(spec.joints):
        if joints is not None and joint.name not in joints:
            spec.delete(joint)
        elif joint.type not in ONE_DOF:
            raise PliantError(
                "has more than one degree of freedom",
                field=f"joint {joint.name}".strip(),
                found=joint.type.name.removeprefix("mjJNT_").lower(),
                accepted="hinge or slide, or joints= without it",
            )
        elif not joint.name:
            raise PliantError("a joint has no name")
    if not spec.joints:
        raise PliantError("has no joints")
