"""The energy that an actuator spends on the logs it is judged by, for the terminal and `--json`."""

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from pliant.cli.terminal import columns
from pliant.robots.energy_columns import SHOWN

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.engines.joint.engine import JointSettings
    from pliant.identify.problem.evaluation import Evaluation

Energies = dict[str, dict[str, float | None]]
"""Log to its quantities [J], all motors together; None: not known."""


def energies(
    actuator: "Actuator", evaluation: "Evaluation", settings: "JointSettings | None" = None
) -> Energies:
    """The energies of every log of an evaluation; none where the topology does not say its power."""
    from pliant.errors import PliantError
    from pliant.robots.log_energy import energy_of_log

    found: Energies = {}
    for entry in evaluation.entries:
        try:
            energy = energy_of_log(actuator, entry.log, settings=settings)
        except PliantError:
            continue
        parts = {f.name: getattr(energy, f.name) for f in fields(energy)}
        known = {name: not bool(np.isnan(x).all()) for name, x in parts.items()}
        found[entry.log.name] = {
            name: float(np.nansum(parts[name])) if known[name] else None for name in SHOWN
        }
    return found


def energy_table(found: Energies) -> str:
    """All logs together, what is known of them; "" where nothing is."""
    sums: dict[str, float] = {}
    for name, title in SHOWN.items():
        known = [x for one in found.values() if (x := one[name]) is not None]
        if known:
            sums[title] = sum(known)
    if not sums:
        return ""
    head = f"energy of {len(found)} logs [J]" if len(found) > 1 else "energy [J]"
    row = ["simulated", *(f"{x:.3g}" for x in sums.values())]
    return columns([head, *sums], [row], numbers=tuple(range(1, len(row))))
