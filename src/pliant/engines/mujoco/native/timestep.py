"""Choices made for one timestep, at the timestep that the model has now.

Sub-steps, grip and mobility are chosen when an actuator is attached. Where a program changes the
timestep later, they follow it.
"""

from pliant.engines.mujoco.native.structs import MjModel, Numbers
from pliant.engines.spec.rows import CREEP
from pliant.engines.spec.slots import (
    GRIP,
    LONGEST,
    MADE_FOR,
    MOBILITY,
    WITHHELD,
)
from pliant.engines.spec.sticking import slip_needed

ROUNDING = 1e-3
"""Part of a delay: XML keeps six digits of it and of the timestep."""


def is_other(row: Numbers, h: float) -> bool:
    """Whether `h` [s] is not what a row of `actuator_dynprm` was chosen for."""
    made = row[MADE_FOR]
    return h != made and made > 0.0


def unprepared(model: MjModel, actuator: int, delay: float) -> bool:
    """Whether the model's timestep needs more sub-steps or old commands than the actuator has."""
    row = model.actuator_dynprm[actuator]
    h = model.opt.timestep
    kept = model.actuator_history[actuator, 0]
    return is_other(row, h) and (
        h > row[LONGEST] > 0.0 or (kept > 0 and delay > (kept - 1) * h * (1.0 + ROUNDING))
    )


def mobility_of(row: Numbers, h: float) -> float:
    """Mobility [1/(kg m^2)] of a joint that may move in the sub-steps, else 0."""
    mobility = row[MOBILITY]
    if mobility < 0.0:
        mobility = -mobility if h > row[MADE_FOR] else 0.0
    return mobility


def slip_of(row: Numbers, h: float) -> float:
    """1 - impedance of the joint's friction row: creep grows with the timestep."""
    return slip_needed(h, row[WITHHELD], CREEP) if is_other(row, h) else 1.0 / row[GRIP]
