"""One emulated servo: registers in front, an actuator of the catalogue on a pendulum behind, in real time.

What of the real ones it leaves out: profiles, homing offsets, operating modes but position, heating.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import JOINT, bench
from pliant.errors import PliantError
from pliant.record.tables import COUNT, MIDDLE, Model

FIRMWARE = "firmware_position"
"""The law of control that servos have whose registers are emulated."""
STEP = 1e-3
"""[s] Of the simulation."""
LONGEST = 1.0
"""[s] Time that is made up for after the process was stopped; the rest is lost."""
ROOM = 25
"""[degC] Temperature of a servo that has no fault."""


@dataclass(frozen=True)
class Load:
    """Pendulum that a servo turns: `mass` [kg] at `length` [m]."""

    mass: float = 0.5
    length: float = 0.1


class Joint:
    """A simulated joint with its actuator, advanced to a time on demand.

    Args:
        actuator: driven by goal angles. load: that it turns.

    Raises:
        PliantError: the actuator has no position controller in firmware.
    """

    def __init__(self, actuator: Actuator, load: Load) -> None:
        # Joints of variable stiffness have a controller for each motor.
        control = actuator.chosen_laws.get("control")
        if control is None or control.name != FIRMWARE:
            raise PliantError(
                "only servos with a position controller in firmware are emulated",
                field=actuator.name,
                found=actuator.topology.name if control is None else control.name,
                accepted=f"{FIRMWARE} (`pliant actuators --law control={FIRMWARE}`)",
            )
        self.actuator, self.load = actuator, load
        self.enabled = False
        self._model, self._data = self._built(actuator)
        self._time: float | None = None
        self._since = 0.0  # [s] from the end of the last step back to the time asked for

    def _built(self, actuator: Actuator) -> tuple[mujoco.MjModel, mujoco.MjData]:
        spec = bench(self.load)
        spec.option.timestep = STEP
        self._attachment = attach(spec, {JOINT: actuator})
        # The numbers of the laws that registers are computed by, once: a reading is asked for often.
        self._control, self._motor = self._law(actuator, "control"), self._law(actuator, "motor")
        model = spec.compile()
        return model, mujoco.MjData(model)

    @property
    def position(self) -> float:
        """Angle [rad] at the time of the last `advance`, on the line that the step took."""
        return float(self._data.qpos[0]) + self._since * float(self._data.qvel[0])

    @property
    def velocity(self) -> float:
        """Speed [rad/s]."""
        return float(self._data.qvel[0])

    @property
    def voltage(self) -> float:
        """Supply [V]."""
        return self.actuator.value("own.voltage")

    def tell(self, goal: float) -> None:
        """Give it a goal [rad]."""
        self._data.ctrl[0] = goal

    def set_gain(self, kp: float) -> None:
        """Give the controller another proportional gain, in the firmware's unit."""
        self.actuator = self.actuator.with_values({"control.kp": kp}, "register", "convention")
        before = self._data
        self._model, self._data = self._built(self.actuator)
        self._data.qpos[:], self._data.qvel[:] = before.qpos, before.qvel
        self._data.ctrl[:] = before.ctrl

    def advance(self, now: float) -> None:
        """Simulate up to a time [s]."""
        if self._time is None or now - self._time > LONGEST:
            self._time = now
        self._model.opt.disableactuator = (
            0 if self.enabled else 1 << int(self._model.actuator_group[0])
        )
        # To the end of the step that has begun: as in a firmware's cycle, what is told acts from the next on.
        steps = ceil((now - self._time) / STEP)
        if steps > 0:
            mujoco.mj_step(self._model, self._data, nstep=steps)
            self._time += steps * STEP
        self._since = now - self._time

    def duty(self) -> float:
        """Share of the supply on the motor, by the actuator's own law of control."""
        if not self.enabled:
            return 0.0
        control, p = self._control
        goal = float(self._data.ctrl[0])
        return float(control.command(control.start(goal, p), goal, self.position, self.velocity, p))

    def current(self) -> float:
        """[A] by the actuator's own law of the motor."""
        motor, p = self._motor
        return float(
            motor.current(self.duty(), float(self.enabled), self.velocity, self.voltage, p)
        )

    @staticmethod
    def _law(actuator: Actuator, port: str) -> tuple[Any, Any]:
        """Functions of a port's law, and its parameters."""
        law = actuator.laws[port]
        numbers = {one.name: actuator.value(f"{port}.{one.name}") for one in law.parameters}
        return law.module, law.module.P(**numbers)


HOT = 1 << 2
"""Over-temperature, in the error registers of both families and in Feetech's answers."""


