"""A prior put to use: how strongly it pulls, how far the logs moved it, whether it is of this unit.

The weight is found within the logs that are fitted: each group of them is predicted by a fit to the
others, pulled by one weight after the other, and the weight with the smallest error is taken.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.identify.problem.objective import Kind, Objective
from pliant.identify.problem.prior import WEIGHT, Prior
from pliant.identify.problem.space import Space
from pliant.identify.search.journal import Journal, NoJournal
from pliant.identify.search.least_squares import polish
from pliant.io.log import Log

WEIGHTS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""To choose from, the strongest first: each fit goes on from where the one before ended."""
JACOBIANS = 8
"""Of each of these fits, at most."""
APART = 0.05
"""Relative: nominal voltages that differ by more are two voltages."""

GROUPS: tuple[Callable[[Log], object], ...] = (
    lambda log: log.gain,
    lambda log: (log.mass, log.length),
    lambda log: log.trajectory,
    lambda log: log.name,
)
"""What the logs are grouped by for this: the first that makes two groups."""


@dataclass(frozen=True)
class Moved:
    """One parameter, before and after.

    Attributes:
        name: of the parameter. before, after: in its unit.
        widths: how far in widths of the prior (see `prior`), up or down.
    """

    name: str
    before: float
    after: float
    widths: float


@dataclass(frozen=True, eq=False)
class Weighing:
    """How the weight was chosen.

    Attributes:
        weight: taken. errors: of each weight tried, on logs left out [rad]; empty if it was given
            or could not be chosen.
    """

    weight: float
    errors: Mapping[float, float]


def weigh(
    prior: Prior,
    engine: JointEngine,
    logs: Sequence[Log],
    space: Space,
    kind: Kind,
    journal: Journal | None = None,
) -> Weighing:
    """The weight of `prior` that predicts logs left out best; as given if it is given.

    What each group of logs said stands in `journal`, as costs of the weights.
    """
    if prior.weight is not None:
        return Weighing(prior.weight, {})
    folds = _folds(logs)
    if len(folds) < 2:
        return Weighing(WEIGHT, {})
    journal = journal or NoJournal()
    paths: list[Floats] = []
    for k, fold in enumerate(folds):
        part = f"prior, group {k + 1} left out"
        known = journal.generations(part)
        path = known[0][0] if known else _path(prior, engine, *fold, space, kind)
        if not known:
            journal.add(part, path, float(path.min()))
        paths.append(path)
    errors = np.mean(paths, axis=0)
    found = dict(zip(WEIGHTS, map(float, errors), strict=True))
    return Weighing(min(found, key=lambda weight: found[weight]), found)


def _folds(logs: Sequence[Log]) -> list[tuple[list[Log], list[Log]]]:
    """(fitted, left out) for each group, one log or more in each."""
    for key in GROUPS:
        names = list(dict.fromkeys(key(log) for log in logs))
        if len(names) > 1:
            groups = [[log for log in logs if key(log) == name] for name in names]
            return [([log for log in logs if log not in out], out) for out in groups]
    return []


def _path(
    prior: Prior, engine: JointEngine, fitted: list[Log], out: list[Log], space: Space, kind: Kind
) -> Floats:
    """(W,) Error on `out` [rad] of a fit to the others with each weight."""
    point, errors = space.to_cube(space.start), list[float]()
    seen, unseen = LogBatch(fitted, engine), LogBatch(out, engine)
    judge = Objective(engine, unseen, space)
    for weight in WEIGHTS:
        goal = Objective(engine, seen, space, kind, pull=prior.pull(space, weight))
        point = polish(goal, point, JACOBIANS)
        errors.append(float(judge(point[None])[0]))
    return np.array(errors)


def moved(prior: Prior, space: Space, point: Floats) -> tuple[Moved, ...]:
    """How far each parameter that the prior knows ended from it, the farthest first."""
    pull = prior.pull(space, 1.0)
    known, after = prior.numbers(space), space.from_cube(point)
    widths = pull.deviations(point[None])[0]
    every = [
        Moved(space.names[k], known[space.names[k]].value, float(after[k]), float(far))
        for k, far in zip(pull.at, widths, strict=True)
    ]
    return tuple(sorted(every, key=lambda one: -abs(one.widths)))


def mismatches(actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    """Where the logs are of another device, voltage or firmware than the actuator, in words."""
    return [*_devices(actuator, logs), *_voltages(actuator, logs)]


def unlike(prior: Actuator, actuator: Actuator) -> list[str]:
    """Where the actuator that is fitted has another firmware than the prior's, in words."""
    words: list[str] = []
    a, b = prior.laws.get("control"), actuator.laws.get("control")
    if a is not None and b is not None and a.name != b.name:
        words.append(f"another firmware law: the prior's is {a.name}, here it is {b.name}")
    for name, number in prior.numbers.items():
        here = actuator.numbers.get(name)
        if number.how == "firmware" and here is not None and here.value != number.value:
            values = f"{number.value:.4g} in the prior, here {here.value:.4g}"
            words.append(f"another firmware: {name} is {values}")
    return words


def kinship(prior: Actuator, actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    """Whether prior, actuator and logs are of one device, voltage and firmware, in words."""
    known = {log.device for log in logs} - {"unknown"}
    if _devices(prior, logs) or _bare(prior.device) != _bare(actuator.device):
        device = "another device"
    else:
        device = "the same device" if known else "the logs do not name their device"
    stated = {log.supply for log in logs} - {None}
    if not stated or "own.voltage" not in prior.numbers:
        voltage = "the logs do not state a voltage"
    else:
        voltage = "another voltage" if _voltages(prior, logs) else "the same voltage"
    firmware = "another firmware" if unlike(prior, actuator) else "the same firmware numbers"
    return [f"{device} ({prior.device})", voltage, f"{firmware}, by the actuators' files"]


def _devices(actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    """Names agree where one begins with the other: "sts3032" and "sts3032_6V"."""
    mine = _bare(actuator.device)
    others = {log.device: 0 for log in logs if log.device != "unknown"}
    for log in logs:
        if log.device in others:
            others[log.device] += 1
    return [
        f"the logs are of another device: {count} of {len(logs)} say {name!r}, {actuator.name} is "
        f"of {actuator.device!r}"
        for name, count in others.items()
        if not (_bare(name).startswith(mine) or mine.startswith(_bare(name)))
    ]


def _bare(device: str) -> str:
    return "".join(c for c in device.casefold() if c.isalnum())


def _voltages(actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    if "own.voltage" not in actuator.numbers:
        return []
    nominal = actuator.value("own.voltage")
    found = sorted({log.supply for log in logs if log.supply is not None})
    other = [volt for volt in found if abs(volt - nominal) > APART * nominal]
    if not other:
        return []
    volts = ", ".join(f"{volt:g}" for volt in other)
    return [f"another voltage: the logs say {volts} V, {actuator.name} is for {nominal:g} V"]
