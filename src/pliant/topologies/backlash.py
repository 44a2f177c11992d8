"""A geared servo with play between gear and joint: motor mass - gap with teeth - link.

    J dom = tau_m - D om - friction + T,  link receives -T,  T = T(phi, dphi), phi = q - theta

Source: Nordin and Gutman, Automatica 38 (2002) 1633, two-mass system. Friction of motor and gear acts before the play (`gear`, whose load is what the teeth transmit;
`friction`); the joint keeps the friction that it has in the model. The encoder turns with the motor
or with the joint. While teeth are apart, the joint falls freely and the motor carries only itself.

Left out: elasticity of the gear before the play, play in several stages.
"""

from typing import Annotated, NamedTuple

from pliant.ports import Contact, EncoderSide, MotorSide, Parameters, State, Timing

timing: Timing
encoder: EncoderSide
side: MotorSide
contact: Contact


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
    return State(side=side.start(q, p.side))


def transmitted(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of the teeth on the motor; the link receives the opposite."""
    rotor = s.side.rotor
    return contact.torque(q - rotor.theta, v - rotor.omega, p.contact)


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
    there = State(side=side.moved(s.side, goal, p.side, h))
    rotor = there.side.rotor
    seen = encoder.angle(q, rotor.theta, p.encoder)
    rate = encoder.speed(v, rotor.omega, p.encoder)
    load = -transmitted(there, q, v, p)
    return State(side=side.driven(there.side, goal, seen, rate, load, supply, on, p.side, h))


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
    """Fastest rate of the motor with the teeth in contact and the link held [rad/s]."""
    stiff = contact.stiffest(p.contact)
    return side.fastest(stiff, contact.damping(p.contact), p.own.voltage, p.side)


def stiffest(p: Parameters) -> float:
    """Stiffness [N m/rad] between link and motor with the teeth in contact."""
    return contact.stiffest(p.contact)


def reached(s: State, q: float, p: Parameters) -> float:
    """Largest stiffness [N m/rad] possible in the next step, which may begin in the gap."""
    return contact.stiffest(p.contact)


def stiffness(s: State, q: float, p: Parameters) -> float:
    """d2V/dq2 [N m/rad] with the motor held, 0 in the gap."""
    return contact.stiffness(q - s.side.rotor.theta, p.contact)


def damping(p: Parameters) -> float:
    """Damping [N m s/rad] between link and motor with the teeth in contact."""
    return contact.damping(p.contact)


def carried(s: State) -> float:
    """Speed [rad/s] of the motor's teeth."""
    return s.side.rotor.omega


def energy(s: State, q: float, p: Parameters) -> float:
    """Elastic energy [J] of the teeth."""
    return contact.energy(q - s.side.rotor.theta, p.contact)


def load_1(s: State, q: float, p: Parameters) -> float:
    """dV/dtheta [N m], the elastic torque that the motor resists."""
    return -contact.torque(q - s.side.rotor.theta, 0.0, p.contact)


def borne_1(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of the teeth that the motor resists, damping included."""
    return -transmitted(s, q, v, p)


def lost(s: State, q: float, v: float, p: Parameters) -> float:
    """Power [W] lost in the teeth: their torque less its elastic part, times the deflection rate."""
    phi = q - s.side.rotor.theta
    rate = v - s.side.rotor.omega
    whole = contact.torque(phi, rate, p.contact)
    return (whole - contact.torque(phi, 0.0, p.contact)) * rate
