"""The part of a compliant actuator before its spring: one motor, its controller and its rotor.

    reference -> control (at its own rate) -> protection -> driver -> motor -> winding -> rotor
    angle seen -> sensing ---^                              thermal --^       friction, spring --^

The rotor has two kinds of friction: `friction` has memory, `gear` is a budget that depends on the
load. An actuator file may leave out `gear`, `protection` and `thermal`.

A step is `moved`, which moves rotor and friction to their new position, then `driven`, which
updates the rotor's speed from the torques there. The spring, in between, is the topology's.

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
    Protection,
    Rate,
    Rotor,
    Sensing,
    State,
    Thermal,
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
protection: Protection
thermal: Thermal


class P(NamedTuple):
    pass


class S(NamedTuple):
    command: Annotated[float, "1"]  # last command passed to the driver, in its own unit


def start(q: float, p: Parameters) -> State:
    return State(
        own=S(0.0),
        rate=rate.start(p.rate),
        sensing=sensing.start(p.sensing),
        control=control.start(q, p.control),
        winding=winding.start(p.winding),
        rotor=rotor.start(q, p.rotor),
        friction=friction.start(p.friction),
        protection=protection.start(p.protection),
        thermal=thermal.start(p.thermal),
    )


def moved(s: State, reference: float, p: Parameters, h: float) -> State:
    """Rotor and friction at their new position."""
    there = rotor.drift(s.rotor, reference, p.rotor, h)
    slip = friction.step(s.friction, there.theta - s.rotor.theta, p.friction)
    return State(
        own=s.own,
        rate=s.rate,
        sensing=s.sensing,
        control=s.control,
        winding=s.winding,
        rotor=there,
        friction=slip,
        protection=s.protection,
        thermal=s.thermal,
    )


# Many arguments, because compilers take numbers one by one.
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

    `seen` [rad] and `rate_seen` [rad/s] are those of the side that the encoder is on; `load` [N m] is
    the spring's torque that the rotor resists, dV/dtheta.
    """
    eye = sensing.step(s.sensing, p.sensing, h)
    x = sensing.measured(eye, seen, p.sensing)
    omega = s.rotor.omega
    firmware = s.control
    command = s.own.command
    guard = s.protection
    hot = thermal.resistance(s.thermal, p.thermal)
    weak = thermal.constant(s.thermal, p.thermal)
    if rate.due(s.rate, p.rate) > 0.5:
        firmware = control.step(
            s.control, reference, x, rate_seen, p.control, rate.period(p.rate, h)
        )
        wanted = control.command(firmware, reference, x, rate_seen, p.control)
        warmth = thermal.temperature(s.thermal, p.thermal)
        guard = protection.step(
            s.protection, reference, x, wanted, warmth, p.protection, rate.period(p.rate, h)
        )
        command = protection.passed(guard, wanted, p.protection)
    driven_on = on * protection.enabled(guard, p.protection)
    warm = motor.warmed(hot, weak, p.motor)
    bus = arriving(hot, weak, command, omega, supply, p)
    asked = motor.torque(command, driven_on, omega, bus, warm)
    coil = winding.step(
        s.winding,
        asked,
        motor.lowest(command, driven_on, omega, bus, warm),
        motor.highest(command, driven_on, omega, bus, warm),
        motor.resistance(warm),
        p.winding,
        h,
    )
    tau_m = winding.torque(coil, asked, p.winding)
    i = tau_m / motor.back_emf(1.0, warm)
    resisted = -friction.torque(s.friction, p.friction) - load
    budget = gear.budget(omega, tau_m, -load, p.gear)
    light = rotor.mobility(p.rotor)
    if budget > 0.0 and light > 0.0:
        resisted += stop_torque(omega, tau_m, resisted, budget, 1.0 / light, h)
    return State(
        own=S(command),
        rate=rate.step(s.rate, p.rate, h),
        sensing=eye,
        control=firmware,
        winding=coil,
        rotor=rotor.kick(s.rotor, tau_m, resisted, p.rotor, h),
        friction=s.friction,
        protection=guard,
        thermal=thermal.step(s.thermal, motor.resistance(warm) * i * i, p.thermal, h),
    )


def arriving(
    hot: float, weak: float, command: float, omega: float, supply: float, p: Parameters
) -> float:
    """Voltage [V] at the driver; `hot` and `weak` scale resistance and torque constant."""
    warm = motor.warmed(hot, weak, p.motor)
    return driver.bus(
        command, supply, motor.back_emf(omega, warm), motor.resistance(warm), p.driver
    )


def static(command: float, omega: float, supply: float, on: float, p: Parameters) -> float:
    """Torque [N m] of the motor at its stated temperature, without inductance, behind the gear."""
    bus = arriving(1.0, 1.0, command, omega, supply, p)
    return motor.torque(command, on, omega, bus, p.motor)


