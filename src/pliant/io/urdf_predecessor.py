"""Plugins of the toolbox's predecessor in a URDF, rewritten in the toolbox's own tags.

    libadvanced_plugin.so   control_type 0, 1, 2: motor references, equilibrium and preset, torque
    libsea_plugin.so        with <stiffness>: the reference is that of the motor

Both place their motors ideally, damp the link by 0.05 N m s/rad beside the joint's own damping, and
subtract external torque.                                         compliant_actuators: 1.6, 3.2
"""

import re
import xml.etree.ElementTree as ET
from math import inf, isfinite

from pliant.errors import PliantError, located


def toolbox_number(text: str, field: str, *, unbounded: bool = False) -> float:
    """A number as the toolbox's files write it: `0.8`, `-1e-3`, `inf`, `1.21*pow(10,-6)`."""
    digits = r"[+-]?(?:\d+\.?\d*|\.\d+)"
    powers = re.fullmatch(rf"({digits})\s*\*\s*pow\(\s*10\s*,\s*([+-]?\d+)\s*\)", text)
    value = None
    if powers:
        value = float(f"{powers[1]}e{powers[2]}")
    elif re.fullmatch(rf"{digits}(?:[eE][+-]?\d+)?", text):
        value = float(text)
    elif unbounded and re.fullmatch(r"[+-]?inf", text, re.IGNORECASE):
        return -inf if text.startswith("-") else inf
    if value is None or not isfinite(value):
        raise PliantError(
            "is not a number",
            field=field,
            found=text,
            accepted="a number, such as 0.8, 1e-3 or 1.21*pow(10,-6)"
            + (", or inf" if unbounded else ""),
        )
    return value


ADVANCED, SEA = "libadvanced_plugin.so", "libsea_plugin.so"
DAMPING = 0.05
"""[N m s/rad] Of every link, in the code of both plugins."""
MODES = {"0": "2", "1": "3", "2": "0"}
"""Control type of the predecessor to operation mode of the toolbox."""
SPRINGS = {
    "spring_k1": "0.0222",
    "spring_a1": "6.7328",
    "spring_k2": "0.0222",
    "spring_a2": "6.7328",
}
"""Both springs of libadvanced_plugin.so [N m, 1/rad]; its deflection limit is the toolbox's."""


def rewrite_predecessors(root: ET.Element) -> list[str]:
    """Rewrite the predecessor's plugins of a URDF in place.

    Returns:
        Notes, one for each plugin.

    Raises:
        PliantError: a control type that it has not, or one that needs another plugin's motors.
    """
    notes: list[str] = []
    for element in root.iterfind("gazebo/plugin"):
        file = element.get("filename", "").rpartition("/")[2]
        with located(field=f"plugin {element.get('name', '')}"):
            if file == ADVANCED:
                _rewrite_advanced(element)
            elif file == SEA and element.find("stiffness") is not None:
                _rewrite_sea(element)
            else:
                continue
            joint = (element.findtext("joint") or "").strip()
            _damp(root, joint)
        notes.append(
            f"{joint}: {file} of the toolbox's predecessor: its link is damped by {DAMPING:g} N m "
            "s/rad more, and external torque is subtracted"
        )
    return notes


def _rewrite_advanced(element: ET.Element) -> None:
    kind = element.find("control_type")
    if kind is None:
        raise PliantError("tag is missing", field="control_type", accepted=MODES)
    text = (kind.text or "").strip()
    if text not in MODES:
        why = "its motors are those of other plugins" if text == "3" else "unknown control type"
        raise PliantError(why, field="control_type", found=text, accepted=MODES)
    kind.tag, kind.text = "operation_mode", MODES[text]
    element.set("filename", "libqbmove_plugin.so")
    _give(element, SPRINGS if text != "2" else {})


def _rewrite_sea(element: ET.Element) -> None:
    if element.find("operation_mode") is not None:
        raise PliantError(
            "is of the predecessor, operation_mode of the toolbox",
            field="stiffness",
            accepted="spring_k",
        )
    stiffness = element.find("stiffness")
    assert stiffness is not None
    toolbox_number((stiffness.text or "").strip(), "stiffness")
    stiffness.tag = "spring_k"
    _give(element, {"operation_mode": "2", "limit_mode": "none"})


def _give(element: ET.Element, tags: dict[str, str]) -> None:
    """Add tags, and those that the toolbox wants and its predecessor did not."""
    usual = {"pub_eltau": "true", "pub_state": "true", "sub_ext_tau": "false", "ext_tau_sign": "-1"}
    for tag, text in (tags | usual).items():
        if element.find(tag) is None:
            ET.SubElement(element, tag).text = text


def _damp(root: ET.Element, name: str) -> None:
    """Add the plugin's damping to the joint's."""
    for joint in root.findall("joint"):
        if joint.get("name") == name:
            dynamics = joint.find("dynamics")
            if dynamics is None:
                dynamics = ET.SubElement(joint, "dynamics")
            own = toolbox_number(dynamics.get("damping", "0").strip(), f"joint {name}: damping")
            dynamics.set("damping", f"{own + DAMPING:.12g}")
