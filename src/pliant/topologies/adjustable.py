"""A main motor behind a spring whose stiffness a second motor adjusts: AwAS, AwAS-II, MACCEPA.

    V = V(q, theta, x),  J dom = u - D om - friction - dV/dtheta,  adjuster: the same with -dV/dx
    link receives -dV/dq                                 compliant_actuators: 0, 1.3, 1.4, 1.7, 1.8

Side 1 is the main motor, side 2 the adjuster; its angle x may be a length, as the spring defines.
Beyond the deflection limit V continues linearly in phi = q - theta, as in `_limited_spring`.

Left out: friction between spring and link, a rotor of the adjuster that overhauls its screw.
"""

from typing import Annotated, NamedTuple

from pliant.ports import (
    AdjustableCompliance,
    DeflectionLimit,
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
spring: AdjustableCompliance
limit: DeflectionLimit


class P(NamedTuple):
    voltage: Annotated[float, "V", (0.1, 1e3)]  # nominal supply
    d: Annotated[float, "N m s/rad", (0.0, 1e3)]  # damping between main motor and link
    softest: Annotated[
        float, "1", (-1e3, 1e3)
    ]  # position of the adjuster, in its own unit, at which the joint is softest
    stiffest: Annotated[float, "1", (-1e3, 1e3)]  # position for the stiffest


REFERENCES = 2
"""Number of commands."""
HAS_BUDGET = False
"""Its friction acts on the motors; the joint keeps the friction that it has in the model."""


def voltage(p: Parameters) -> float:
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    return State(side_1=side_1.start(q, p.side_1), side_2=side_2.start(p.own.softest, p.side_2))


def elastic(q: float, theta: float, x: float, p: Parameters) -> float:
    """dV/dq [N m]."""
    phi = q - theta
    inside = theta + limit.inside(phi, p.limit)
    return spring.torque(inside, theta, x, p.spring) + limit.stop_torque(phi, p.limit)


def reaction(q: float, theta: float, x: float, p: Parameters) -> float:
    """dV/dtheta [N m]: inside the limit the spring's own, beyond it minus the link's torque."""
    phi = q - theta
    if limit.is_inside(phi, p.limit) > 0.5:
        return spring.load(q, theta, x, p.spring)
    return -elastic(q, theta, x, p)


def adjuster_reaction(q: float, theta: float, x: float, p: Parameters) -> float:
    """dV/dx [N m, or N]."""
    phi = limit.inside(q - theta, p.limit)
    beyond = q - theta - phi
    return (
        spring.adjuster_load(theta + phi, theta, x, p.spring)
        + spring.coupling(theta + phi, theta, x, p.spring) * beyond
    )


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
    theta = one.rotor.theta
    x = two.rotor.theta
    load = reaction(q, theta, x, p) - p.own.d * (v - one.rotor.omega)
    return State(
        side_1=side_1.driven(one, r_1, theta, one.rotor.omega, load, supply, on, p.side_1, h),
        side_2=side_2.driven(
            two,
            r_2,
            x,
            two.rotor.omega,
            adjuster_reaction(q, theta, x, p),
            supply,
            on,
            p.side_2,
            h,
        ),
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
    rotor = s.side_1.rotor
    drag = p.own.d * (v - rotor.omega)
    return -(elastic(q, rotor.theta, s.side_2.rotor.theta, p) + drag)


def fastest(p: Parameters) -> float:
    """Fastest rate of the faster motor, with the link and the other motor held [rad/s]."""
    one = side_1.fastest(stiffest(p), p.own.d, p.own.voltage, p.side_1)
    return max(one, side_2.fastest(0.0, 0.0, p.own.voltage, p.side_2))


def stiffest(p: Parameters) -> float:
    """Largest stiffness [N m/rad] between link and main motor."""
    return max(
        spring.stiffness(0.0, 0.0, p.own.stiffest, p.spring),
        spring.stiffness(0.0, 0.0, p.own.softest, p.spring),
    ) + limit.stop_stiffness(2.0, p.limit)


def stiffness(s: State, q: float, p: Parameters) -> float:
    """d2V/dq2 [N m/rad] with the motors held."""
    theta = s.side_1.rotor.theta
    phi = q - theta
    inside = theta + limit.inside(phi, p.limit)
    own = spring.stiffness(inside, theta, s.side_2.rotor.theta, p.spring)
    return own * limit.is_inside(phi, p.limit) + limit.stop_stiffness(phi, p.limit)


def damping(p: Parameters) -> float:
    """Damping [N m s/rad] between link and main motor."""
    return p.own.d


def carried(s: State) -> float:
    """Speed [rad/s] of the spring's other end."""
    return s.side_1.rotor.omega


def energy(s: State, q: float, p: Parameters) -> float:
    """Elastic energy [J]."""
    theta = s.side_1.rotor.theta
    x = s.side_2.rotor.theta
    phi = q - theta
    inside = limit.inside(phi, p.limit)
    return (
        spring.energy(theta + inside, theta, x, p.spring)
        + spring.torque(theta + inside, theta, x, p.spring) * (phi - inside)
        + limit.stop_energy(phi, p.limit)
    )


def load_1(s: State, q: float, p: Parameters) -> float:
    """dV/dtheta [N m], the elastic torque that the main motor resists."""
    return reaction(q, s.side_1.rotor.theta, s.side_2.rotor.theta, p)


def load_2(s: State, q: float, p: Parameters) -> float:
    """dV/dx [N m, or N], the elastic load on the adjuster."""
    return adjuster_reaction(q, s.side_1.rotor.theta, s.side_2.rotor.theta, p)


def borne_1(s: State, q: float, v: float, p: Parameters) -> float:
    """Torque [N m] of spring and damping that the main motor resists."""
    return load_1(s, q, p) - p.own.d * (v - s.side_1.rotor.omega)


def damping_power(s: State, v: float, p: Parameters) -> float:
    """Power [W] lost in the damping between link and main motor."""
    rate = v - s.side_1.rotor.omega
    return p.own.d * rate * rate
