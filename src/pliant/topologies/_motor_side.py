"""The part of a compliant actuator before its spring: one motor, its controller and its rotor.

    reference -> control (at its own rate) -> driver -> motor -> winding -> rotor with friction
    angle seen -> sensing ---^                                                       ^ spring

Friction of the rotor is twofold: `friction` remembers, `gear` is a budget that knows the load; an
actuator file may leave `gear` out.

A step is `moved`, which brings rotor and friction to their new place, then `driven`, which gives
the rotor its new speed from the torques there. What happens in between, the spring, is the whole's.

Left out: gearbox elasticity, a second encoder on the motor's own shaft.
"""

from math import sqrt
from typing import Annotated, NamedTuple

from pliant.laws.friction_budget._stop_torque import stop_torque
from pliant.ports import (
    Control,
    Driver,
    FrictionBudget,
    FrictionState,
    Motor,
    Parameters,
    Rate,
    Rotor,
    Sensing,
    State,
    Winding,
)

rate: Rate
sensing: Sensing
control: Control
driver: Driver
motor: Motor
winding: Winding
rotor: Rotor
friction: FrictionState
gear: FrictionBudget


class P(NamedTuple):
    pass


class S(NamedTuple):
    command: Annotated[float, "1"]  # last command of the controller, in its own unit


def start(q: float, p: Parameters) -> State:
    return State(
        own=S(0.0),
        rate=rate.start(p.rate),
        control=control.start(q, p.control),
        winding=winding.start(p.winding),
        rotor=rotor.start(q, p.rotor),
        friction=friction.start(p.friction),
    )


def moved(s: State, reference: float, p: Parameters, h: float) -> State:
    """Rotor and friction after the drift."""
    there = rotor.drift(s.rotor, reference, p.rotor, h)
    slip = friction.step(s.friction, there.theta - s.rotor.theta, p.friction)
    return State(
        own=s.own, rate=s.rate, control=s.control, winding=s.winding, rotor=there, friction=slip
    )


# So many arguments: compilers take numbers one by one.
def driven(
    s: State,
    reference: float,
    seen: float,
    rate_seen: float,
    load: float,
    supply: float,
    on: float,
    p: Parameters,
    h: float,
) -> State:
    """After `moved`: the controller's new command and the rotor's new speed.

    `seen` [rad] and `rate_seen` [rad/s] are of what the encoder turns with, `load` [N m] the
    spring's torque as the rotor resists it, dV/dtheta.
    """
    x = sensing.measured(seen, p.sensing)
    omega = s.rotor.omega
    firmware = s.control
    command = s.own.command
    if rate.due(s.rate, p.rate) > 0.5:
        firmware = control.step(
            s.control, reference, x, rate_seen, p.control, rate.period(p.rate, h)
        )
        command = control.command(firmware, reference, x, rate_seen, p.control)
    bus = arriving(command, omega, supply, p)
    coil = winding.step(
        s.winding,
        motor.torque(command, on, omega, bus, p.motor),
        motor.lowest(command, on, omega, bus, p.motor),
        motor.highest(command, on, omega, bus, p.motor),
        motor.resistance(p.motor),
        p.winding,
        h,
    )
    tau_m = winding.torque(coil, motor.torque(command, on, omega, bus, p.motor), p.winding)
    resisted = -friction.torque(s.friction, p.friction) - load
    budget = gear.budget(omega, tau_m, -load, p.gear)
    free = rotor.mobility(p.rotor)
    if budget > 0.0 and free > 0.0:
        resisted += stop_torque(omega, tau_m, resisted, budget, 1.0 / free, h)
    return State(
        own=S(command),
        rate=rate.step(s.rate, p.rate, h),
        control=firmware,
        winding=coil,
        rotor=rotor.kick(s.rotor, tau_m, resisted, p.rotor, h),
        friction=s.friction,
    )


def arriving(command: float, omega: float, supply: float, p: Parameters) -> float:
    """Voltage [V] at the driver."""
    return driver.bus(
        command, supply, motor.back_emf(omega, p.motor), motor.resistance(p.motor), p.driver
    )


