"""Choices made for one timestep, at the timestep that the model has now.

Sub-steps, grip and mobility are chosen when an actuator is attached. Where a program changes the
timestep later, they follow it.
"""

from typing import Any

from pliant.engines.mujoco.native.memory import (
    compiled,
    inlined,
    integer_at,
    number,
    number_at,
    pointer,
)
from pliant.engines.mujoco.plugin.fields import DYNPRM, MODEL
from pliant.engines.spec.rows import CREEP
from pliant.engines.spec.slots import (
    GRIP,
    LONGEST,
    MADE_FOR,
    MOBILITY,
    WITHHELD,
)
from pliant.engines.spec.sticking import slip_needed

_needed: Any = compiled(slip_needed)
ROUNDING = 1e-3
"""Part of a delay: XML keeps six digits of it and of the timestep."""


@inlined
def is_other(row: int, h: float) -> bool:
    """Whether `h` [s] is not what the numbers at the address `row` were chosen for."""
    made = number_at(row, MADE_FOR)
    return h != made and made > 0.0


@inlined
def unprepared(model: int, actuator: int, delay: float) -> bool:
    """Whether the model's timestep needs more sub-steps or old commands than the actuator has."""
    row = pointer(model, MODEL.actuator_dynprm) + 8 * DYNPRM * actuator
    h = number(model, MODEL.opt_timestep)
    return is_other(row, h) and _too_few(model, actuator, row, h, delay)


@compiled
def _too_few(model: int, actuator: int, row: int, h: float, delay: float) -> bool:
    kept = integer_at(pointer(model, MODEL.actuator_history), 2 * actuator)
    return h > number_at(row, LONGEST) > 0.0 or (
        kept > 0 and delay > (kept - 1) * h * (1.0 + ROUNDING)
    )


@inlined
def mobility_of(row: int, h: float) -> float:
    """Mobility [1/(kg m^2)] of a joint that may move in the sub-steps, else 0."""
    mobility, made = number_at(row, MOBILITY), number_at(row, MADE_FOR)
    if mobility < 0.0:
        mobility = -mobility if h > made else 0.0
    return mobility


@inlined
def slip_of(row: int, h: float) -> float:
    """1 - impedance of the joint's friction row: creep grows with the timestep."""
    slip = 1.0 / number_at(row, GRIP)
    return _needed(h, number_at(row, WITHHELD), CREEP) if is_other(row, h) else slip
