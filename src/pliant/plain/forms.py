"""Plain numbers in other programs' formats: URDF, a USD layer, Python for Isaac Lab and Genesis, a table."""

import re
from math import isfinite, pi
from pathlib import Path
from xml.sax.saxutils import quoteattr

from pliant.engines.spec.sticking import SOLIMP
from pliant.plain.fit import Reduced
from pliant.plain.mjcf import XmlText, joint_of
from pliant.plain.sheet import Sheet, digits
from pliant.robots.plain_servo import PlainServo


def urdf_of_actuator(sheet: Sheet) -> str:
    """Text of a robot with one joint: a valid file, and a block to copy into one's own."""
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


def urdf_of_robot(sheet: Sheet, model: Path) -> str:
    """Text of `model` with these joints' numbers."""
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
    """Comment of the file, with the numbers that a URDF has no place for."""
    gains = [
        f"  {joint or one.whole.name}: kp {digits(one.numbers.kp)} N m/rad, to be set by the program that commands it"
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


DEGREE = pi / 180.0
_CONTROL, _CLAMP, _DELAY = (
    "NewtonPDControlAPI",
    "NewtonMaxEffortClampingAPI",
    "NewtonActuatorDelayAPI",
)


def usd(sheet: Sheet) -> str:
    """A layer of USD, as Newton and Isaac Sim read it."""
    parts = [
        _of_joint(prim(joint or "joint"), one, sheet.step) for joint, one in sheet.joints.items()
    ]
    return (
        '#usda 1.0\n(\n    defaultPrim = "Joints"\n)\n\n'
        f"{sheet.comment('# ')}\n"
        "# Add to the prim that holds the joints: `prepend references = @this file@`.\n\n"
        'over "Joints"\n{\n' + "\n".join(parts) + "}\n"
    )


def prim(joint: str) -> str:
    """A joint's name as a valid prim name."""
    name = re.sub(r"\W", "_", joint, flags=re.ASCII)
    return f"_{name}" if name[:1].isdigit() else name


def _of_joint(name: str, one: Reduced, step: float) -> str:
    numbers = one.numbers
    steps = round(numbers.delay / step)
    apis = [_CONTROL, _CLAMP, *([_DELAY] if steps else [])]
    delay = f"        int newton:delaySteps = {steps}\n" if steps else ""
    return f"""    over "{name}" (
        prepend apiSchemas = ["NewtonJointAPI"]
    )
    {{
        float newton:armature = {digits(numbers.armature)}
        float newton:damping = {digits(numbers.damping * DEGREE)}
        float newton:friction = {digits(numbers.friction)}
        uniform double[] mjc:solimpfriction = {[*SOLIMP]}
    }}

    def NewtonActuator "{name}_actuator" (
        prepend apiSchemas = [{", ".join(f'"{api}"' for api in apis)}]
    )
    {{
        rel newton:targets = </Joints/{name}>
        float newton:kp = {digits(numbers.kp)}
        float newton:kd = 0
        float newton:maxEffort = {digits(numbers.force)}
{delay}    }}
"""


def isaaclab(sheet: Sheet) -> str:
    """Configurations of actuators: each joint's `DelayedPDActuatorCfg`, with the names of Isaac Lab 3.0.

    Its own damping is clipped with the rest of the torque, so the joint's damping is given as viscous friction.
    """
    parts: list[str] = []
    for joint, one in sheet.joints.items():
        x, steps = one.numbers, round(one.numbers.delay / sheet.step)
        parts.append(
            f"    {joint or one.whole.name!r}: DelayedPDActuatorCfg(\n"
            f"        joint_names_expr=[{joint or '.*'!r}],\n"
            f"        stiffness={digits(x.kp)},\n        damping={digits(x.kv)},\n"
            f"        friction={digits(x.friction)},\n        dynamic_friction={digits(x.friction)},\n"
            f"        viscous_friction={digits(x.damping)},\n        armature={digits(x.armature)},\n"
            f"        actuator_effort_limit={digits(x.force)},\n"
            f"        actuator_velocity_limit={digits(x.speed)},\n"
            f"        min_delay={steps},\n        max_delay={steps},  # steps of {sheet.step:g} s\n    ),\n"
        )
    return (
        f"{sheet.comment('# ')}\n\nfrom isaaclab.actuators import DelayedPDActuatorCfg\n\n"
        "ACTUATORS = {\n" + "".join(parts) + "}\n"
    )


def genesis(sheet: Sheet) -> str:
    """A function that sets the numbers of a built entity's joints."""
    names = [joint or one.whole.name for joint, one in sheet.joints.items()]
    numbers = [one.numbers for one in sheet.joints.values()]
    columns = {
        "kp": [x.kp for x in numbers],
        "kv": [x.kv for x in numbers],
        "damping": [x.damping for x in numbers],
        "frictionloss": [x.friction for x in numbers],
        "armature": [x.armature for x in numbers],
    }
    force = ", ".join(digits(x.force) for x in numbers)
    lines = [
        f"    entity.set_dofs_{n}([{', '.join(map(digits, c))}], dofs)" for n, c in columns.items()
    ]
    return (
        f"{sheet.comment('# ')}\n\nJOINTS = {names!r}\n\n\n"
        "def set_numbers(entity, joints=JOINTS):\n"
        '    """Set the numbers of an entity\'s joints, after `scene.build()`; returns their dofs."""\n'
        "    dofs = [entity.get_joint(name).dofs_idx_local[0] for name in joints]\n"
        + "\n".join(lines)
        + f"\n    limits = [{force}]\n    entity.set_dofs_force_range([-x for x in limits], limits, dofs)\n"
        "    return dofs\n"
    )


def numbers(sheet: Sheet) -> str:
    """A table for each joint, for any program."""
    units = {
        "kp": "N m/rad",
        "force": "N m",
        "damping": "N m s/rad",
        "friction": "N m",
        "armature": "kg m^2",
        "delay": "s",
        "speed": "rad/s",
    }
    parts: list[str] = []
    for joint, one in sheet.joints.items():
        parts.append(f'["{_toml(joint or one.whole.name)}"]\n')
        for name, unit in units.items():
            parts.append(f"{name} = {float(digits(getattr(one.numbers, name)))!r}  # {unit}\n")
    return f"{sheet.comment('# ')}\n\n" + "".join(parts)


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
