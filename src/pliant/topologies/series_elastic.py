"""A series-elastic actuator: motor mass - spring with damping - link.

    J dom = tau_m - D om - tau_friction + k(phi) + d(dphi),   phi = q - theta
    link receives -(k(phi) + d(dphi))                         compliant_actuators: 0, 1.1, 1.2

The motor is integrated here: position first, then speed with the torques at the new position. The
engine moves the link the other way round, so both feel the spring in the same pose, equal and
opposite: the spring gains nothing from the step. The damping torque differs between the two by
h d dom, of first order in the step.

Left out: deflection limit, gearbox stiffness, friction between spring and link.
"""

from math import sqrt
from typing import Annotated, NamedTuple

from pliant.ports import (
    Compliance,
    Control,
    Driver,
    FrictionState,
    Motor,
    Parameters,
    Sensing,
    State,
    Timing,
)

timing: Timing
sensing: Sensing
control: Control
driver: Driver
motor: Motor
friction: FrictionState
spring: Compliance


class P(NamedTuple):
    J: Annotated[float, "kg m^2", (1e-6, 1e3)]
    D: Annotated[float, "N m s/rad", (0.0, 1e3)]
    voltage: Annotated[float, "V", (0.1, 1e3)]


class S(NamedTuple):
    theta: Annotated[float, "rad"]
    omega: Annotated[float, "rad/s"]


HAS_BUDGET = False
"""Its friction acts on the motor; the joint keeps whatever friction the model gives it."""


def armature(p: Parameters) -> float:
    return 0.0


def voltage(p: Parameters) -> float:
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    return State(
        own=S(q, 0.0), control=control.start(q, p.control), friction=friction.start(p.friction)
    )


def transmitted(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of spring and damping on the motor; the link receives its opposite."""
    return spring.torque(q - s.own.theta, p.spring) + spring.damping(v - s.own.omega, p.spring)


def step(
    s: State, goal: float, q: float, v: float, supply: float, on: float, p: Parameters, h: float
) -> State:
    omega = s.own.omega
    theta = s.own.theta + h * omega
    slip = friction.step(s.friction, h * omega, p.friction)
    moved = State(own=S(theta, omega), control=s.control, friction=slip)
    x = sensing.measured(theta, p.sensing)
    firmware = control.step(s.control, goal, x, omega, p.control, h)
    command = control.command(firmware, goal, x, omega, p.control)
    bus = driver.bus(
        command, supply, motor.back_emf(omega, p.motor), motor.resistance(p.motor), p.driver
    )
    tau_m = motor.torque(command, on, omega, bus, p.motor)
    drag = p.own.D * omega + friction.torque(slip, p.friction)
    omega = omega + h * (tau_m - drag + transmitted(moved, q, v, p)) / p.own.J
    return State(own=S(theta, omega), control=firmware, friction=slip)


def torque(
    s: State, goal: float, q: float, v: float, supply: float, on: float, p: Parameters
) -> float:
    return -transmitted(s, q, v, p)


def budget(v: float, tau_m: float, tau_e: float, p: Parameters) -> float:
    return 0.0


def fastest(p: Parameters) -> float:
    """Of motor against spring and stuck friction, with the link held [rad/s]."""
    stiff = spring.stiffness(0.0, p.spring) + friction.stiffness(p.friction)
    drag = p.own.D + spring.damping(1.0, p.spring)
    return max(sqrt(stiff / p.own.J), drag / p.own.J)
