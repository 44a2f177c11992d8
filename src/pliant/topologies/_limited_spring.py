"""The part of a compliant actuator between motor and link: a spring with a limit to its deflection.

Beyond the limit the spring's torque keeps its value there, and a stop may add its own. The energy
continues linearly, so torque and stiffness are its derivatives everywhere:

    V(phi) = E(inside) + torque(inside) (phi - inside) + V_stop(phi)     compliant_actuators: 0.2

Hysteresis, if any, acts in parallel with the spring (`held`) and has a state.
"""

from typing import NamedTuple

from pliant.ports import Compliance, DeflectionLimit, Hysteresis, Parameters, State

spring: Compliance
limit: DeflectionLimit
hysteresis: Hysteresis


class P(NamedTuple):
    pass


FAR = 1.0
"""[rad] Deflection of an unlimited spring at which its stiffness sets the steps."""


def start(phi: float, p: Parameters) -> State:
    return State(hysteresis=hysteresis.start(phi, p.hysteresis))


def moved(s: State, phi: float, p: Parameters) -> State:
    """The hysteresis at the new deflection."""
    return State(hysteresis=hysteresis.step(s.hysteresis, phi, p.hysteresis))


def held(s: State, p: Parameters) -> float:
    """Torque [N m] of the hysteresis, in the direction of `torque`."""
    return hysteresis.torque(s.hysteresis, p.hysteresis)


def stored(s: State, p: Parameters) -> float:
    """Energy [J] stored in the hysteresis."""
    return hysteresis.energy(s.hysteresis, p.hysteresis)


def rubbed(s: State, rate: float, p: Parameters) -> float:
    """Power [W] lost in the hysteresis."""
    return hysteresis.lost(s.hysteresis, rate, p.hysteresis)


def steepest(p: Parameters) -> float:
    """Stiffness [N m/rad] that the hysteresis may add."""
    return hysteresis.stiffest(p.hysteresis)


def energy(phi: float, p: Parameters) -> float:
    x = limit.inside(phi, p.limit)
    beyond = spring.torque(x, p.spring) * (phi - x)
    return spring.energy(x, p.spring) + beyond + limit.stop_energy(phi, p.limit)


def torque(phi: float, p: Parameters) -> float:
    x = limit.inside(phi, p.limit)
    return spring.torque(x, p.spring) + limit.stop_torque(phi, p.limit)


def stiffness(phi: float, p: Parameters) -> float:
    x = limit.inside(phi, p.limit)
    own = spring.stiffness(x, p.spring) * limit.is_inside(phi, p.limit)
    return own + limit.stop_stiffness(phi, p.limit)


def damping(rate: float, p: Parameters) -> float:
    return spring.damping(rate, p.spring)


def stiffest(p: Parameters) -> float:
    """The largest stiffness [N m/rad] that steps must resolve."""
    x = limit.inside(FAR, p.limit)
    near = max(spring.stiffness(0.0, p.spring), spring.stiffness(x, p.spring))
    return near + limit.stop_stiffness(2.0 * FAR, p.limit) + steepest(p)
