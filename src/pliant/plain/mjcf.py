"""Plain numbers in MJCF: `<position>`, and armature, damping and frictionloss of its joint."""

from math import ceil
from pathlib import Path
from xml.sax.saxutils import quoteattr

import mujoco

from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.messages import unlogged
from pliant.errors import PliantError, located
from pliant.plain.sheet import Sheet, digits
from pliant.plain.xml_edit import Element, XmlText
from pliant.robots.plain_servo import PlainServo

HAS_DELAY = hasattr(mujoco.MjsActuator, "delay")
"""Older MuJoCo has no delays of actuators."""
FINEST = 1e-3
"""[s] Step down to which a class of defaults keeps commands for long enough."""


def of_actuator(sheet: Sheet) -> str:
    """Text of a class of defaults, to be included: `<joint class=NAME>`, `<position class=NAME>`."""
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
    """Text of `model` with these joints' numbers; position servos in the place of their actuators.

    Raises:
        PliantError: a joint is not in this file itself, or MuJoCo reads other numbers.
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
    """The joint's element.

    Raises:
        PliantError: it is not in this file.
    """
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
    }


def _position(numbers: PlainServo, step: float) -> dict[str, str]:
    force = digits(numbers.force)
    values = {"kp": digits(numbers.kp), "kv": "0", "forcerange": f"-{force} {force}"}
    if HAS_DELAY and numbers.delay > 0.5 * step:
        kept = ceil(numbers.delay / step) + 1
        values |= {"delay": digits(numbers.delay), "nsample": str(kept)}
    return values


def _written(values: dict[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
