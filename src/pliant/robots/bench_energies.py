"""The energy that the actuator of a bench spends on the logs it is judged by, for tables and files."""

from dataclasses import fields

import numpy as np

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.errors import PliantError
from pliant.identification.problem.evaluation import Evaluation
from pliant.robots.energy_columns import SHOWN
from pliant.robots.log_energy import energy_of_log

Energies = dict[str, dict[str, float | None]]
"""Log to its quantities [J], all motors together; None: not known."""


def energies(
    actuator: Actuator, *evaluations: Evaluation | None, settings: JointSettings | None = None
) -> Energies:
    """The energies of every log of evaluations; none where the topology does not say its power."""
    found: Energies = {}
    for entry in (entry for one in evaluations if one is not None for entry in one.entries):
        try:
            energy = energy_of_log(actuator, entry.log, settings=settings)
        except PliantError:
            continue
        parts = {f.name: getattr(energy, f.name) for f in fields(energy)}
        known = {name: not bool(np.isnan(x).all()) for name, x in parts.items()}
        found[entry.log.name] = {
            name: float(parts[name][~np.isnan(parts[name])].sum()) if known[name] else None
            for name in SHOWN
        }
    return found


def energy_sums(found: Energies) -> dict[str, str]:
    """Column to the sum over all logs, as text; only what is known of any."""
    sums: dict[str, str] = {}
    for name, title in SHOWN.items():
        known = [x for one in found.values() if (x := one[name]) is not None]
        if known:
            sums[title] = f"{sum(known):.3g}"
    return sums
