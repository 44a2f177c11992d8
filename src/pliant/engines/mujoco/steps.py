"""What an actuator asks of the timestep: sub-steps of its own, and whether the step is stable."""

from collections.abc import Callable
from dataclasses import dataclass

from math import ceil
from typing import Any

from pliant.assemble import Actuator
from pliant.lower.assembly import assembly
from pliant.lower.build import build
from pliant.lower.emit import python
from pliant.lower.link import Linker

PART = 0.2
"""A sub-step is at most this part of the stability limit 2 / omega (compliant_actuators: 2.6)."""
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
    warnings: tuple[str, ...]


def steps_of(actuator: Actuator, inertia: float, timestep: float) -> Steps:
    """Sub-steps, delay and warnings of `actuator` on a joint of `inertia` [kg m^2].

    The torque is linearised at rest; back-EMF and firmware damping are explicit in the engine, so
    h d / J < 2 and h^2 k / J < 4 are needed; half of that is warned about.
    """
    f = reference(actuator)
    p = f["load_parameters"](list(actuator.values), 0)
    h = timestep
    fastest = f["fastest"](p)
    substeps = max(1, ceil(h * fastest / (2.0 * PART)))

    def torque(q: float, v: float, goal: float = 0.0) -> float:
        s = f["start"](0.0, p)
        supply = f["voltage"](p)
        s = f["step"](s, goal, q, v, supply, 1.0, p, h / substeps)
        return f["torque"](s, goal, q, v, supply, 1.0, p)

    stall = abs(torque(0.0, 0.0, FAR))
    budget = max(f["budget"](0.0, 0.0, 0.0, p), f["budget"](0.0, stall, -stall, p))

    stiffness = -(torque(_PROBE, 0.0) - torque(-_PROBE, 0.0)) / (2.0 * _PROBE)
    damping = -(torque(0.0, _PROBE) - torque(0.0, -_PROBE)) / (2.0 * _PROBE)
    warnings: list[str] = []
    if h * damping / inertia > 1.0 or h * h * stiffness / inertia > 2.0:
        limit = min(2.0 * inertia / damping if damping > 0 else 1e9,
                    2.0 * (inertia / stiffness) ** 0.5 if stiffness > 0 else 1e9)  # fmt: skip
        warnings.append(
            f"timestep {h:g} s is near or beyond the stability limit of {limit:.2g} s "
            f"(inertia {inertia:.2g} kg m^2, {stiffness:.3g} N m/rad, {damping:.3g} N m s/rad)"
        )
    delay = -f["issued"](0.0, p)
    return Steps(substeps, delay, budget / inertia, tuple(warnings))


_WANTED = (
    "load_parameters", "start", "step", "torque", "budget", "voltage", "issued", "fastest",
)  # fmt: skip


def reference(actuator: Actuator) -> dict[str, Callable[..., Any]]:
    """The assembled actuator's functions as plain Python, by name."""
    source, linker = assembly(actuator.topology, actuator.laws), Linker()
    names = {name: linker.function(source, name).name for name in _WANTED}
    module = build(python(linker), f"python_{actuator.topology.name}", linker)
    return {name: getattr(module, final) for name, final in names.items()}
