"""Demands of an actuator on the timestep: sub-steps of its own, and whether the step is stable."""

from dataclasses import dataclass
from math import hypot, inf, sqrt

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec import slots
from pliant.engines.spec.messages import Caution
from pliant.engines.spec.sticking import slip_needed
from pliant.errors import PliantError
from pliant.lower.drive import EXPLICIT, FINEST, PART, substeps_for
from pliant.lower.law import at_rest

_PROBE = 1e-6
_LEAST = 1e-30
FAR = 10.0
"""[rad] A goal that saturates any position loop."""
CREEP = 8.7e-5
"""[rad/s] Allowed creep of a held joint: 0.05 degrees in 10 s."""
AGES = 1e6
"""[s] Longer than any timestep; XML has no infinity."""


@dataclass(frozen=True)
class Steps:
    """Sub-steps of one actuator on one joint at one timestep."""

    substeps: int
    delay: float
    """[s] How old a command is when it acts."""
    withheld: float
    """[rad/s^2] The acceleration that friction withstands at rest, with the motor stalled."""
    unloaded: float
    """[N m] The friction budget at rest, without motor torque and load."""
    warnings: tuple[Caution, ...]
    mobility: float = 0.0
    """[1/(kg m^2)] Of the joint, where its spring can be too stiff for the timestep; else 0."""
    stall: float = 0.0
    """[N m] The torque at rest that a goal far away asks for."""
    longest: float = inf
    """[s] The longest timestep in which the engine itself moves the joint against its spring."""
    any_mobility: float = 0.0
    """[1/(kg m^2)] What `mobility` is at a timestep at which the spring is too stiff."""
    feasible: float = inf
    """[s] The longest timestep for which there are sub-steps enough."""


AT_REST = Steps(substeps=1, delay=0.0, withheld=0.0, unloaded=0.0, warnings=())


def row_of(steps: Steps, timestep: float, gear: float, behind: int) -> Floats:
    """(mjNDYN,) The row of `actuator_dynprm`; see `slots`."""
    row = np.zeros(mujoco.mjNDYN)
    row[slots.FORM], row[slots.SUBSTEPS] = slots.ACTUATOR_FORM, steps.substeps
    row[slots.GRIP] = 1.0 / slip_needed(timestep, steps.withheld / gear, CREEP)
    row[slots.MOBILITY], row[slots.SECOND] = steps.mobility or -steps.any_mobility, behind
    row[slots.MADE_FOR], row[slots.WITHHELD] = timestep, steps.withheld / gear
    row[slots.LONGEST] = min(steps.feasible, AGES)
    return row


def check_timestep(timestep: float) -> None:
    """Refuse a model whose time does not go on."""
    if not 0.0 < timestep < inf:
        raise PliantError(
            "is not a timestep", field="option: timestep", found=timestep, accepted="above 0 [s]"
        )


# Long: one bound after the other, each with its reason.
def steps_of(
    actuator: Actuator,
    inertia: float,
    timestep: float,
    coupling: float = 1.0,
    values: Floats | None = None,
) -> Steps:
    """Sub-steps, delay and warnings of `actuator` on a joint of `inertia` [kg m^2].

    `coupling` is how much more readily joints with springs move together than this one alone;
    `values` are (P,) numbers in the order of `actuator.fields` instead of its own.

    The torque is linearised at rest, tau = -k q - d v. Back-EMF and firmware damping are explicit
    in the engine, so a semi-implicit step is stable as long as h^2 k + 2 h d < 4 J. From half of
    that h on, the timestep is warned about.

    Raises:
        PliantError: its masses, or the spring, would need more sub-steps than there are.
    """
    f = at_rest(actuator)
    p = f["load_parameters"]((actuator.values if values is None else values).tolist(), 0)
    h = timestep
    fastest = f["fastest"](p)
    _check_substeps(actuator, h, 2.0 * PART * FINEST / max(fastest, _LEAST), "masses")
    substeps = substeps_for(h, fastest)

    def torque(q: float, v: float, goal: float = 0.0) -> float:
        # A profile or a delay is at the goal already; no spring is stretched by that.
        s = f["start"](0.0 if f["stiffest"](p) > 0.0 else goal, p)
        supply = f["voltage"](p)
        s = f["step"](s, goal, 0.0, q, v, supply, 1.0, p, h / substeps)
        return f["torque"](s, goal, 0.0, q, v, supply, 1.0, p)

    stall = abs(torque(0.0, 0.0, FAR))
    budget = max(f["budget"](0.0, 0.0, 0.0, p), f["budget"](0.0, stall, -stall, p))

    stiffness = -(torque(_PROBE, 0.0) - torque(-_PROBE, 0.0)) / (2.0 * _PROBE)
    damping = -(torque(0.0, _PROBE) - torque(0.0, -_PROBE)) / (2.0 * _PROBE)
    warnings = _near_the_limit(h, inertia, stiffness, damping)
    mobility = coupling / inertia
    along = max(sqrt(mobility * f["stiffest"](p)), mobility * f["damping"](p))
    springy, lossy = h * h * mobility * f["stiffest"](p), h * mobility * f["damping"](p)
    pace = max(springy, lossy)
    feasible = 2.0 * PART * FINEST / max(hypot(fastest, along), _LEAST)
    if pace > EXPLICIT:
        warnings = ()
        _check_substeps(actuator, h, feasible, "spring")
    delay = -f["issued"](0.0, p)
    unloaded = f["budget"](0.0, 0.0, 0.0, p)
    return Steps(
        substeps,
        delay,
        budget / inertia,
        unloaded,
        warnings,
        mobility if pace > EXPLICIT else 0.0,
        stall,
        h * min(sqrt(EXPLICIT / max(springy, _LEAST)), EXPLICIT / max(lossy, _LEAST)),
        mobility if pace > 0.0 else 0.0,
        feasible,
    )


def _check_substeps(actuator: Actuator, h: float, feasible: float, what: str) -> None:
    if h > feasible:
        raise PliantError(
            f"too large for the {what} of {actuator.name}, even with {FINEST} sub-steps",
            field="timestep",
            found=h,
            accepted=f"up to {feasible:.3g} s",
        )


def _near_the_limit(
    h: float, inertia: float, stiffness: float, damping: float
) -> tuple[Caution, ...]:
    """A warning of a timestep `h` [s] beyond half of the longest stable one."""
    limit = longest_stable_step(inertia, stiffness, damping)
    if h <= 0.5 * limit:
        return ()
    text = (
        f"timestep {h:g} s is near or beyond the stability limit of {limit:.3g} s "
        f"(inertia {inertia:.3g} kg m^2, {stiffness:.3g} N m/rad, {damping:.3g} N m s/rad)"
    )
    numbers = {
        "timestep": h,
        "limit": limit,
        "inertia": inertia,
        "stiffness": stiffness,
        "damping": damping,
    }
    return (Caution("timestep", text, numbers=numbers),)


def longest_stable_step(inertia: float, stiffness: float, damping: float) -> float:
    """The root h of h^2 k + 2 h d = 4 J [s]; infinite for a torque that knows no motion."""
    d, k = max(damping, 0.0), max(stiffness, 0.0)
    slope = d + sqrt(d * d + 4.0 * k * inertia)
    return 4.0 * inertia / slope if slope > 0.0 else float("inf")