def static(command: float, omega: float, supply: float, on: float, p: Parameters) -> float:
    """Torque [N m] of the motor without inductance, behind the gearbox."""
    bus = arriving(command, omega, supply, p)
    return motor.torque(command, on, omega, bus, p.motor)


def effort(s: State, supply: float, on: float, p: Parameters) -> float:
    """Torque [N m] of the motor now, behind the gearbox; a speed limit may take from it."""
    asked = static(s.own.command, s.rotor.omega, supply, on, p)
    return winding.torque(s.winding, asked, p.winding)


def current(s: State, supply: float, on: float, p: Parameters) -> float:
    """Current [A] in the winding."""
    return effort(s, supply, on, p) / motor.back_emf(1.0, p.motor)


def copper_loss(s: State, supply: float, on: float, p: Parameters) -> float:
    """Heat [W] of the winding."""
    i = current(s, supply, on, p)
    return motor.resistance(p.motor) * i * i


def mechanical_power(s: State, supply: float, on: float, p: Parameters) -> float:
    """Power [W] of the motor on its rotor."""
    return effort(s, supply, on, p) * s.rotor.omega


def electrical_power(s: State, supply: float, on: float, p: Parameters) -> float:
    """Power [W] from the supply, below zero where it takes some back.

    Heat, work, and what an inductance stores: R (i_end - i) i, where i_end is the current that the
    voltage of now would end at.
    """
    command = s.own.command
    omega = s.rotor.omega
    bus = arriving(command, omega, supply, p)
    now = effort(s, supply, on, p)
    asked = motor.torque(command, on, omega, bus, p.motor)
    end = now
    if asked > now:
        end = motor.highest(command, on, omega, bus, p.motor)
    if asked < now:
        end = motor.lowest(command, on, omega, bus, p.motor)
    per = 1.0 / motor.back_emf(1.0, p.motor)
    stored = motor.resistance(p.motor) * (end - now) * per * now * per
    return copper_loss(s, supply, on, p) + now * omega + stored


def friction_power(s: State, load: float, supply: float, on: float, p: Parameters) -> float:
    """Power [W] into friction and drag of the rotor; what friction stores elastically included.

    A budget is spent whole while the rotor turns, `load` [N m] as in `driven`.
    """
    omega = s.rotor.omega
    tau_m = effort(s, supply, on, p)
    slipping = gear.budget(omega, tau_m, -load, p.gear) * abs(omega)
    drag = rotor.damping(p.rotor) * omega * omega
    return friction.torque(s.friction, p.friction) * omega + drag + slipping


def free(p: Parameters) -> float:
    """One over the rotor's inertia [1/(kg m^2)], 0 of one that no torque moves."""
    return rotor.mobility(p.rotor)


def kinetic_energy(s: State, p: Parameters) -> float:
    """Energy [J] of the rotor's motion; 0 of a rotor that no torque moves."""
    free = rotor.mobility(p.rotor)
    if free > 0.0:
        return 0.5 * s.rotor.omega * s.rotor.omega / free
    return 0.0 * s.rotor.omega


SMALL = 1e-6
"""Displacement and speed for slopes of the controller, in rad and rad/s."""


def slope(x: float, omega: float, supply: float, p: Parameters) -> float:
    """Fall of the motor's torque when the rotor is displaced by x or moves with omega."""
    s = control.start(0.0, p.control)
    rest = static(control.command(s, 0.0, 0.0, 0.0, p.control), 0.0, supply, 1.0, p)
    moving = static(control.command(s, 0.0, x, omega, p.control), omega, supply, 1.0, p)
    return max(rest - moving, 0.0)


def fastest(stiffness: float, damping: float, supply: float, p: Parameters) -> float:
    """Fastest rate of the rotor between controller, stuck friction and spring, link held [rad/s].

    Drag of the rotor itself is exact and asks for no step. Nor does the current of a winding, whose
    step is exact too: a back-EMF that is late brakes no harder.
    """
    k = stiffness + friction.stiffness(p.friction) + slope(SMALL, 0.0, supply, p) / SMALL
    d = damping + slope(0.0, SMALL, supply, p) / SMALL
    free = rotor.mobility(p.rotor)
    return max(sqrt(k * free), d * free)
