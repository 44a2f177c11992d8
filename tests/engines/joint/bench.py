"""Devices made of chosen laws and numbers, and logs made of chosen commands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator, Number, assemble, fields_of
from pliant.catalogue import load_law, load_topology, ports
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.io.log import Log

G = 9.81
K_T, R, U = 0.5, 2.0, 12.0
"""[N m/A], [Ohm], [V] of the motor of every device here."""
ARMATURE = 0.003
"""[kg m^2]"""

SERVO = {
    "timing": "command_delay",
    "sensing": "ideal",
    "driver": "ideal_supply",
    "motor": "dc_voltage",
    "friction": "m1",
}
SERVO_NUMBERS = {
    "own.armature": ARMATURE,
    "own.voltage": U,
    "timing.delay": 0.0,
    "motor.k_t": K_T,
    "motor.R": R,
    "friction.K_c": 0.0,
    "friction.K_v": 0.0,
}
POSITION = {
    "control.gain": 1.0,
    "control.kp": 0.0,
    "control.derivative_gain": 0.0,
    "control.dead_band": 0.0,
    "control.speed_limit": 1e9,
    "control.limit": 1.0,
}
"""Proportional law: duty = kp (goal - q) within +-1, kp from the log."""


def made(topology: str, laws: Mapping[str, str], numbers: Mapping[str, float]) -> Actuator:
    """An actuator of these laws and numbers."""
    wiring = load_topology(topology)
    chosen = {
        port: load_law(family, laws.get(port, "none")) for port, family in ports(wiring).items()
    }
    units = {name: field.unit for name, field in fields_of(wiring, chosen).items()}
    return assemble(
        Actuator(
            name="made",
            title="Made for a test",
            device="made",
            topology=wiring,
            laws=chosen,
            numbers={n: Number(x, units[n], "test", "assumed") for n, x in numbers.items()},
            sources={"test": "chosen in a test"},
        )
    )


def position_servo(**friction: float) -> Actuator:
    """A DC motor under a proportional law, without friction unless `K_c`, `K_v` are given."""
    own = {f"friction.{name}": value for name, value in friction.items()}
    laws = SERVO | {"control": "firmware_position"}
    return made("rigid_servo", laws, SERVO_NUMBERS | POSITION | own)


def bare_motor(**friction: float) -> Actuator:
    """A DC motor whose goal is its duty."""
    own = {f"friction.{name}": value for name, value in friction.items()}
    laws = SERVO | {"control": "direct_duty"}
    return made("rigid_servo", laws, SERVO_NUMBERS | {"control.limit": 1.0} | own)


def recorded(
    time: NDArray[np.float64], goal: Any, *, begin: float = 0.0, enabled: Any = True, **said: Any
) -> Log:
    """A log in which these commands were given from rest at `begin`; its motion is not of use."""
    n = len(time)
    constants: dict[str, Any] = {
        "name": "log",
        "path": Path("log.json"),
        "digest": "0" * 64,
        "device": "made",
        "trajectory": "made",
        "mass": 0.5,
        "length": 0.1,
        "arm_mass": None,
        "gain": 2.0,
        "supply": U,
        "velocity": None,
        "voltage": None,
    }
    return Log(
        time=time,
        position=np.full(n, begin),
        goal=np.broadcast_to(goal, n).astype(np.float64),
        enabled=np.broadcast_to(enabled, n).astype(bool),
        **(constants | said),
    )


def grid(end: float, step: float) -> NDArray[np.float64]:
    """Sample times 0, step, … end."""
    return np.linspace(0.0, end, round(end / step) + 1)


def run(
    actuator: Actuator,
    log: Log,
    *,
    plant: str = "pendulum",
    changes: Mapping[str, float] | None = None,
    **settings: Any,
) -> NDArray[np.float64]:
    """(N,) [rad] where the joint engine has the joint at the samples of a log."""
    engine = JointEngine(actuator, plant=plant, settings=JointSettings(**settings))
    return engine.rollout(log, engine.values(changes)).position
