"""Repairs of a model that MuJoCo refuses, made only on request, and reported.

"inertia"   impossible moments are replaced by the nearest possible ones; a moving body without mass
            gets a mass of a gram
"meshes"    meshes and textures that MuJoCo cannot read are left out, with the shapes made of them

MuJoCo 3.11 ignores the `rpy` of a link's inertial; 4.0 does not.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args
from warnings import catch_warnings, simplefilter

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.engines.spec.joints import drop_keyframes
from pliant.engines.spec.messages import refusal, refused_line
from pliant.errors import PliantError, check_known
from pliant.io.model_xml import as_number
from pliant.io.urdf_xml import find_meshes, on_line, stripped
from pliant.words import number

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
        check_known(name, REPAIRS, "is not a repair", "repair")
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
            f"body {body.name}: moments of inertia {before} kg m^2, which no body can have, are replaced"
            f" by {after}"
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
            f"body {body.name}: moves and has no mass or inertia, is now a ball of {1e3 * mass:g} g and"
            f" {1e3 * LEAST_RADIUS:g} mm radius; may diverge if axes about such bodies align"
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


_NATIVE: Any = mujoco
_ANGLES = "roll, pitch and yaw [rad]"


def turn_inertias(spec: mujoco.MjSpec, robot: ET.Element) -> None:
    """Write each link's inertia in the link's own axes, where the file has it in others."""
    for link in robot.findall("link"):
        rpy = _angles(link)
        body: Any = spec.body(link.get("name", ""))
        if body is None or not any(rpy):
            continue
        turn, flat = np.empty(4), np.empty(9)
        _NATIVE.mju_euler2Quat(turn, rpy, "XYZ")
        _NATIVE.mju_quat2Mat(flat, turn)
        axes = flat.reshape(3, 3)
        inertia = axes @ _written(link) @ axes.T
        body.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        body.iquat = [1.0, 0.0, 0.0, 0.0]


def _angles(link: ET.Element) -> list[float]:
    """None, or roll, pitch and yaw of the link's inertial."""
    origin = link.find("inertial/origin")
    text = "" if origin is None else origin.get("rpy", "")
    field = f"link {link.get('name')}: rpy"
    rpy = [_number(part, field) for part in text.split()]
    if len(rpy) not in (0, 3):
        raise PliantError("is not three angles", field=field, found=text, accepted=_ANGLES)
    return rpy


def _number(text: str, field: str) -> float:
    value = as_number(text)
    if value is None or not isfinite(value):
        raise PliantError("is not a finite number", field=field, found=text, accepted="such as 0.8")
    return value


def _written(link: ET.Element) -> NDArray[np.float64]:
    """(3, 3) [kg m^2] the numbers of the file, which MuJoCo has accepted."""
    found = link.find("inertial/inertia")
    numbers = {} if found is None else found.attrib
    name = [[f"i{min(a, b)}{max(a, b)}" for b in "xyz"] for a in "xyz"]
    field = f"link {link.get('name')}: inertia"
    return np.array(
        [[_number(numbers.get(key, "0"), f"{field} {key}") for key in row] for row in name]
    )


def urdf_spec(
    root: ET.Element,
    path: Path,
    packages: Iterable[str | Path] = (),
    repair: Collection[str] = (),
) -> tuple[mujoco.MjSpec, list[str]]:
    """The spec of a URDF, and what was left out or repaired, in words.

    Args:
        root: of the file; changed. path: of the file. packages: see `find_meshes`.
        repair: see `repairs`.
    """
    notes = find_meshes(root, path, packages, leave_out="meshes" in repair)
    try:
        spec = mujoco.MjSpec.from_string(stripped(root))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise refusal(error, place=on_line(root, refused_line(error))) from None
    turn_inertias(spec, root)
    return spec, [*notes, *repaired(spec, repair)]
