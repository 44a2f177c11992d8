"""The qbmove Maker Pro in Parnenzini's experiments: its bus, and one joint with and without a load."""

from math import pi

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.trials import Motion
from pliant.experiments.support.benches import GRAVITY, Segment, driven, one_joint
from pliant.io.actuator_file import load_actuator
from pliant.robots.bus import Bus, on_bus, with_encoder

BAUD, HOST = 460800.0, 1e-3
"""Baud rate [1/s], and latency of the host before it [s]."""


def modules(
    actuator: str, count: int = 1, baud: float = BAUD, host: float = HOST
) -> list[Actuator]:
    """Modules on one bus, as in reality: delayed commands, motors read by 12-bit encoders."""
    one = with_encoder(load_actuator(actuator))
    bus = Bus(modules=count, baud=baud, host=host)
    return list(on_bus({str(k): one for k in range(count)}, bus).values())


SOURCES = {
    "LOAD_TORQUE": "section IV-A: 1 kg, M g r = 1.5 N m",
    "FLANGE_INERTIA": "authors' released model (qbmove_plugin, model.sdf), not in the paper",
    "FLANGE": "its inertia from the authors' released model; its mass is assumed, and has no effect at centre 0",
    "LOADED": "section IV-A; the flange's inertia, from the authors' released model, with it",
    "SHAFT_FRICTION": "Table I",
    "BAUD": "assumed: the slower one of the device's two",
    "HOST": "assumed: a USB adapter's",
}

LEFT_OUT = (
    "Friction of the output shaft is Coulomb friction of the engine's solver; the paper has the law of the motors there "
    "too (Hayward and Dahl). No controller here uses the board's readings of current and supply."
)
"""Effects that all single-module recipes leave out."""
STAGES = {
    "as released": "qbmove_maker_pro_pwm_released",
    "corrected": "qbmove_maker_pro_pwm",
}
"""The power stage with the authors' branch error, which their figures show, and without it."""
LOAD_TORQUE = 1.5
"""[N m] Weight of the load of 1 kg when it is horizontal."""
_ARM = LOAD_TORQUE / GRAVITY
FLANGE_INERTIA = 0.0015
"""[kg m^2]"""
FLANGE = Segment(mass=0.1, centre=0.0, inertia=FLANGE_INERTIA, length=0.0)
LOADED = Segment(mass=1.0, centre=_ARM, inertia=FLANGE_INERTIA + _ARM**2, length=_ARM)
SHAFT_FRICTION = 0.01
"""[N m]"""


def moved(
    actuator: str,
    segment: Segment,
    goal: Floats | float,
    preset: Floats | float,
    duration: float,
    timestep: float,
) -> Motion:
    """The joint, hanging at q = 0, after `goal` and `preset` [rad], constant or one a step.

    Commands arrive over the bus, and the motors are read by their encoders.
    """
    spec = one_joint(segment, timestep=timestep, friction=SHAFT_FRICTION, zero=-0.5 * pi)
    unit, steps = modules(actuator)[0], round(duration / timestep)
    return driven(spec, {"joint": unit}, steps, {"joint": goal}, preset)


def motors(motion: Motion) -> tuple[Floats, Floats]:
    """(T,) Mean and half difference [rad] of the two motors: equilibrium and preset reached."""
    one, two = (motion.state("joint", f"rotor_{n}.theta") for n in (1, 2))
    return 0.5 * (one + two), 0.5 * (one - two)
