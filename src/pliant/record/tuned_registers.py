"""Registers of a servo that hold what is tuned of its firmware, by the names that its maker gives them."""

from pliant.assemble import Actuator
from pliant.record.tables import MODELS, Register, kind_of

HELD = {
    "kp": ("position_p_gain", "position_p_gain"),
    "derivative_gain": ("position_d_gain", "position_d_gain"),
    "acceleration_limit": ("profile_acceleration", "acceleration"),
    "speed_limit": ("profile_velocity", "goal_velocity"),
}
"""Parameter of a control law to its register: of a Dynamixel X, of a Feetech STS."""
FEETECH = {"position_p_gain": "P_Coefficient", "position_d_gain": "D_Coefficient"}
"""Names that LeRobot's control table gives; others are those of the table, capitalised."""


def register_name(actuator: Actuator, parameter: str) -> str:
    """Name of the register of a `control.…` parameter; that of the parameter where the table is not known."""
    found = _register(actuator, parameter)
    if found is None:
        return parameter.partition(".")[2]
    family, name, _ = found
    if family == "dynamixel":
        return name.replace("_", " ").title()
    return FEETECH.get(name, name.title())


def register_value(actuator: Actuator, parameter: str, value: float) -> str:
    """Text of what to write for a value of the actuator's law: a count, a factor of what is there, or with its unit.

    How a D-gain counts is not published: it is told as a factor of what the servo had when it was identified.
    """
    field, found = actuator.fields[parameter], _register(actuator, parameter)
    if parameter.endswith(".derivative_gain"):
        return f"x {value / actuator.value(parameter):.3g}"
    if found is not None and (field.unit == "1" or found[2].unit == field.unit):
        register = found[2]
        most = (1 << 8 * register.size) - (2 if register.size == 1 else 1)
        return str(min(max(round(value / register.scale), 1), most))
    return f"{value:.4g}" if field.unit == "1" else f"{value:.4g} {field.unit}"


def _register(actuator: Actuator, parameter: str) -> tuple[str, str, Register] | None:
    """Family, name in the table, and register."""
    kind, names = kind_of(actuator.device), HELD.get(parameter.partition(".")[2])
    if kind is None or names is None:
        return None
    model = MODELS[kind]
    name = names[model.family == "feetech"]
    return model.family, name, model.registers[name]
