"""Control tables: where each register of a servo is, and what one count of it means.

Sources: ROBOTIS e-Manual, control tables of the X series (Protocol 2.0): XL330 and XC330 count current by 1 mA, XM430
and XM540 by 2.69 mA, XL430 and XC430 have a load in its place, which is the duty and is not recorded; MX-64 and
MX-106 with the firmware of Protocol 2.0 have the same table and count current by 3.36 mA;
Feetech, memory table of the STS3215 (SMS/STS communication protocol).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi
from typing import Literal

from pliant.assemble import Actuator
from pliant.errors import check_known

TURN = 4096
"""Counts of a turn."""
MIDDLE = 2048
"""[counts] The zero of angles: the middle of a turn."""
COUNT = 2.0 * pi / TURN
_RPM = pi / 30.0

Sign = Literal["no", "two", 10, 11, 15]
"""Unsigned, two's complement, or the number of the bit that is the sign."""


@dataclass(frozen=True)
class Register:
    """One register.

    Attributes:
        address, size: [bytes]. sign: of its number. scale: size of one count in `unit`.
        kept: in memory without power: it is read back once, and written with torque off.
    """

    address: int
    size: int
    sign: Sign = "no"
    scale: float = 1.0
    unit: str = "1"
    kept: bool = False

    def decoded(self, raw: int) -> int:
        """The count that bytes stand for."""
        if self.sign == "two":
            return raw - (1 << 8 * self.size) if raw >> (8 * self.size - 1) else raw
        if isinstance(self.sign, int):
            bit = 1 << self.sign
            return -(raw & ~bit) if raw & bit else raw
        return raw

    def encoded(self, count: int) -> int:
        """The bytes of a count, as a number."""
        if self.sign == "two":
            return count % (1 << 8 * self.size)
        if isinstance(self.sign, int) and count < 0:
            return -count | 1 << self.sign
        return count


@dataclass(frozen=True)
class Model:
    """A kind of servo.

    Attributes:
        name: as a user writes it. family: protocol. numbers: model numbers that it answers with.
        registers: by name. channels: what it can tell, to the register.
        gains: registers of the position controller, P first. current: [A] at which a recording stops, unless
            told otherwise: twice that of the stalled servo, for a reversal draws more than a stall.
    """

    name: str
    family: Literal["dynamixel", "feetech"]
    numbers: tuple[int, ...]
    registers: Mapping[str, Register]
    channels: Mapping[str, str]
    gains: tuple[str, ...]
    current: float

    def register(self, name: str) -> Register:
        """A register by its name.

        Raises:
            PliantError: there is none of this name.
        """
        check_known(name, self.registers, f"no such register of {self.name}")
        return self.registers[name]


