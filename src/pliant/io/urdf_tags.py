"""URDF files made for the Gazebo toolbox of compliant actuators: what their plugin tags say.

    <gazebo><plugin name="vsa" filename="libqbmove_plugin.so"><joint>j1</joint>...</plugin></gazebo>

The toolbox's quirks are accepted: text between tags, a tag that it reads and never uses, numbers
as `inf` and `1.21*pow(10,-6)`, which is noted. A misspelt tag, which it ignores in silence, is
refused.

Left out: xacro files (expand them first); the parts of <gazebo> that are no actuators, which are
named in `notes`. Plugins of the toolbox's predecessor are rewritten first.
                                                                  compliant_actuators: 3.2
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pliant.errors import PliantError, check_known, located, nearest
from pliant.files import as_path
from pliant.io.model_xml import check_numbers
from pliant.io.urdf_predecessor import ADVANCED, rewrite_predecessors, toolbox_number
from pliant.io.urdf_xml import parsed

_MOTOR = ("J", "D", "tauMax", "maxVel", "minPos", "maxPos", "tauFric")
EXTENSIONS = ("t_sample", "substeps", "ext_tau_sign")
"""Not of the released code."""


@dataclass(frozen=True)
class DeviceElement:
    """One plugin: what its spring is called, and its motors."""

    name: str
    springs: tuple[str, ...]
    motors: tuple[str, ...]
    """Suffixes of the motors: the part of a tag between "mot" and the number's name."""

    def numbers(self) -> list[str]:
        """Every tag that holds a number."""
        own = [f"mot{m}_{name}" for m in self.motors for name in _MOTOR]
        own += [f"ctrl{m}_{name}" for m in self.motors for name in "PID"]
        return [*self.springs, *own, *EXTENSIONS]


DEVICES = {
    "libsea_plugin.so": DeviceElement("sea", ("spring_k", "max_def"), ("",)),
    "libqbmove_plugin.so": DeviceElement(
        "qbmove", ("spring_a1", "spring_k1", "spring_a2", "spring_k2", "max_def"), ("_1", "_2")
    ),
    "libbavs_plugin.so": DeviceElement(
        "bavs", ("spring_a", "spring_b", "spring_k", "spring_k_e", "max_def"), ("_1", "_2")
    ),
    "libawas_ii_plugin.so": DeviceElement(
        "awas_ii", ("spring_Ks", "spring_l_0", "spring_L", "spring_r_t", "max_def"), ("",)
    ),
}
"""File name of each plugin, and its tags."""
OTHERS = {
    "libtemplate_plugin.so": "is the toolbox's template, whose spring is code of its user",
}
"""Plugins of the same family that are not read, and why."""


_REQUIRED = ("joint", "operation_mode", "pub_eltau", "pub_state", "sub_ext_tau")
_WORDS = {
    "namespace": None,
    "limit_mode": ("saturate", "hardstop", "none"),
    "friction_model": ("elastoplastic", "dahl", "hayward", "none"),
    "enforce_max_vel": ("true", "false", "1", "0"),
}
_UNBOUNDED = ("minPos", "maxPos", "maxVel")
"""Numbers of a motor that may be infinite."""


@dataclass(frozen=True)
class PluginTags:
    """One plugin element.

    Attributes:
        device: "sea", "qbmove", "bavs" or "awas_ii". joint: on which. mode: 0 to 6.
        publishes_elastic_torque, publishes_state, takes_external_torque: as the tags say.
        numbers: tag to value, of the tags that are there. words: likewise, of those that are text.
    """

    name: str
    device: str
    joint: str
    mode: int
    publishes_elastic_torque: bool
    publishes_state: bool
    takes_external_torque: bool
    numbers: Mapping[str, float]
    words: Mapping[str, str]

    def flag(self, tag: str) -> bool:
        """Whether a tag of true and false is there and true."""
        return self.words.get(tag) in ("true", "1")

    @property
    def field(self) -> str:
        """Name of the field in errors."""
        return f"plugin {self.name}"


@dataclass(frozen=True)
class JointTags:
    """Limits of a joint: effort [N m] or infinity, damping [N m s/rad], friction [N m]."""

    effort: float
    damping: float
    friction: float


@dataclass(frozen=True)
class UrdfFile:
    """A URDF taken apart: `root` is its tree; `timestep` [s] is of its own <mujoco> element."""

    path: Path
    root: ET.Element
    joints: Mapping[str, JointTags]
    plugins: tuple[PluginTags, ...]
    timestep: float | None
    notes: tuple[str, ...]


def read_urdf(path: str | Path) -> UrdfFile:
    """Read a URDF and the plugin tags in it.

    Raises:
        PliantError: the file is no URDF, or a tag cannot be used; the message names it and what
            would have been accepted.
    """
    path = as_path(path, "a robot model: *.urdf")
    with located(path):
        root = parsed(path)
        check_numbers(root)
        old = rewrite_predecessors(root)
        joints = {j.get("name", ""): _joint(j) for j in root.findall("joint")}
        plugins, notes = _plugins(root, joints)
        option = root.find("mujoco/option")
        step = None if option is None else option.get("timestep")
        timestep = None if step is None else toolbox_number(step, "mujoco option timestep")
    return UrdfFile(path, root, joints, tuple(plugins), timestep, (*old, *notes))


