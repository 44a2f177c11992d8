"""Two motors and two springs pulling the link against each other: qbmove, BAVS.

    V = E_1(q - th_1) + E_2(q - th_2) + E_c(th_1 - th_2) + E_p(q - (th_1 + th_2) / 2)
    J_i dom_i = u_i - D_i om_i - friction_i - dV/dth_i,  link receives -dV/dq
                                                         compliant_actuators: 0, 1.5, 1.6
`references` maps the two commands to the references of the two motors: directly, or as equilibrium
and preset. The coupling spring is `none` in the published devices. An actuator file may leave out
the hysteresis of the two springs, which acts in parallel with them, and the spring E_p in parallel
with both, half of whose torque acts on each motor.

Left out: friction between springs and link, backlash.
"""

from typing import Annotated, NamedTuple

from pliant.ports import (
    Compliance,
    LimitedSpring,
    MotorSide,
    Parameters,
    ReferenceMap,
    State,
    Timing,
)

timing: Timing
references: ReferenceMap
side_1: MotorSide
side_2: MotorSide
elastic_1: LimitedSpring
elastic_2: LimitedSpring
coupling: Compliance
parallel: Compliance


class P(NamedTuple):
    voltage: Annotated[float, "V", (0.1, 1e3)]  # nominal supply


REFERENCES = 2
"""Number of commands."""
HAS_BUDGET = False
"""Its friction acts on the motors; the joint keeps the friction that it has in the model."""


def voltage(p: Parameters) -> float:
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    one = side_1.start(q, p.side_1)
    two = side_2.start(q, p.side_2)
    return State(
        side_1=one,
        side_2=two,
        elastic_1=elastic_1.start(q - one.rotor.theta, p.elastic_1),
        elastic_2=elastic_2.start(q - two.rotor.theta, p.elastic_2),
    )