class Servo:
    """Registers of one servo, and the joint behind them.

    Args:
        number: id. model: control table. joint: that it drives.
    """

    def __init__(self, number: int, model: Model, joint: Joint) -> None:
        self.number, self.model, self.joint = number, model, joint
        self.temperature = ROOM
        self.alert = False
        self._gain = joint.actuator.value("control.kp")
        size = max(one.address + one.size for one in model.registers.values())
        self.memory = bytearray(size + 64)
        self._readings: Mapping[str, Callable[[], float]] = {
            "position": lambda: joint.position + COUNT * MIDDLE,
            "velocity": lambda: joint.velocity,
            "duty": joint.duty,
            "current": joint.current,
            "voltage": lambda: joint.voltage,
            "temperature": lambda: self.temperature,
        }
        self._defaults()

    @property
    def error(self) -> int:
        """Error bits of its answers: Dynamixel's say that there is one, Feetech's which (bit 2: too hot)."""
        return (0x80 if self.model.family == "dynamixel" else HOT) if self.alert else 0

    def _defaults(self) -> None:
        self.memory[:] = bytes(len(self.memory))
        volts = self.joint.voltage
        values = {
            "model_number": self.model.numbers[-1],
            "id": self.number,
            "baud_rate": 3 if self.model.family == "dynamixel" else 0,
            "operating_mode": 3 if self.model.family == "dynamixel" else 0,
            "max_position_limit": 4095,
            "temperature_limit": 70,
            "max_temperature_limit": 70,
            "max_voltage_limit": round(14 * volts),
            "min_voltage_limit": round(6 * volts),
            "pwm_limit": 885,
            "current_limit": 1750,
            "max_torque_limit": 1000,
            "torque_limit": 1000,
            "status_return_level": 2,
            "position_p_gain": round(self._gain),
        }
        for name, value in values.items():
            if name in self.model.registers:
                self.put(name, value)

    def put(self, name: str, count: int) -> None:
        """Set a register, no questions asked."""
        register = self.model.registers[name]
        limit = 1 << 8 * register.size
        raw = register.encoded(count) % limit
        at = register.address
        self.memory[at : at + register.size] = raw.to_bytes(register.size, "little")

    def get(self, name: str) -> int:
        """The count in a register."""
        register = self.model.registers[name]
        at = register.address
        raw = int.from_bytes(self.memory[at : at + register.size], "little")
        return register.decoded(raw)

    def read(self, address: int, size: int, now: float) -> bytes | None:
        """The bytes there now; None where there are none."""
        if size < 1 or address + size > len(self.memory):
            return None
        self.joint.advance(now)
        self._measure(now, range(address, address + size))
        return bytes(self.memory[address : address + size])

    def write(self, address: int, data: bytes, now: float) -> int:
        """Write bytes; 0, or the number of the protocol's error."""
        if not data or address + len(data) > len(self.memory):
            return 4
        self.joint.advance(now)
        torque = bool(self.get("torque_enable"))
        for register in self.model.registers.values():
            touched = address <= register.address < address + len(data)
            if touched and register.kept and torque and self.model.family == "dynamixel":
                return 7
        before = self.get("position_p_gain")
        self.memory[address : address + len(data)] = data
        if self.get("position_p_gain") != before:
            self.joint.set_gain(float(self.get("position_p_gain")))
        goal = self.model.registers["goal_position"]
        if address <= goal.address < address + len(data):
            self.joint.tell(COUNT * (self.get("goal_position") - MIDDLE))
        enabled = bool(self.get("torque_enable")) and not self.alert
        if enabled and not self.joint.enabled and not address <= goal.address < address + len(data):
            self.joint.tell(self.joint.position)
        self.joint.enabled = enabled
        return 0

    def reset(self) -> None:
        """Lose power: torque off, memory as at first."""
        self.joint.enabled = self.alert = False
        self.temperature = ROOM
        self._defaults()
        self.joint.set_gain(self._gain)

    def _measure(self, now: float, asked: range) -> None:
        """Bring the readings up to date that stand at the addresses asked for."""
        joint = self.joint
        limit = "temperature_limit" if self.model.family == "dynamixel" else "max_temperature_limit"
        if self.temperature >= self.get(limit):
            self.alert, joint.enabled = True, False
            self.put("torque_enable", 0)
            status = "hardware_error_status" if self.model.family == "dynamixel" else "status"
            self.put(status, HOT)
        for channel, name in self.model.channels.items():
            register = self.model.registers[name]
            if register.address in asked:
                self.put(name, int(np.floor(self._readings[channel]() / register.scale + 0.5)))
        if "realtime_tick" in self.model.registers:
            self.put("realtime_tick", int(1e3 * now) % 32768)


def positions(servos: list[Servo]) -> Floats:
    """(J,) [rad] of the joints behind servos."""
    return np.array([servo.joint.position for servo in servos])