def device_plugins(root: ET.Element) -> list[str]:
    """Names of the plugins of compliant actuators in a URDF, whatever their tags say."""
    found = root.iterfind("gazebo/plugin")
    files = {element.get("name", ""): element.get("filename", "") for element in found}
    return [name for name, file in files.items() if file.rpartition("/")[2] in (*DEVICES, ADVANCED)]


def _plugins(
    root: ET.Element, joints: Mapping[str, JointTags]
) -> tuple[list[PluginTags], list[str]]:
    """Read the tags of each plugin, and note what is left out."""
    plugins: list[PluginTags] = []
    notes: list[str] = []
    driven: set[str] = set()
    for element in root.iterfind("gazebo/plugin"):
        known = _known(element)
        if known is None:
            notes.append(f"plugin {element.get('filename')} is not a compliant actuator: left out")
            continue
        with located(field=f"plugin {element.get('name', '')}"):
            plugin = _plugin(element, known, joints)
        if plugin.joint in driven:
            raise PliantError(
                "two plugins on one joint", field=plugin.field, found=plugin.joint, accepted="one"
            )
        driven.add(plugin.joint)
        plugins.append(plugin)
        notes += _reckoned(element, plugin)
    return plugins, notes


def _known(element: ET.Element) -> DeviceElement | None:
    """The device of a plugin; None for one that is no actuator of the toolbox."""
    name = element.get("filename", "").rpartition("/")[2]
    name = name if name.endswith(".so") else f"{name}.so"
    alike = [known for known in nearest(name, DEVICES) if _close(name, known)]
    if name in OTHERS or (name not in DEVICES and alike):
        raise PliantError(
            OTHERS.get(name, "unknown plugin"),
            field=f"plugin {element.get('name', '')}",
            found=name,
            accepted=DEVICES,
        )
    return DEVICES.get(name)


def _close(name: str, known: str) -> bool:
    """Whether one is the other with a letter or two wrong."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name, known).ratio() > 0.9


def _plugin(
    element: ET.Element, device: DeviceElement, joints: Mapping[str, JointTags]
) -> PluginTags:
    texts = _texts(element, [*_REQUIRED, *_WORDS, *device.numbers()])
    for tag in _REQUIRED:
        if tag not in texts:
            raise PliantError("tag is missing", field=tag)
    joint = texts["joint"]
    check_known(joint, joints, "no such joint in the URDF", field="joint")
    words = {tag: _word(texts[tag], tag) for tag in _WORDS if tag in texts}
    numbers = {
        tag: toolbox_number(texts[tag], tag, unbounded=tag.endswith(_UNBOUNDED))
        for tag in device.numbers()
        if tag in texts
    }
    return PluginTags(
        name=element.get("name", ""),
        device=device.name,
        joint=joint,
        mode=_mode(texts["operation_mode"]),
        publishes_elastic_torque=_flag(texts, "pub_eltau"),
        publishes_state=_flag(texts, "pub_state"),
        takes_external_torque=_flag(texts, "sub_ext_tau"),
        numbers=numbers,
        words=words,
    )


def _reckoned(element: ET.Element, tags: PluginTags) -> list[str]:
    """Notes on products that stand where a number belongs, and how they were read."""
    texts = {tag: (element.findtext(tag) or "").strip() for tag in tags.numbers}
    return [
        f"{tags.joint}: {tag} is not a plain number: {text} is read as {tags.numbers[tag]:g}"
        for tag, text in texts.items()
        if "pow" in text
    ]


def _texts(element: ET.Element, known: Iterable[str]) -> dict[str, str]:
    """Tag to text. What stands between the tags is a comment."""
    texts: dict[str, str] = {}
    for child in element:
        tag = str(child.tag)
        check_known(tag, known, "unknown tag")
        if tag in texts:
            raise PliantError("tag is given twice", field=tag, accepted="one")
        texts[tag] = (child.text or "").strip()
    return texts


def _mode(text: str) -> int:
    if not re.fullmatch(r"\d+", text) or int(text) > 6:
        raise PliantError(
            "unknown operation mode",
            field="operation_mode",
            found=text,
            accepted="0, 1, 2, 3, 4, 5, 6",
        )
    return int(text)


def _flag(texts: Mapping[str, str], tag: str) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    text = texts[tag]
    if text.lower() not in known:
        accepted = "true, false"
        raise PliantError("is neither true nor false", field=tag, found=text, accepted=accepted)
    return known[text.lower()]


def _word(text: str, tag: str) -> str:
    choices = _WORDS[tag]
    if choices is not None and text not in choices:
        raise PliantError("unknown choice", field=tag, found=text, accepted=choices)
    return text


def _joint(element: ET.Element) -> JointTags:
    at = f"joint {element.get('name', '')}"

    def attribute(tag: str, name: str, default: float) -> float:
        child = element.find(tag)
        text = None if child is None else child.get(name)
        return default if text is None else toolbox_number(text.strip(), f"{at}: {tag} {name}")

    return JointTags(
        attribute("limit", "effort", inf),
        attribute("dynamics", "damping", 0.0),
        attribute("dynamics", "friction", 0.0),
    )
