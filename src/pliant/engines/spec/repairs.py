"""Repairs of a model that MuJoCo refuses, made only on request, and reported.

"inertia"   moments that no body can have become the nearest that one can; a moving body without a
            mass gets one of a gram
"meshes"    meshes and textures that MuJoCo cannot read are left out, with the shapes made of them
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, get_args
from warnings import catch_warnings, simplefilter

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.joints import drop_keyframes
from pliant.errors import PliantError
from pliant.words import number

__all__ = ["REPAIRS", "Repair", "checked", "repaired"]

Repair = Literal["inertia", "meshes"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)
FLAT = 1e-6
"""Least thickness of a body, squared, as a part of its largest extent: MuJoCo wants some."""
POINT = 1e-6
"""[m] Extent of a body that has a mass and none."""
ROUNDING = 1e-12
LEAST_MASS, LEAST_RADIUS = 1e-3, 0.01
"""[kg], [m] Of the ball that a moving body without a mass becomes."""
_MASSLESS = "mass and inertia of moving bodies"
_UNREAD = re.compile(
    r"opening file|no decoder found|volume is too small|number of faces|decoder:|resource"
)
_FILE = re.compile(r"file '([^']+)'")
_NAME = re.compile(r"Element (?:name )?'([^']+)'")


def checked(repair: Collection[str] | str) -> frozenset[str]:
    """The names of repairs, as a set.

    Raises:
        PliantError: one is unknown.
    """
    names = {repair} if isinstance(repair, str) else set(repair)
    for name in names:
        if name not in REPAIRS:
            raise PliantError("is not a repair", field="repair", found=name, accepted=REPAIRS)
    return frozenset(names)


def repaired(spec: mujoco.MjSpec, repair: Collection[str]) -> list[str]:
    """Repair a spec in these ways; what was changed, in words."""
    notes: list[str] = []
    if "inertia" in repair:
        notes += _balanced(spec)
    if "meshes" in repair:
        notes += _without_unreadable(spec)
    if "inertia" in repair:
        notes += _given_mass(spec)
    return notes


def _balanced(spec: Any) -> Iterator[str]:
    for body in spec.bodies:
        whole: Floats = np.array(body.fullinertia, np.float64)
        has_axes = bool(np.isfinite(whole[0]))
        if not body.explicitinertial or body.mass <= 0.0:
            continue
        matrix = _matrix(whole) if has_axes else np.diag(body.inertia)
        moments, axes = np.linalg.eigh(matrix)
        if not moments.any() and not body.joints:  # a point mass that is part of another body
            continue
        if moments[0] > ROUNDING * moments[2] and (
            moments[0] + moments[1] >= (1.0 - ROUNDING) * moments[2]
        ):
            continue
        nearest = nearest_moments(moments, float(body.mass))
        made = axes @ np.diag(nearest) @ axes.T
        if has_axes:
            body.fullinertia = made[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        else:
            body.inertia = np.diag(made)
        before, after = (", ".join(map(number, row)) for row in (moments, nearest))
        yield (
            f"body {body.name}: moments of inertia {before} kg m^2, which no body can have, are"
            f" {after} now"
        )


def _given_mass(spec: Any) -> Iterator[str]:
    """Give each moving body that MuJoCo refuses for it a mass, one after the other."""
    given: set[str] = set()
    while (text := _refusal(spec)) is not None and _MASSLESS in text:
        named = _NAME.search(text)
        body = None if named is None or named[1] in given else spec.body(named[1])
        if body is None:  # MuJoCo's refusal says what it is when the model is compiled
            return
        given.add(body.name)
        mass = max(float(body.mass), LEAST_MASS)
        moment = 0.4 * mass * LEAST_RADIUS**2
        body.mass, body.inertia, body.explicitinertial = mass, [moment] * 3, True
        body.fullinertia, body.ipos = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        body.iquat = [1.0, 0.0, 0.0, 0.0]
        yield (
            f"body {body.name}: moves and has no mass or inertia, is a ball of {1e3 * mass:g} g and"
            f" {1e3 * LEAST_RADIUS:g} mm radius now; may diverge where axes about such bodies line up"
        )


def nearest_moments(moments: Floats, mass: float) -> Floats:
    """(3,) Principal moments of inertia nearest to these that a distribution of mass can have.

    A body's extent along each axis, the integral of the squared distance over its mass, is half the
    sum of the moments less the one about that axis, and not negative: negative ones become 0.
    """
    extent = 0.5 * moments.sum() - moments
    extent = np.maximum(extent, max(FLAT * extent.max(), POINT**2 * mass))
    return extent.sum() - extent


def _matrix(whole: Floats) -> Floats:
    xx, yy, zz, xy, xz, yz = whole
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _without_unreadable(spec: Any) -> Iterator[str]:
    """Delete what MuJoCo cannot read, one after the other, as it refuses them."""
    while (text := _refusal(spec)) is not None and _UNREAD.search(text):
        mesh = _meant(text, spec.meshes)
        texture = None if mesh is not None else _meant(text, spec.textures)
        if mesh is not None:
            yield from _delete_mesh(spec, mesh)
        elif texture is not None:
            yield from _delete_texture(spec, texture)
        else:  # MuJoCo's refusal says what it is when the model is compiled
            return


def _meant(text: str, assets: Iterable[Any]) -> Any | None:
    """The mesh or texture that a refusal names, itself or by its file."""
    named, quoted = _NAME.search(text), _FILE.search(text)
    for asset in assets:
        if named is not None and asset.name == named[1]:
            return asset
        if quoted is not None and asset.file and quoted[1].endswith(asset.file):
            return asset
    return None


def _refusal(spec: mujoco.MjSpec) -> str | None:
    """Reason of MuJoCo to refuse the spec, if it does."""
    copy = spec.copy()
    drop_keyframes(copy)
    # What it has to say besides it says when the user compiles.
    with catch_warnings():
        simplefilter("ignore")
        try:
            copy.compile()
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            return " ".join(str(error).split())
    return None


def _delete_mesh(spec: Any, mesh: Any) -> Iterator[str]:
    file, name = mesh.file, mesh.name
    for geom in [geom for geom in spec.geoms if geom.meshname == name]:
        body = geom.parent
        touches = geom.contype or geom.conaffinity
        lost = ["what it touches"] if touches else []
        lost += [] if body.explicitinertial or not geom.density else ["its mass"]
        yield f"body {body.name}: shape left out, MuJoCo cannot read {file}" + (
            f"; {' and '.join(lost)} with it" if lost else ""
        )
        spec.delete(geom)
    spec.delete(mesh)


def _delete_texture(spec: Any, texture: Any) -> Iterator[str]:
    yield f"texture {texture.name} left out: MuJoCo cannot read {texture.file}"
    for material in spec.materials:
        material.textures = ["" if t == texture.name else t for t in material.textures]
    spec.delete(texture)
