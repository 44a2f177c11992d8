"""Plain numbers as a USD layer in Newton's schemas: `NewtonJointAPI` and `NewtonActuator`.

The joints are overs by their names, beside their actuators: the prim that holds the joints refers to it.
Source of the attributes and their units: newton-usd-schemas 0.6, where a joint's angles are in degrees,
an actuator's in radians.
"""

import re
from math import pi

from pliant.engines.spec.sticking import SOLIMP
from pliant.plain.fit import Reduced
from pliant.plain.sheet import Sheet, digits

DEGREE = pi / 180.0
_CONTROL, _CLAMP, _DELAY = (
    "NewtonPDControlAPI",
    "NewtonMaxEffortClampingAPI",
    "NewtonActuatorDelayAPI",
)


def text_of(sheet: Sheet) -> str:
    """The layer's text."""
    parts = [
        _of_joint(prim(joint or "joint"), one, sheet.step) for joint, one in sheet.joints.items()
    ]
    return (
        '#usda 1.0\n(\n    defaultPrim = "Joints"\n)\n\n'
        f"{sheet.comment('# ')}\n"
        "# The prim that holds the joints takes them by `prepend references = @this file@`.\n\n"
        'over "Joints"\n{\n' + "\n".join(parts) + "}\n"
    )


def prim(joint: str) -> str:
    """A joint's name as a prim may be called."""
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