def pulled_1(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of spring 1, its damping and hysteresis; the link receives the opposite."""
    rotor = s.side_1.rotor
    drag = elastic_1.damping(v - rotor.omega, p.elastic_1)
    spring = elastic_1.torque(q - rotor.theta, p.elastic_1)
    return spring + drag + elastic_1.held(s.elastic_1, p.elastic_1)


def pulled_2(s: State, q: float, v: float, p: Parameters) -> float:
    rotor = s.side_2.rotor
    drag = elastic_2.damping(v - rotor.omega, p.elastic_2)
    spring = elastic_2.torque(q - rotor.theta, p.elastic_2)
    return spring + drag + elastic_2.held(s.elastic_2, p.elastic_2)


def spread(s: State, p: Parameters) -> float:
    """dE_c/dth_1 [N m], from the coupling spring with its damping."""
    a = s.side_1.rotor
    b = s.side_2.rotor
    return coupling.torque(a.theta - b.theta, p.coupling) + coupling.damping(
        a.omega - b.omega, p.coupling
    )


def middle(s: State, q: float, p: Parameters) -> float:
    """Deflection [rad] of the parallel spring."""
    return q - 0.5 * (s.side_1.rotor.theta + s.side_2.rotor.theta)


def beside(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of the parallel spring with its damping; the link receives the opposite."""
    rate = v - carried(s)
    return parallel.torque(middle(s, q, p), p.parallel) + parallel.damping(rate, p.parallel)


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
    r_1 = references.first(goal, preset, p.references)
    r_2 = references.second(goal, preset, p.references)
    one = side_1.moved(s.side_1, r_1, p.side_1, h)
    two = side_2.moved(s.side_2, r_2, p.side_2, h)
    a = one.rotor
    b = two.rotor
    there = State(
        side_1=one,
        side_2=two,
        elastic_1=elastic_1.moved(s.elastic_1, q - a.theta, p.elastic_1),
        elastic_2=elastic_2.moved(s.elastic_2, q - b.theta, p.elastic_2),
    )
    across = spread(there, p)
    half = 0.5 * beside(there, q, v, p)
    load_1 = across - pulled_1(there, q, v, p) - half
    load_2 = -across - pulled_2(there, q, v, p) - half
    return State(
        side_1=side_1.driven(one, r_1, a.theta, a.omega, load_1, supply, on, p.side_1, h),
        side_2=side_2.driven(two, r_2, b.theta, b.omega, load_2, supply, on, p.side_2, h),
        elastic_1=there.elastic_1,
        elastic_2=there.elastic_2,
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
    return -(pulled_1(s, q, v, p) + pulled_2(s, q, v, p) + beside(s, q, v, p))


def fastest(p: Parameters) -> float:
    """Fastest rate of the faster motor, with the link and the other motor held [rad/s]."""
    across = coupling.stiffness(0.0, p.coupling) + 0.25 * parallel.stiffness(0.0, p.parallel)
    drag = coupling.damping(1.0, p.coupling) + 0.25 * parallel.damping(1.0, p.parallel)
    one = side_1.fastest(
        elastic_1.stiffest(p.elastic_1) + across,
        elastic_1.damping(1.0, p.elastic_1) + drag,
        p.own.voltage,
        p.side_1,
    )
    two = side_2.fastest(
        elastic_2.stiffest(p.elastic_2) + across,
        elastic_2.damping(1.0, p.elastic_2) + drag,
        p.own.voltage,
        p.side_2,
    )
    return max(one, two)


def stiffest(p: Parameters) -> float:
    """Largest stiffness [N m/rad] between link and motors."""
    pair = elastic_1.stiffest(p.elastic_1) + elastic_2.stiffest(p.elastic_2)
    return pair + parallel.stiffness(0.0, p.parallel)


def stiffness(s: State, q: float, p: Parameters) -> float:
    """d2V/dq2 [N m/rad] with the motors held, of the springs without their hysteresis."""
    one = elastic_1.stiffness(q - s.side_1.rotor.theta, p.elastic_1)
    two = elastic_2.stiffness(q - s.side_2.rotor.theta, p.elastic_2)
    return one + two + parallel.stiffness(middle(s, q, p), p.parallel)


def reached(s: State, q: float, p: Parameters) -> float:
    """Largest stiffness [N m/rad] possible in the next step, in which the motion may reverse."""
    return stiffness(s, q, p) + elastic_1.steepest(p.elastic_1) + elastic_2.steepest(p.elastic_2)


def damping(p: Parameters) -> float:
    """Damping [N m s/rad] between link and motors."""
    pair = elastic_1.damping(1.0, p.elastic_1) + elastic_2.damping(1.0, p.elastic_2)
    return pair + parallel.damping(1.0, p.parallel)


def carried(s: State) -> float:
    """Speed [rad/s] of the spring's other end."""
    return 0.5 * (s.side_1.rotor.omega + s.side_2.rotor.omega)


def energy(s: State, q: float, p: Parameters) -> float:
    """Elastic energy [J]."""
    one = s.side_1.rotor.theta
    two = s.side_2.rotor.theta
    pair = elastic_1.energy(q - one, p.elastic_1) + elastic_2.energy(q - two, p.elastic_2)
    kept = elastic_1.stored(s.elastic_1, p.elastic_1) + elastic_2.stored(s.elastic_2, p.elastic_2)
    third = parallel.energy(middle(s, q, p), p.parallel)
    return pair + coupling.energy(one - two, p.coupling) + kept + third


def load_1(s: State, q: float, p: Parameters) -> float:
    """dV/dth_1 [N m], the torque of the springs that motor 1 resists, hysteresis included."""
    one = s.side_1.rotor.theta
    two = s.side_2.rotor.theta
    spring = elastic_1.torque(q - one, p.elastic_1) + elastic_1.held(s.elastic_1, p.elastic_1)
    half = 0.5 * parallel.torque(middle(s, q, p), p.parallel)
    return coupling.torque(one - two, p.coupling) - spring - half


def load_2(s: State, q: float, p: Parameters) -> float:
    """dV/dth_2 [N m], the torque of the springs that motor 2 resists, hysteresis included."""
    one = s.side_1.rotor.theta
    two = s.side_2.rotor.theta
    spring = elastic_2.torque(q - two, p.elastic_2) + elastic_2.held(s.elastic_2, p.elastic_2)
    half = 0.5 * parallel.torque(middle(s, q, p), p.parallel)
    return -coupling.torque(one - two, p.coupling) - spring - half


def borne_1(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of springs and their damping that motor 1 resists."""
    return spread(s, p) - pulled_1(s, q, v, p) - 0.5 * beside(s, q, v, p)


def borne_2(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of springs and their damping that motor 2 resists."""
    return -spread(s, p) - pulled_2(s, q, v, p) - 0.5 * beside(s, q, v, p)


def damping_power(s: State, v: float, p: Parameters) -> float:
    """Power [W] lost in the damping of the springs."""
    a = s.side_1.rotor.omega
    b = s.side_2.rotor.omega
    return (
        elastic_1.damping(v - a, p.elastic_1) * (v - a)
        + elastic_2.damping(v - b, p.elastic_2) * (v - b)
        + coupling.damping(a - b, p.coupling) * (a - b)
        + parallel.damping(v - carried(s), p.parallel) * (v - carried(s))
    )


def lost(s: State, q: float, v: float, p: Parameters) -> float:
    """Power [W] lost in damping and hysteresis."""
    one = elastic_1.rubbed(s.elastic_1, v - s.side_1.rotor.omega, p.elastic_1)
    two = elastic_2.rubbed(s.elastic_2, v - s.side_2.rotor.omega, p.elastic_2)
    return damping_power(s, v, p) + one + two
