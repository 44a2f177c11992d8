"""Plain numbers in MJCF: `<position>`, and its joint's armature, damping and frictionloss; other text is unchanged."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.sticking import SOLIMP
from pliant.errors import PliantError, located
from pliant.files import read_text
from pliant.io.model_xml import read_xml
from pliant.plain.sheet import Sheet, digits
from pliant.robots.plain_servo import PlainServo

_OPENING = re.compile(rb"""<[^\s/>]+(?:\s+[^\s=]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(/?)>""")


@dataclass(frozen=True)
class Element:
    """An element of the text: `text[begin:end]` is its opening tag, `text[begin:close]` all of it.

    Attributes:
        path: names of the enclosing elements and its own. parent: begin of the enclosing one; -1: none.
    """

    path: tuple[str, ...]
    attributes: Mapping[str, str]
    begin: int
    end: int
    close: int
    parent: int


class XmlText:
    """A file's text with its elements in order, and pending changes."""

    def __init__(self, path: Path) -> None:
        """Read a file."""
        read_xml(path)  # refuses unsafe files
        with located(path):
            self._bytes = read_text(path).encode("utf-8")
            self.elements = _elements(self._bytes)
        self._changes: list[tuple[int, int, bytes]] = []

    def at(self, tag: str, within: str, **attributes: str) -> list[Element]:
        """Elements with this name and these attributes inside another."""
        return [
            one
            for one in self.elements
            if one.path[-1] == tag
            and within in one.path[:-1]
            and attributes.items() <= one.attributes.items()
        ]

    def children(self, element: Element, tag: str) -> list[Element]:
        """The elements with this name directly inside another."""
        return [x for x in self.elements if x.parent == element.begin and x.path[-1] == tag]

    def set(self, element: Element, values: Mapping[str, str]) -> None:
        """Set attributes of an element; existing ones change in place."""
        old = self._bytes[element.begin : element.end].decode()
        new = old
        for name, value in values.items():
            written = f"{name}={quoteattr(value)}"
            known = re.compile(rf"""(?<=\s){re.escape(name)}\s*=\s*(?:"[^"]*"|'[^']*')""")
            if known.search(new):
                new = known.sub(lambda _, text=written: text, new, count=1)
            else:
                new = re.sub(r"\s*(/?>)$", lambda end, text=written: f" {text}{end[1]}", new)
        self._changes.append((element.begin, element.end, new.encode()))

    def add(self, element: Element, text: str) -> None:
        """Insert text at the start of an element, on its own line."""
        opening = self._bytes[element.begin : element.end]
        pad = self._pad(element) + "  "
        if not opening.endswith(b"/>"):
            self._changes.append((element.end, element.end, f"\n{pad}{text}".encode()))
            return
        name, outer = element.path[-1], self._pad(element)
        whole = f">\n{pad}{text}\n{outer}</{name}>".encode()
        at = element.end - (3 if opening.endswith(b" />") else 2)
        self._changes.append((at, element.end, whole))

    def replace(self, element: Element, text: str) -> None:
        """Replace an element by text; if that is empty, remove its line too."""
        begin = element.begin
        if not text:
            begin = len(self._bytes[:begin].rstrip())
        self._changes.append((begin, element.close, text.encode()))

    def above(self, text: str) -> None:
        """Insert a comment above the root."""
        begin = self.elements[0].begin
        said = text.replace("--", "- -")
        self._changes.append((begin, begin, f"<!--\n{said}\n-->\n".encode()))

    def text(self) -> str:
        """The text with the changes applied."""
        made = self._bytes
        for begin, end, new in sorted(self._changes, key=lambda one: one[0], reverse=True):
            made = made[:begin] + new + made[end:]
        return made.decode()

    def _pad(self, element: Element) -> str:
        line = self._bytes[: element.begin].rpartition(b"\n")[2].decode()
        return line[: len(line) - len(line.lstrip())]


def _elements(text: bytes) -> list[Element]:
    """The elements of a checked document, in order."""
    parser: Any = expat.ParserCreate()
    found: dict[int, Element] = {}
    opened: list[tuple[str, int]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        begin = parser.CurrentByteIndex
        tag = _OPENING.match(text, begin)
        if tag is None:
            raise PliantError("has a tag that cannot be changed", field=f"<{name}>")
        parent = opened[-1][1] if opened else -1
        path = (*(one for one, _ in opened), name)
        found[begin] = Element(path, attributes, begin, tag.end(), tag.end(), parent)
        opened.append((name, begin))

    def end(name: str) -> None:
        _, begin = opened.pop()
        one, at = found[begin], parser.CurrentByteIndex
        if not text[begin : one.end].endswith(b"/>"):
            close = text.index(b">", at) + 1
            found[begin] = Element(one.path, one.attributes, begin, one.end, close, one.parent)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(text.rstrip(b"\0 \t\r\n"), True)
    return list(found.values())


FINEST = 1e-3
"""[s] Smallest timestep at which a default class still buffers enough commands."""


def of_actuator(sheet: Sheet) -> str:
    """Text of a default class to include: `<joint class=NAME>`, `<position class=NAME>`."""
    ((joint, one),) = sheet.joints.items()
    name = quoteattr(joint or one.whole.name)
    comment = sheet.comment("  ").replace("--", "- -")
    return (
        f"<!--\n{comment}\n-->\n<mujoco>\n  <default>\n    <default class={name}>\n"
        f"      <joint {_written(_joint(one.numbers))}/>\n"
        f"      <position {_written(_position(one.numbers, FINEST))}/>\n"
        "    </default>\n  </default>\n</mujoco>\n"
    )


def of_robot(sheet: Sheet, model: Path) -> str:
    """Text of `model` with these joints' numbers and position servos instead of their actuators.

    Raises:
        PliantError: a joint is not in this file itself, or MuJoCo reads back other numbers.
    """
    text = XmlText(model)
    step = _step(model)
    section = next((x for x in text.elements if x.path == ("mujoco", "actuator")), None)
    new: list[str] = []
    for joint, one in sheet.joints.items():
        text.set(joint_of(text, joint, model, "worldbody"), _joint(one.numbers))
        own = [x for x in text.elements if _drives(x, joint)]
        name = own[0].attributes.get("name", joint) if own else joint
        values = {"name": name, "joint": joint, **_position(one.numbers, step)}
        written = f"<position {_written(values)}/>"
        for former in own:
            text.replace(former, written if former is own[0] else "")
        if not own:
            new.append(written)
    if new and section is not None:
        text.add(section, "\n    ".join(new))
    elif new:
        text.add(text.elements[0], "<actuator>\n    " + "\n    ".join(new) + "\n  </actuator>")
    text.above(sheet.comment("  "))
    return text.text()


def joint_of(text: XmlText, joint: str, path: Path, within: str) -> Element:
    """The joint's element."""
    found = text.at("joint", within, name=joint)
    if not found:
        names = [x.attributes.get("name", "") for x in text.at("joint", within)]
        raise PliantError(
            "no such joint in this file", file=path, field="joint", found=joint, accepted=names
        )
    return found[0]


def _drives(element: Element, joint: str) -> bool:
    return element.path[:2] == ("mujoco", "actuator") and element.attributes.get("joint") == joint


def _step(model: Path) -> float:
    with located(model), unlogged():
        spec, _ = load_model(model)
        return float(spec.option.timestep)


def _joint(numbers: PlainServo) -> dict[str, str]:
    return {
        "armature": digits(numbers.armature),
        "damping": digits(numbers.damping),
        "frictionloss": digits(numbers.friction),
        # With its defaults, MuJoCo's dry friction creeps by some milliradians per second.
        "solimpfriction": f"{SOLIMP[0]} {SOLIMP[1]}",
    }


def _position(numbers: PlainServo, step: float) -> dict[str, str]:
    force = digits(numbers.force)
    values = {"kp": digits(numbers.kp), "kv": "0", "forcerange": f"-{force} {force}"}
    if numbers.delay > 0.5 * step:
        kept = ceil(numbers.delay / step) + 1
        values |= {"delay": digits(numbers.delay), "nsample": str(kept)}
    return values


def _written(values: dict[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