_X: Mapping[str, Register] = {
    "model_number": Register(0, 2, kept=True),
    "firmware_version": Register(6, 1, kept=True),
    "id": Register(7, 1, kept=True),
    "baud_rate": Register(8, 1, kept=True),
    "return_delay_time": Register(9, 1, scale=2e-6, unit="s", kept=True),
    "drive_mode": Register(10, 1, kept=True),
    "operating_mode": Register(11, 1, kept=True),
    "homing_offset": Register(20, 4, "two", COUNT, "rad", kept=True),
    "temperature_limit": Register(31, 1, unit="degC", kept=True),
    "max_voltage_limit": Register(32, 2, scale=0.1, unit="V", kept=True),
    "min_voltage_limit": Register(34, 2, scale=0.1, unit="V", kept=True),
    "pwm_limit": Register(36, 2, scale=1 / 885, kept=True),
    "current_limit": Register(38, 2, scale=1e-3, unit="A", kept=True),
    "velocity_limit": Register(44, 4, scale=0.229 * _RPM, unit="rad/s", kept=True),
    "max_position_limit": Register(48, 4, scale=COUNT, unit="rad", kept=True),
    "min_position_limit": Register(52, 4, scale=COUNT, unit="rad", kept=True),
    "shutdown": Register(63, 1, kept=True),
    "torque_enable": Register(64, 1),
    "status_return_level": Register(68, 1),
    "hardware_error_status": Register(70, 1),
    "position_d_gain": Register(80, 2),
    "position_i_gain": Register(82, 2),
    "position_p_gain": Register(84, 2),
    "feedforward_2nd_gain": Register(88, 2),
    "feedforward_1st_gain": Register(90, 2),
    "bus_watchdog": Register(98, 1, "two", 0.02, "s"),
    "goal_pwm": Register(100, 2, "two", 1 / 885),
    "goal_current": Register(102, 2, "two", 1e-3, "A"),
    "profile_acceleration": Register(108, 4, scale=214.577 * _RPM / 60.0, unit="rad/s^2"),
    "profile_velocity": Register(112, 4, scale=0.229 * _RPM, unit="rad/s"),
    "goal_position": Register(116, 4, "two", COUNT, "rad"),
    "realtime_tick": Register(120, 2, scale=1e-3, unit="s"),
    "present_pwm": Register(124, 2, "two", 1 / 885),
    "present_current": Register(126, 2, "two", 1e-3, "A"),
    "present_velocity": Register(128, 4, "two", 0.229 * _RPM, "rad/s"),
    "present_position": Register(132, 4, "two", COUNT, "rad"),
    "present_input_voltage": Register(144, 2, scale=0.1, unit="V"),
    "present_temperature": Register(146, 1, unit="degC"),
}
_X_MILLIAMPERES = ("current_limit", "goal_current", "present_current")


def _x_in(ampere: float) -> Mapping[str, Register]:
    """The table of a Dynamixel X whose current has counts of another size [A]."""
    currents = {name: replace(_X[name], scale=ampere) for name in _X_MILLIAMPERES}
    return {**_X, **currents}


_X_LOAD: Mapping[str, Register] = {
    **{name: one for name, one in _X.items() if name not in _X_MILLIAMPERES},
    "present_load": Register(126, 2, "two", 1e-3),
}
"""The registers of a Dynamixel X that measures a load instead of a current."""
_STS: Mapping[str, Register] = {
    "firmware_major": Register(0, 1, kept=True),
    "firmware_minor": Register(1, 1, kept=True),
    "model_number": Register(3, 2, kept=True),
    "id": Register(5, 1, kept=True),
    "baud_rate": Register(6, 1, kept=True),
    "return_delay_time": Register(7, 1, scale=2e-6, unit="s", kept=True),
    "min_position_limit": Register(9, 2, scale=COUNT, unit="rad", kept=True),
    "max_position_limit": Register(11, 2, scale=COUNT, unit="rad", kept=True),
    "max_temperature_limit": Register(13, 1, unit="degC", kept=True),
    "max_voltage_limit": Register(14, 1, scale=0.1, unit="V", kept=True),
    "min_voltage_limit": Register(15, 1, scale=0.1, unit="V", kept=True),
    "max_torque_limit": Register(16, 2, scale=1e-3, kept=True),
    "position_p_gain": Register(21, 1, kept=True),
    "position_d_gain": Register(22, 1, kept=True),
    "position_i_gain": Register(23, 1, kept=True),
    "minimum_startup_force": Register(24, 2, scale=1e-3, kept=True),
    "clockwise_insensitive": Register(26, 1, kept=True),
    "counterclockwise_insensitive": Register(27, 1, kept=True),
    "protection_current": Register(28, 2, scale=6.5e-3, unit="A", kept=True),
    "homing_offset": Register(31, 2, 11, COUNT, "rad", kept=True),
    "operating_mode": Register(33, 1, kept=True),
    "torque_enable": Register(40, 1),
    "acceleration": Register(41, 1, scale=100.0 * COUNT, unit="rad/s^2"),
    "goal_position": Register(42, 2, 15, COUNT, "rad"),
    "goal_time": Register(44, 2),
    "goal_velocity": Register(46, 2, 15, COUNT, "rad/s"),
    "torque_limit": Register(48, 2, scale=1e-3),
    "lock": Register(55, 1),
    "present_position": Register(56, 2, 15, COUNT, "rad"),
    "present_velocity": Register(58, 2, 15, COUNT, "rad/s"),
    "present_load": Register(60, 2, 10, 1e-3),
    "present_voltage": Register(62, 1, scale=0.1, unit="V"),
    "present_temperature": Register(63, 1, unit="degC"),
    "status": Register(65, 1),
    "present_current": Register(69, 2, 15, 6.5e-3, "A"),
}
_X_CHANNELS = {
    "position": "present_position",
    "velocity": "present_velocity",
    "duty": "present_pwm",
    "current": "present_current",
    "voltage": "present_input_voltage",
    "temperature": "present_temperature",
}
_X_LOAD_CHANNELS = {name: one for name, one in _X_CHANNELS.items() if name != "current"}
_STS_CHANNELS = _X_CHANNELS | {"duty": "present_load", "voltage": "present_voltage"}
_X_GAINS = ("position_p_gain", "position_i_gain", "position_d_gain")

