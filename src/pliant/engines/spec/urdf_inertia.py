"""Inertias of a URDF in the axes in which they are written.

MuJoCo 3.11 forgets the `rpy` of a link's inertial; 4.0 does not.
"""

import xml.etree.ElementTree as ET
from math import isfinite
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError

_NATIVE: Any = mujoco


def turn_inertias(spec: mujoco.MjSpec, robot: ET.Element) -> None:
    """Write each link's inertia in the link's own axes, where the file has it in others.

    Args:
        spec: as MuJoCo read it. robot: the root of the file.

    Raises:
        PliantError: an angle is not finite.
    """
    for link in robot.findall("link"):
        origin = link.find("inertial/origin")
        rpy = [] if origin is None else [float(x) for x in origin.get("rpy", "").split()]
        if not all(map(isfinite, rpy)):
            raise PliantError(
                "not finite",
                field=f"link {link.get('name')}: rpy",
                found=rpy,
                accepted="roll, pitch and yaw [rad]",
            )
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


def _written(link: ET.Element) -> NDArray[np.float64]:
    """(3, 3) [kg m^2] the numbers of the file, which MuJoCo has accepted."""
    found = link.find("inertial/inertia")
    numbers = {} if found is None else found.attrib
    name = [[f"i{min(a, b)}{max(a, b)}" for b in "xyz"] for a in "xyz"]
    return np.array([[float(numbers.get(key, 0.0)) for key in row] for row in name])
