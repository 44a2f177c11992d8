"""A geared servo, stiff between motor and joint.

    goal -> timing -> control -> protection -> driver -> motor -> gear friction -> joint
    joint angle -> sensing --^                             ^ thermal

The rotor is an armature of the joint. Friction is a budget: the engine turns it into a torque (by
the stop-torque rule, or in the constraint solver), because only it knows the other torques.
`gear_load` says which torques load the gear, `reversal` how much of the budget acts, `unpowered` what the
motor does while its driver is off.

An actuator file may leave out `gear_load`, `protection`, `reversal`, `thermal` and `unpowered`.

Left out: backlash, elasticity, friction of the joint that the motor does not feel.
"""

from typing import Annotated, NamedTuple

from pliant.ports import (
    Control,
    Driver,
    FrictionBudget,
    GearLoad,
    Motor,
    Parameters,
    Protection,
    Reversal,
    Sensing,
    State,
    Thermal,
    Timing,
    Unpowered,
)

timing: Timing
sensing: Sensing
control: Control
driver: Driver
motor: Motor
friction: FrictionBudget
protection: Protection
thermal: Thermal
gear_load: GearLoad
reversal: Reversal
unpowered: Unpowered


class P(NamedTuple):
    armature: Annotated[float, "kg m^2", (0.0, 1e3)]  # inertia of the rotor at the joint
    voltage: Annotated[float, "V", (0.1, 1e3)]  # nominal supply


REFERENCES = 1
"""Number of commands; a second one, `preset`, has no effect here."""
HAS_BUDGET = True
"""Its friction is the joint's: the engine turns `budget` into a torque."""


def armature(p: Parameters) -> float:
    """Inertia [kg m^2] that the actuator adds to the joint."""
    return p.own.armature


def voltage(p: Parameters) -> float:
    """Nominal supply [V]."""
    return p.own.voltage


def issued(t: float, p: Parameters) -> float:
    """Time at which the command that acts at t was given."""
    return timing.issued(t, p.timing)


def start(q: float, p: Parameters) -> State:
    """The state of an actuator at rest at q."""
    return State(
        sensing=sensing.start(p.sensing),
        control=control.start(q, p.control),
        protection=protection.start(p.protection),
        thermal=thermal.start(p.thermal),
        gear_load=gear_load.start(p.gear_load),
        reversal=reversal.start(p.reversal),
        unpowered=unpowered.start(p.unpowered),
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
    """The state one step later; q and v are those at the start of the step."""
    seen = sensing.step(s.sensing, p.sensing, h)
    x = sensing.measured(seen, q, p.sensing)
    firmware = control.step(s.control, goal, x, v, p.control, h)
    wanted = control.command(firmware, goal, x, v, p.control)
    warmth = thermal.temperature(s.thermal, p.thermal)
    guard = protection.step(s.protection, goal, x, wanted, warmth, p.protection, h)
    warm = motor.warmed(
        thermal.resistance(s.thermal, p.thermal), thermal.constant(s.thermal, p.thermal), p.motor
    )
    command = protection.passed(guard, wanted, p.protection)
    bus = driver.bus(command, supply, motor.back_emf(v, warm), motor.resistance(warm), p.driver)
    powered = on * protection.enabled(guard, p.protection)
    i = motor.current(command, powered, v, bus, warm)
    heat = motor.resistance(warm) * i * i
    return State(
        sensing=seen,
        control=firmware,
        protection=guard,
        thermal=thermal.step(s.thermal, heat, p.thermal, h),
        gear_load=gear_load.step(s.gear_load, v, p.gear_load, h),
        reversal=reversal.step(s.reversal, v, p.reversal, h),
        unpowered=unpowered.step(s.unpowered, powered, p.unpowered),
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
    """Torque [N m] of the motor on the joint, without friction. `s` is the state after the step."""
    x = sensing.measured(s.sensing, q, p.sensing)
    wanted = control.command(s.control, goal, x, v, p.control)
    command = protection.passed(s.protection, wanted, p.protection)
    warm = motor.warmed(
        thermal.resistance(s.thermal, p.thermal), thermal.constant(s.thermal, p.thermal), p.motor
    )
    bus = driver.bus(command, supply, motor.back_emf(v, warm), motor.resistance(warm), p.driver)
    powered = on * protection.enabled(s.protection, p.protection)
    brake = unpowered.torque(powered, v, p.unpowered)
    return motor.torque(command, powered, v, bus, warm) + brake


def budget(v: float, tau_m: float, tau_e: float, p: Parameters) -> float:
    """Largest friction torque [N m] at the joint, at constant speed and long after a reversal."""
    return friction.budget(v, tau_m, tau_e, p.friction)


def resisted(
    s: State, v: float, tau_m: float, tau_e: float, inertia: float, p: Parameters
) -> float:
    """Largest friction torque [N m] now; `inertia` is that of the load, `s` the state after the step."""
    drives = gear_load.carried(s.gear_load, tau_m, p.own.armature, p.gear_load)
    loads = gear_load.carried(s.gear_load, tau_e, inertia, p.gear_load)
    most = friction.budget(v, drives, loads, p.friction)
    share = reversal.share(s.reversal, v, tau_m + tau_e, p.reversal)
    return most * share * unpowered.friction_factor(s.unpowered, p.unpowered)


def current(s: State, tau_m: float, p: Parameters) -> float:
    """Current [A] in the winding at the motor's torque [N m] behind the gear."""
    warm = motor.warmed(1.0, thermal.constant(s.thermal, p.thermal), p.motor)
    return tau_m / motor.back_emf(1.0, warm)


def copper_loss(s: State, tau_m: float, p: Parameters) -> float:
    """Heat [W] of the winding."""
    i = current(s, tau_m, p)
    warm = motor.warmed(thermal.resistance(s.thermal, p.thermal), 1.0, p.motor)
    return motor.resistance(warm) * i * i


def electrical_power(s: State, tau_m: float, v: float, p: Parameters) -> float:
    """Power [W] from the supply, negative when power flows back: heat and work."""
    return copper_loss(s, tau_m, p) + tau_m * v
