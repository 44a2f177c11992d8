"""A series-elastic actuator: motor mass - spring with damping - link.

    J dom = tau_m - D om - tau_friction + k(phi) + d(dphi) + z,   phi = q - theta
    link receives -(k(phi) + d(dphi) + z)                     compliant_actuators: 0, 1.1, 1.2

z is the spring's hysteresis, which an actuator file may leave out.

The motor is integrated here: position first, then speed with the torques at the new position. The
engine moves the link in the opposite order, so both feel the spring in the same pose, equal and
opposite: the spring gains no energy from the step. The damping torque differs between the two by
h d dom, of first order in the step.

Left out: gearbox stiffness, friction between spring and link.
"""

from typing import Annotated, NamedTuple

from pliant.ports import LimitedSpring, MotorSide, Parameters, State, Timing

timing: Timing
side: MotorSide
elastic: LimitedSpring


class P(NamedTuple):
    voltage: Annotated[float, "V", (0.1, 1e3)]  # nominal supply


REFERENCES = 1
"""Number of commands."""
HAS_BUDGET = False
"""Its friction acts on the motor; the joint keeps the friction that it has in the model."""


def voltage(p: Parameters) -> float:
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    rested = side.start(q, p.side)
    return State(side=rested, elastic=elastic.start(q - rested.rotor.theta, p.elastic))


def transmitted(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of spring, damping and hysteresis on the motor; the link receives the opposite."""
    phi = q - s.side.rotor.theta
    drag = elastic.damping(v - s.side.rotor.omega, p.elastic)
    return elastic.torque(phi, p.elastic) + drag + elastic.held(s.elastic, p.elastic)


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
    moved = side.moved(s.side, goal, p.side, h)
    rotor = moved.rotor
    there = State(side=moved, elastic=elastic.moved(s.elastic, q - rotor.theta, p.elastic))
    load = -transmitted(there, q, v, p)
    return State(
        side=side.driven(moved, goal, rotor.theta, rotor.omega, load, supply, on, p.side, h),
        elastic=there.elastic,
    )


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
    return -transmitted(s, q, v, p)


def fastest(p: Parameters) -> float:
    """Fastest rate of the motor, with the link held [rad/s]."""
    stiff = elastic.stiffest(p.elastic)
    drag = elastic.damping(1.0, p.elastic)
    return side.fastest(stiff, drag, p.own.voltage, p.side)


def stiffest(p: Parameters) -> float:
    """Largest stiffness [N m/rad] between link and motor."""
    return elastic.stiffest(p.elastic)


def stiffness(s: State, q: float, p: Parameters) -> float:
    """d2V/dq2 [N m/rad] with the motor held, of the spring without its hysteresis."""
    return elastic.stiffness(q - s.side.rotor.theta, p.elastic)


def reached(s: State, q: float, p: Parameters) -> float:
    """Largest stiffness [N m/rad] possible in the next step, in which the motion may reverse."""
    return stiffness(s, q, p) + elastic.steepest(p.elastic)


def damping(p: Parameters) -> float:
    """Damping [N m s/rad] between link and motor."""
    return elastic.damping(1.0, p.elastic)


def carried(s: State) -> float:
    """Speed [rad/s] of the spring's other end."""
    return s.side.rotor.omega


def energy(s: State, q: float, p: Parameters) -> float:
    """Elastic energy [J]."""
    spring = elastic.energy(q - s.side.rotor.theta, p.elastic)
    return spring + elastic.stored(s.elastic, p.elastic)


def load_1(s: State, q: float, p: Parameters) -> float:
    """dV/dtheta [N m], the torque of the spring that motor 1 resists, hysteresis included."""
    spring = elastic.torque(q - s.side.rotor.theta, p.elastic)
    return -(spring + elastic.held(s.elastic, p.elastic))


def borne_1(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of spring, damping and hysteresis that the motor resists."""
    return -transmitted(s, q, v, p)


def damping_power(s: State, v: float, p: Parameters) -> float:
    """Power [W] lost in the damping between link and motor."""
    rate = v - s.side.rotor.omega
    return elastic.damping(rate, p.elastic) * rate


def lost(s: State, q: float, v: float, p: Parameters) -> float:
    """Power [W] lost in damping and hysteresis."""
    rate = v - s.side.rotor.omega
    return damping_power(s, v, p) + elastic.rubbed(s.elastic, rate, p.elastic)
