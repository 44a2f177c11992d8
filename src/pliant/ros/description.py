"""A URDF of a compiled model, for RViz: links, joints, and shapes; and the frames of its bodies."""

import xml.etree.ElementTree as ET
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["transforms", "urdf_of"]

_G = mujoco.mjtGeom
_J = mujoco.mjtJoint


def urdf_of(model: mujoco.MjModel, name: str) -> str:
    """The model as a URDF: what RViz draws, with boxes, spheres, cylinders; a capsule is a cylinder.

    Left out: meshes, actuators, and all but the first joint of a body.
    """
    root = ET.Element("robot", name=name)
    for body in range(model.nbody):
        link = ET.SubElement(root, "link", name=frame_of(model, body))
        if body and model.body_mass[body] > 0.0:
            _inertial(link, model, body)
        for geom in np.flatnonzero(model.geom_bodyid == body):
            _shape(link, model, int(geom))
    for body in range(1, model.nbody):
        _joint(root, model, body)
    return ET.tostring(root, encoding="unicode")


def frame_of(model: mujoco.MjModel, body: int) -> str:
    """The name of a body's frame."""
    return model.body(body).name or f"body_{body}"


def transforms(
    model: mujoco.MjModel, data: mujoco.MjData
) -> list[tuple[str, str, NDArray[np.float64], NDArray[np.float64]]]:
    """Parent frame, frame, translation (3,) [m], rotation (x, y, z, w) of each body."""
    found: list[Any] = []
    for body in range(1, model.nbody):
        parent = int(model.body_parentid[body])
        back = np.empty(4)
        mujoco.mju_negQuat(back, data.xquat[parent])
        place, turn = np.empty(3), np.empty(4)
        mujoco.mju_rotVecQuat(place, data.xpos[body] - data.xpos[parent], back)
        mujoco.mju_mulQuat(turn, back, data.xquat[body])
        found.append((frame_of(model, parent), frame_of(model, body), place, turn[[1, 2, 3, 0]]))
    return found


def _joint(root: ET.Element, model: mujoco.MjModel, body: int) -> None:
    first = int(model.body_jntadr[body])
    kinds = {int(_J.mjJNT_HINGE): "revolute", int(_J.mjJNT_SLIDE): "prismatic"}
    kind = kinds.get(int(model.jnt_type[first]), "floating") if first >= 0 else "fixed"
    limited = first >= 0 and bool(model.jnt_limited[first])
    if kind == "revolute" and not limited:
        kind = "continuous"
    name = model.joint(first).name if first >= 0 else ""
    joint = ET.SubElement(root, "joint", name=name or f"joint_{body}", type=kind)
    ET.SubElement(joint, "parent", link=frame_of(model, int(model.body_parentid[body])))
    ET.SubElement(joint, "child", link=frame_of(model, body))
    _origin(joint, model.body_pos[body], model.body_quat[body])
    if kind in ("revolute", "prismatic", "continuous"):
        ET.SubElement(joint, "axis", xyz=_text(model.jnt_axis[first]))
    if kind in ("revolute", "prismatic"):
        low, high = model.jnt_range[first] if limited else (-10.0, 10.0)
        ET.SubElement(
            joint, "limit", lower=f"{low:g}", upper=f"{high:g}", effort="1000", velocity="100"
        )


def _inertial(link: ET.Element, model: mujoco.MjModel, body: int) -> None:
    inertial = ET.SubElement(link, "inertial")
    _origin(inertial, model.body_ipos[body], model.body_iquat[body])
    ET.SubElement(inertial, "mass", value=f"{model.body_mass[body]:.9g}")
    x, y, z = (f"{value:.9g}" for value in model.body_inertia[body])
    ET.SubElement(inertial, "inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")


def _shape(link: ET.Element, model: mujoco.MjModel, geom: int) -> None:
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    shapes = {
        int(_G.mjGEOM_BOX): ("box", {"size": _text(2.0 * size)}),
        int(_G.mjGEOM_SPHERE): ("sphere", {"radius": f"{size[0]:g}"}),
        int(_G.mjGEOM_CYLINDER): (
            "cylinder",
            {"radius": f"{size[0]:g}", "length": f"{2 * size[1]:g}"},
        ),
        int(_G.mjGEOM_CAPSULE): (
            "cylinder",
            {"radius": f"{size[0]:g}", "length": f"{2 * (size[1] + size[0]):g}"},
        ),
    }
    if kind not in shapes:
        return
    visual = ET.SubElement(link, "visual")
    _origin(visual, model.geom_pos[geom], model.geom_quat[geom])
    name, values = shapes[kind]
    ET.SubElement(ET.SubElement(visual, "geometry"), name, values)
    material = ET.SubElement(visual, "material", name=f"colour_{geom}")
    ET.SubElement(material, "color", rgba=_text(model.geom_rgba[geom]))


def _origin(parent: ET.Element, place: NDArray[Any], turn: NDArray[Any]) -> None:
    w, x, y, z = turn
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    ET.SubElement(parent, "origin", xyz=_text(place), rpy=_text([roll, pitch, yaw]))


def _text(values: Any) -> str:
    return " ".join(f"{float(x):.9g}" for x in values)
