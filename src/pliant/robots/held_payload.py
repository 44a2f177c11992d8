"""The mass that a robot holds, from its servos' leads while it holds still.

    d_j = tau_j(goal - q) - gravity_j(q) = m g_j(q) + friction_j,   |friction_j| <= F_j

g_j is the torque that 1 kg there adds. m is the least-squares solution over all joints and poses with weights
1 / F_j: for joints approached from both sides, friction then cancels, although it depends on the side.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.spec.placing import Wanted
from pliant.errors import PliantError
from pliant.robots.compensator import Compensator

STILL = 2e-3
"""[rad, m] Largest change between two rows, of any joint's goal or position, while the robot holds still."""
LEAST = 1e-3
"""[N m] Smallest friction, so that a servo without any has a finite weight."""


@dataclass(frozen=True)
class HeldPayload:
    """Mass [kg], its largest error due to friction alone [kg], and the `rows` it was found from."""

    mass: float
    doubt: float
    rows: int


def held_payload(
    model: str | Path | mujoco.MjSpec,
    place: str,
    goal: ArrayLike,
    position: ArrayLike,
    actuators: Wanted | None = None,
    **options: Any,
) -> HeldPayload:
    """The mass held at a site, or at a body's centre of mass.

    Args:
        model, actuators, options: as of `Compensator`. place: site or body.
        goal, position: (N, J) [rad, m] of the joints in their order, at poses that are held. Approached from
            both sides, friction cancels.
    """

    def loaded(payload: Mapping[str, float]) -> Compensator:
        return Compensator(model, actuators, cycle=1.0, payload=payload, **options)

    bare, more = loaded({}), loaded({place: 1.0})
    goals, seen = (np.asarray(x, np.float64) * bare.gear for x in (goal, position))
    if goals.shape != seen.shape or goals.ndim != 2 or goals.shape[1:] != bare.gear.shape:
        accepted = f"rows of {', '.join(bare.joints)}"
        raise PliantError(
            "has another shape", field="position", found=seen.shape, accepted=accepted
        )
    moves = np.abs(np.diff(np.hstack([goals, seen]), axis=0)).max(axis=1, initial=0.0)
    rest, rows = np.zeros(len(bare.joints)), np.flatnonzero(np.r_[moves, 0.0] < STILL)
    felt, asked, off = 0.0, 0.0, 0.0
    for n in map(int, rows):
        weight = bare.load.torque(seen[n], rest, rest)
        slope: Floats = more.load.torque(seen[n], rest, rest) - weight
        motor, budget = bare.leads.answers(rest, goals[n] - seen[n], -weight)
        known = (budget > 0.0) / np.maximum(budget, LEAST)
        felt += float(known @ slope**2)
        asked += float(known @ (slope * (motor - weight)))
        off += float(known @ (np.abs(slope) * budget))
    if felt <= 0.0:
        problem = "no joint feels a mass there" if len(rows) else "no two rows at which it is still"
        raise PliantError(problem, field=f"payload {place}")
    return HeldPayload(asked / felt, off / felt, len(rows))
