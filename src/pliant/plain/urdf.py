"""Plain numbers in a URDF: `<dynamics damping friction>` and `<limit effort velocity>` of its joints."""

from math import isfinite
from pathlib import Path
from xml.sax.saxutils import quoteattr

from pliant.plain.mjcf import XmlText, joint_of
from pliant.plain.sheet import Sheet, digits
from pliant.robots.plain_servo import PlainServo


def of_actuator(sheet: Sheet) -> str:
    """Text of a robot of one joint: what to copy into one's own, and a file that can be opened."""
    ((joint, one),) = sheet.joints.items()
    comment = _comment(sheet)
    written = "".join(
        f"    {line}\n" for line in _children(one.numbers, {"lower": "-3.2", "upper": "3.2"})
    )
    inertial = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    return (
        f'<?xml version="1.0"?>\n<!--\n{comment}\n-->\n<robot name={quoteattr(one.whole.name)}>\n'
        f'  <link name="base">{inertial}</link>\n  <link name="link">{inertial}</link>\n'
        f'  <joint name={quoteattr(joint or "joint")} type="revolute">\n    <parent link="base"/><child link="link"/>'
        f'<axis xyz="0 1 0"/>\n{written}  </joint>\n</robot>\n'
    )


def of_robot(sheet: Sheet, model: Path) -> str:
    """Text of `model` with these joints' numbers.

    Raises:
        PliantError: a joint is not in the file.
    """
    text = XmlText(model)
    for joint, one in sheet.joints.items():
        element = joint_of(text, joint, model, "robot")
        for tag, values in _tags(one.numbers).items():
            known = text.children(element, tag)
            if known:
                text.set(known[0], values)
            else:
                text.add(element, _tag(tag, values))
    text.above(_comment(sheet))
    return text.text()


def _comment(sheet: Sheet) -> str:
    """Comment of the file; in it, too, what a URDF has no place for."""
    gains = [
        f"  {joint or one.whole.name}: kp {digits(one.numbers.kp)} N m/rad, which the program that commands it has to set"
        for joint, one in sheet.joints.items()
    ]
    return "\n".join([sheet.comment("  "), *gains]).replace("--", "- -")


def _tags(numbers: PlainServo) -> dict[str, dict[str, str]]:
    limit = {"effort": digits(numbers.force)}
    if isfinite(numbers.speed):
        limit["velocity"] = digits(numbers.speed)
    return {
        "dynamics": {"damping": digits(numbers.damping), "friction": digits(numbers.friction)},
        "limit": limit,
    }


def _children(numbers: PlainServo, ends: dict[str, str]) -> list[str]:
    tags = _tags(numbers)
    tags["limit"] = {"velocity": digits(numbers.speed), **tags["limit"], **ends}
    return [_tag(tag, values) for tag, values in tags.items()]


def _tag(tag: str, values: dict[str, str]) -> str:
    return f"<{tag} " + " ".join(f"{n}={quoteattr(x)}" for n, x in values.items()) + "/>"