MODELS: Mapping[str, Model] = {
    model.name: model
    for model in (
        Model("xl330", "dynamixel", (1190, 1200), _X, _X_CHANNELS, _X_GAINS, 3.0),
        Model("xc330", "dynamixel", (1210, 1220, 1230, 1240), _X, _X_CHANNELS, _X_GAINS, 3.6),
        Model("xl430", "dynamixel", (1060,), _X_LOAD, _X_LOAD_CHANNELS, _X_GAINS, 2.8),
        Model("xc430", "dynamixel", (1070, 1080), _X_LOAD, _X_LOAD_CHANNELS, _X_GAINS, 2.8),
        Model("xm430", "dynamixel", (1020, 1030), _x_in(2.69e-3), _X_CHANNELS, _X_GAINS, 4.6),
        Model("xm540", "dynamixel", (1120, 1130), _x_in(2.69e-3), _X_CHANNELS, _X_GAINS, 8.8),
        Model("mx64", "dynamixel", (311,), _x_in(3.36e-3), _X_CHANNELS, _X_GAINS, 8.2),
        Model("mx106", "dynamixel", (321,), _x_in(3.36e-3), _X_CHANNELS, _X_GAINS, 10.4),
        Model("sts3215", "feetech", (777,), _STS, _STS_CHANNELS, _X_GAINS, 5.4),
    )
}
"""Kinds of servos by name."""


def model_of(name: str) -> Model:
    """A kind of servo by its name."""
    check_known(name, MODELS, "unknown kind of servo")
    return MODELS[name]


def kind_of(device: str) -> str | None:
    """The kind of servo that a device of the catalogue is (`feetech_sts3215_7_4V`); None if its table is not known."""
    return next((part for part in device.split("_") if part in MODELS), None)


HELD = {
    "kp": ("position_p_gain", "position_p_gain"),
    "derivative_gain": ("position_d_gain", "position_d_gain"),
    "acceleration_limit": ("profile_acceleration", "acceleration"),
    "speed_limit": ("profile_velocity", "goal_velocity"),
    "limit": ("pwm_limit", "torque_limit"),
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
        return name.replace("_", " ").title().replace("Pwm", "PWM")
    return FEETECH.get(name, name.title())


def register_value(actuator: Actuator, parameter: str, value: float) -> str:
    """Text of what to write for a value of the actuator's law: a count, a factor of what is there, or with its unit.

    How a D-gain counts is not published, nor what duty a full limit is: they are told as factors of what the servo had when
    it was identified.
    """
    field, found = actuator.fields[parameter], _register(actuator, parameter)
    if parameter.endswith(".derivative_gain") or (
        parameter.endswith(".limit") and field.unit == "1"
    ):
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
    if actuator.fields[parameter].unit == "A" and "goal_current" in model.registers:
        name = "goal_current"
    return model.family, name, model.registers[name]
