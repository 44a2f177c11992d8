"""The part of a servo's friction at rest that is certain, by the sets of numbers that its file allows."""

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.lower.plain import plain

LOW = 0.1
"""Quantile of the friction budgets that counts as certain."""
UNKNOWN = 0.5
"""Part that counts as certain where a file says nothing of how well its friction is known."""
DRAWS = 64


def certain_friction(actuator: Actuator, load: float) -> float:
    """Part of the friction budget at rest, 0 to 1, that nine in ten of the allowed sets have.

    The sets are those that the file carries, or else draws from its standard deviations.

    Args:
        load: torque [N m] that the gear carries, once with either sign and once without.
    """
    own = plain(actuator)
    sets = allowed_numbers(actuator)
    if len(sets) < 2:
        return UNKNOWN
    part = 1.0
    for tau in (-load, 0.0, load):
        budgets = [
            own["budget"](0.0, tau, -tau, own["load_parameters"](row.tolist(), 0))
            for row in (actuator.values, *sets)
        ]
        if budgets[0] > 0.0:
            part = min(part, float(np.quantile(budgets[1:], LOW)) / budgets[0])
    return part


def allowed_numbers(actuator: Actuator, seed: int = 1) -> Floats:
    """(K, P) sets of numbers that its file allows; its own alone where it says nothing of others."""
    names, ensemble = list(actuator.fields), actuator.ensemble
    if ensemble is not None:
        rows = np.tile(actuator.values, (len(ensemble.values), 1))
        for name, column in ensemble.columns(names).items():
            rows[:, names.index(name)] = column
        return rows
    numbers, ranges = [actuator.numbers[name] for name in names], actuator.fields.values()
    std = np.array([number.std or 0.0 for number in numbers])
    if not std.any():
        return actuator.values[None]
    pairs = list(zip(numbers, ranges, strict=True))
    low = [field.low if number.low is None else number.low for number, field in pairs]
    high = [field.high if number.high is None else number.high for number, field in pairs]
    drawn = np.random.default_rng(seed).normal(actuator.values, std, (DRAWS, len(std)))
    return np.where(std > 0.0, np.clip(drawn, low, high), actuator.values)