def effort(s: State, supply: float, on: float, p: Parameters) -> float:
    """Torque [N m] of the motor now, behind the gearbox, before any speed limit of the rotor."""
    hot = thermal.resistance(s.thermal, p.thermal)
    weak = thermal.constant(s.thermal, p.thermal)
    omega = s.rotor.omega
    bus = arriving(hot, weak, s.own.command, omega, supply, p)
    driven_on = on * protection.enabled(s.protection, p.protection)
    warm = motor.warmed(hot, weak, p.motor)
    asked = motor.torque(s.own.command, driven_on, omega, bus, warm)
    return winding.torque(s.winding, asked, p.winding)


def current(s: State, supply: float, on: float, p: Parameters) -> float:
    """Current [A] in the winding."""
    warm = motor.warmed(1.0, thermal.constant(s.thermal, p.thermal), p.motor)
    return effort(s, supply, on, p) / motor.back_emf(1.0, warm)


def copper_loss(s: State, supply: float, on: float, p: Parameters) -> float:
    """Heat [W] of the winding."""
    i = current(s, supply, on, p)
    warm = motor.warmed(thermal.resistance(s.thermal, p.thermal), 1.0, p.motor)
    return motor.resistance(warm) * i * i


def mechanical_power(s: State, supply: float, on: float, p: Parameters) -> float:
    """Power [W] of the motor on its rotor."""
    return effort(s, supply, on, p) * s.rotor.omega


def electrical_power(s: State, supply: float, on: float, p: Parameters) -> float:
    """Power [W] from the supply, negative when power flows back.

    Heat, work, and power stored in the inductance, R (i_end - i) i, where i_end is the current at
    which the present voltage would settle.
    """
    hot = thermal.resistance(s.thermal, p.thermal)
    weak = thermal.constant(s.thermal, p.thermal)
    driven_on = on * protection.enabled(s.protection, p.protection)
    warm = motor.warmed(hot, weak, p.motor)
    command = s.own.command
    omega = s.rotor.omega
    bus = arriving(hot, weak, command, omega, supply, p)
    now = effort(s, supply, on, p)
    asked = motor.torque(command, driven_on, omega, bus, warm)
    end = now
    if asked > now:
        end = motor.highest(command, driven_on, omega, bus, warm)
    if asked < now:
        end = motor.lowest(command, driven_on, omega, bus, warm)
    per = 1.0 / motor.back_emf(1.0, warm)
    stored = motor.resistance(warm) * (end - now) * per * now * per
    return copper_loss(s, supply, on, p) + now * omega + stored


def friction_power(s: State, load: float, supply: float, on: float, p: Parameters) -> float:
    """Power [W] into friction and drag of the rotor, including what friction stores elastically.

    While the rotor turns, the whole budget acts; `load` [N m] is as in `driven`.
    """
    omega = s.rotor.omega
    tau_m = effort(s, supply, on, p)
    slipping = gear.budget(omega, tau_m, -load, p.gear) * abs(omega)
    drag = rotor.damping(p.rotor) * omega * omega
    return friction.torque(s.friction, p.friction) * omega + drag + slipping


def free(p: Parameters) -> float:
    """Inverse of the rotor's inertia [1/(kg m^2)], 0 for a rotor that no torque moves."""
    return rotor.mobility(p.rotor)


def kinetic_energy(s: State, p: Parameters) -> float:
    """Kinetic energy [J] of the rotor; 0 for a rotor that no torque moves."""
    free = rotor.mobility(p.rotor)
    if free > 0.0:
        return 0.5 * s.rotor.omega * s.rotor.omega / free
    return 0.0 * s.rotor.omega


SMALL = 1e-6
"""[rad] and [rad/s] Finite differences for slopes of the controller."""


def answer(lead: float, omega: float, supply: float, p: Parameters) -> float:
    """Torque of the motor [N m] when its reference leads the measured angle by `lead` [rad], at speed omega."""
    s = control.start(lead, p.control)
    return static(control.command(s, lead, 0.0, omega, p.control), omega, supply, 1.0, p)


def slope(x: float, omega: float, supply: float, p: Parameters) -> float:
    """Drop [N m] of the motor's torque when the rotor is displaced by x or moves at omega."""
    return max(answer(0.0, 0.0, supply, p) - answer(-x, omega, supply, p), 0.0)


def fastest(stiffness: float, damping: float, supply: float, p: Parameters) -> float:
    """Fastest rate [rad/s] of the rotor between controller, stuck friction and spring, with the link held.

    The rotor's own drag is integrated exactly and does not limit the step. Nor does a winding's
    current, also integrated exactly: a delayed back-EMF brakes no harder.
    """
    k = stiffness + friction.stiffness(p.friction) + slope(SMALL, 0.0, supply, p) / SMALL
    d = damping + slope(0.0, SMALL, supply, p) / SMALL
    free = rotor.mobility(p.rotor)
    return max(sqrt(k * free), d * free)
