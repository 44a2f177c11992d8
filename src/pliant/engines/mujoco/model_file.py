"""Models that name their actuators themselves, in MJCF.

    <extension><plugin plugin="pliant.xl330_bam_m6"/></extension>
    <actuator>
      <plugin name="elbow" joint="elbow" plugin="pliant.xl330_bam_m6">
        <config key="control.kp" value="800"/>
      </plugin>
    </actuator>

A key of `<config>` is a parameter, or `actuator`: the TOML file of an actuator that is not in the
catalogue, relative to the model.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.engines.mujoco import native
from pliant.engines.mujoco.attach import Attachment, complete
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator


def load_model(path: str | Path) -> tuple[mujoco.MjSpec, Attachment]:
    """Read an MJCF or URDF file and complete the Pliant actuators that it names.

    Returns:
        The spec, to be compiled, and what was set for its actuators. A file without any is read too.

    Raises:
        PliantError: the file cannot be read, has a document type, names an unknown actuator, gives
            a parameter that is none, or is refused by MuJoCo.
    """
    path = Path(path)
    files = _actuator_files(path)
    known = {name: load_actuator(file) for name, file in files.items()}
    for actuator in known.values():
        native.register(actuator)
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except (ValueError, mujoco.FatalError) as error:
        raise PliantError("MuJoCo refuses it", file=path, found=_line(error)) from None
    wanted: list[tuple[str, Actuator]] = []
    for entry in spec.actuators:
        actuator = known.get(entry.plugin.plugin_name)
        if entry.plugin.active and actuator is not None and not len(entry.userdata):
            wanted.append((entry.target, _configured(actuator, entry, path)))
    if not wanted:
        return spec, Attachment((), None)
    return spec, complete(spec, wanted)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _configured(actuator: Actuator, entry: Any, path: Path) -> Actuator:
    """`actuator` with the parameters that the element's `<config>` gives."""
    changes: dict[str, float] = {}
    for key, text in entry.plugin.config.items():
        if key == native.ACTUATOR:
            continue
        try:
            changes[key] = float(text)
        except ValueError:
            raise PliantError(
                "not a number", file=path, field=f"actuator {entry.name or entry.target}: {key}",
                found=text, accepted=f"a number in {actuator.fields[key].unit}",
            ) from None  # fmt: skip
    if not changes:
        return actuator
    return actuator.with_values(changes, f"model {path.name}", "assumed")


def _actuator_files(path: Path) -> dict[str, str | Path]:
    """Plugin name to actuator, for every Pliant plugin that the file or an included one names."""
    found: dict[str, str | Path] = {}
    for file, element in _elements(path, set()):
        name = element.get("plugin", "")
        if not name.startswith(native.PREFIX):
            continue
        for config in element.iter("config"):
            if config.get("key") == native.ACTUATOR and config.get("value"):
                found[name] = _meant(str(config.get("value")), file)
        found.setdefault(name, name.removeprefix(native.PREFIX))
    return found


def _meant(value: str, file: Path) -> str | Path:
    return value if value in actuator_files() else file.parent / value


def _elements(path: Path, seen: set[Path]) -> Iterator[tuple[Path, ET.Element]]:
    seen.add(path)
    for element in _parsed(path).iter():
        yield path, element
        if element.tag == "include":
            other = path.parent / element.get("file", "")
            if other not in seen:
                yield from _elements(other, seen)


def _parsed(path: Path) -> ET.Element:
    """The file's elements. A document type is refused: it could define entities."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise PliantError("document types and entities are not read", file=path, found="<!DOCTYPE")
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        raise PliantError("is not XML", file=path, found=str(error)) from None
