"""What an actuator asks of the timestep: sub-steps of its own, and whether the step is stable."""

from dataclasses import dataclass
from math import ceil, hypot, sqrt

from pliant.assemble import Actuator
from pliant.lower.plain import plain

PART = 0.2
"""A sub-step is at most this part of the stability limit 2 / omega (compliant_actuators: 2.6)."""
EXPLICIT = 1.0
"""Up to this h omega the engine moves the joint against its spring; beyond it, the actuator does in
its own sub-steps. The engine's step is unstable at 2, or earlier where bodies move together."""
FINEST = 100
"""At most so many sub-steps."""
_PROBE = 1e-6
FAR = 10.0
"""[rad] A goal that saturates any position loop."""


@dataclass(frozen=True)
class Steps:
    """For one actuator on one joint at one timestep."""

    substeps: int
    delay: float
    """[s] How old a command is when it acts."""
    withheld: float
    """[rad/s^2] The acceleration that friction withstands at rest, with the motor stalled."""
    unloaded: float
    """[N m] The friction budget at rest, without motor torque and load."""
    warnings: tuple[str, ...]
    mobility: float = 0.0
    """[1/(kg m^2)] Of the joint, where its spring is too stiff for the timestep; else 0."""


def steps_of(actuator: Actuator, inertia: float, timestep: float) -> Steps:
    """Sub-steps, delay and warnings of `actuator` on a joint of `inertia` [kg m^2].

    The torque is linearised at rest, tau = -k q - d v. Back-EMF and firmware damping are explicit
    in the engine, so a semi-implicit step is stable as long as h^2 k + 2 h d < 4 J. From half of
    that h on, the timestep is warned about.
    """
    f = plain(actuator)
    p = f["load_parameters"](list(actuator.values), 0)
    h = timestep
    fastest = f["fastest"](p)
    substeps = max(1, ceil(h * fastest / (2.0 * PART)))

    def torque(q: float, v: float, goal: float = 0.0) -> float:
        s = f["start"](0.0, p)
        supply = f["voltage"](p)
        s = f["step"](s, goal, 0.0, q, v, supply, 1.0, p, h / substeps)
        return f["torque"](s, goal, 0.0, q, v, supply, 1.0, p)

    stall = abs(torque(0.0, 0.0, FAR))
    budget = max(f["budget"](0.0, 0.0, 0.0, p), f["budget"](0.0, stall, -stall, p))

    stiffness = -(torque(_PROBE, 0.0) - torque(-_PROBE, 0.0)) / (2.0 * _PROBE)
    damping = -(torque(0.0, _PROBE) - torque(0.0, -_PROBE)) / (2.0 * _PROBE)
    limit = longest_stable_step(inertia, stiffness, damping)
    warnings: list[str] = []
    if h > 0.5 * limit:
        warnings.append(
            f"timestep {h:g} s is near or beyond the stability limit of {limit:.3g} s "
            f"(inertia {inertia:.3g} kg m^2, {stiffness:.3g} N m/rad, {damping:.3g} N m s/rad)"
        )
    own = max(sqrt(f["stiffest"](p) / inertia), f["damping"](p) / inertia)
    along = h * own > EXPLICIT
    if along:
        warnings.clear()
        substeps = min(ceil(h * hypot(fastest, own) / (2.0 * PART)), FINEST)
    delay = -f["issued"](0.0, p)
    unloaded = f["budget"](0.0, 0.0, 0.0, p)
    mobility = 1.0 / inertia if along else 0.0
    return Steps(substeps, delay, budget / inertia, unloaded, tuple(warnings), mobility)


def longest_stable_step(inertia: float, stiffness: float, damping: float) -> float:
    """The root h of h^2 k + 2 h d = 4 J [s]; infinite for a torque that knows no motion."""
    d, k = max(damping, 0.0), max(stiffness, 0.0)
    slope = d + sqrt(d * d + 4.0 * k * inertia)
    return 4.0 * inertia / slope if slope > 0.0 else float("inf")
