"""A URDF as a spec: its meshes found, its inertias in the axes in which they are written.

MuJoCo 3.11 forgets the `rpy` of a link's inertial; 4.0 does not.
"""

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable
from math import isfinite
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.engines.spec.messages import refusal, refused_line
from pliant.engines.spec.repairs import repaired
from pliant.errors import PliantError
from pliant.io.model_xml import as_number
from pliant.io.urdf_xml import find_meshes, on_line, stripped

__all__ = ["urdf_spec"]


_NATIVE: Any = mujoco
_ANGLES = "roll, pitch and yaw [rad]"


def turn_inertias(spec: mujoco.MjSpec, robot: ET.Element) -> None:
    """Write each link's inertia in the link's own axes, where the file has it in others.

    Args:
        spec: as MuJoCo read it. robot: the root of the file.

    Raises:
        PliantError: an angle or a moment of inertia is not finite, or no number.
    """
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

    Raises:
        PliantError: a mesh is missing, or MuJoCo refuses the file.
    """
    notes = find_meshes(root, path, packages, leave_out="meshes" in repair)
    try:
        spec = mujoco.MjSpec.from_string(stripped(root))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise refusal(error, place=on_line(root, refused_line(error))) from None
    turn_inertias(spec, root)
    return spec, [*notes, *repaired(spec, repair)]
