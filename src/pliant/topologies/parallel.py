"""A spring, a clutch or a damper between frame and joint, in addition to the joint's own actuator. No motor.

    frame - set point - clutch - spring - joint,   brake on the joint

    phi = q - place,  place = goal + slip;  the joint receives -(k(phi) + d(v) + z + d_b v)

The first command is the set point of the spring, the second that of the clutch, 0 to 1. If the
spring's torque exceeds what the clutch holds, its frame end slips until it does not: with the
clutch released, the spring moves with the joint, unloaded. A stiff spring behind a clutch is a lock or a brake; no
spring and a `dynamic_brake` are a variable damper; no clutch is a parallel spring with a set point.

Left out: what moves the set point (it follows its command at once), mass of the spring's frame end.
"""

from math import copysign
from typing import Annotated, NamedTuple

from pliant.ports import Clutch, LimitedSpring, Parameters, State, Timing

timing: Timing
clutch: Clutch
elastic: LimitedSpring


class P(NamedTuple):
    voltage: Annotated[float, "V", (0.1, 1e3)]  # nominal supply


class S(NamedTuple):
    slip: Annotated[float, "rad"]  # total slip of the clutch
    place: Annotated[float, "rad"]  # angle of the spring's frame end
    rate: Annotated[float, "rad/s"]  # of the slip


REFERENCES = 2
"""Number of commands."""
HAS_BUDGET = False
"""The clutch slips on the spring's far side; the joint keeps the friction that it has in the model."""


def voltage(p: Parameters) -> float:
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    return State(
        own=S(0.0, q, 0.0), clutch=clutch.start(p.clutch), elastic=elastic.start(0.0, p.elastic)
    )


def held_at(phi: float, tau: float, capacity: float, p: Parameters) -> float:
    """Deflection at which the clutch holds a spring with torque tau at phi, by one Newton step."""
    slope = elastic.stiffness(phi, p.elastic)
    if abs(tau) <= capacity or slope <= 0.0:
        return phi
    less = phi - (tau - copysign(capacity, tau)) / slope
    return max(less, 0.0 * phi) if phi > 0.0 else min(less, 0.0 * phi)


# Many arguments, because compilers take numbers one by one.
def step(
    s: State,
    goal: float,
    preset: float,
    q: float,
    v: float,
    supply: float,
    on: float,
    p: Parameters,
    h: float,
) -> State:
    engaged = clutch.step(s.clutch, preset * on, p.clutch, h)
    phi = q - goal - s.own.slip
    moved = elastic.moved(s.elastic, phi, p.elastic)
    tau = elastic.torque(phi, p.elastic) + elastic.held(moved, p.elastic)
    kept = held_at(phi, tau, clutch.capacity(engaged, p.clutch), p)
    return State(
        own=S(s.own.slip + phi - kept, q - kept, (phi - kept) / h),
        clutch=engaged,
        elastic=elastic.moved(s.elastic, kept, p.elastic),
    )


def passed(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of the spring and its damping that passes the clutch."""
    spring = elastic.torque(q - s.own.place, p.elastic) + elastic.held(s.elastic, p.elastic)
    most = clutch.capacity(s.clutch, p.clutch)
    return min(max(spring + elastic.damping(v - s.own.rate, p.elastic), -most), most)


def torque(
    s: State,
    goal: float,
    preset: float,
    q: float,
    v: float,
    supply: float,
    on: float,
    p: Parameters,
) -> float:
    return -(passed(s, q, v, p) + clutch.damping(s.clutch, p.clutch) * v)


def stiffest(p: Parameters) -> float:
    """Largest stiffness [N m/rad] between frame and joint."""
    return elastic.stiffest(p.elastic)


def stiffness(s: State, q: float, p: Parameters) -> float:
    """d2V/dq2 [N m/rad] of the spring while its clutch holds."""
    return elastic.stiffness(q - s.own.place, p.elastic)


def reached(s: State, q: float, p: Parameters) -> float:
    """Largest stiffness [N m/rad] possible in the next step, in which the motion may reverse."""
    return stiffness(s, q, p) + elastic.steepest(p.elastic)


def damping(p: Parameters) -> float:
    """Damping [N m s/rad] between frame and joint, at full command."""
    return elastic.damping(1.0, p.elastic) + clutch.most_damping(p.clutch)


def carried(s: State) -> float:
    """Speed [rad/s] of the spring's frame end."""
    return s.own.rate


def most(s: State, v: float, p: Parameters) -> float:
    """Largest torque [N m] that it can give at this speed."""
    return clutch.capacity(s.clutch, p.clutch) + abs(clutch.damping(s.clutch, p.clutch) * v)


def slips(s: State) -> float:
    """Whether the spring's frame end gives way to the joint."""
    return abs(s.own.rate)


def energy(s: State, q: float, p: Parameters) -> float:
    """Elastic energy [J]."""
    return elastic.energy(q - s.own.place, p.elastic) + elastic.stored(s.elastic, p.elastic)


def lost(s: State, q: float, v: float, p: Parameters) -> float:
    """Power [W] lost in the clutch, the spring's damping and hysteresis, and the brake."""
    rate = v - s.own.rate
    spring = elastic.torque(q - s.own.place, p.elastic)
    slipping = passed(s, q, v, p) * s.own.rate
    rubbing = (passed(s, q, v, p) - spring - elastic.held(s.elastic, p.elastic)) * rate
    brake = clutch.damping(s.clutch, p.clutch) * v * v
    return slipping + rubbing + elastic.rubbed(s.elastic, rate, p.elastic) + brake
