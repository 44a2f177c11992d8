"""Drawn parameters in a compiled model, with all quantities that depend on them.

    attachment.randomise(batch, {"elbow": "draws.csv"}, seed=1)       # what `identify` wrote
    attachment.randomise(batch, {"elbow": spread(actuator, {"motor.k_t": 0.1})})   # within 10 %

A parameter is a number in `actuator_user`. Other fields depend on some of them: the joint's armature on the rotor's
inertia, the joint's frictionloss on the budget at rest, and the sub-steps and slip that `attach` chose on stiffness,
inertia and budget. All are written together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator, of_bench
from pliant.assemble.checks import check_range
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.engines.spec.joints import has_budget, inertias_in, references
from pliant.engines.spec.readings import (
    Readings,
    Simulations,
    actuator_on,
    off_joint,
    ratio_in,
    second_command_of,
)
from pliant.engines.spec.slots import CHOSEN
from pliant.engines.spec.steps import row_of, steps_of
from pliant.errors import PliantError, check_kind, check_known, located
from pliant.files import read_text

ARMATURE, DELAY = "own.armature", "timing.delay"
LARGEST = 1 << 28
"""[bytes] Of a file of draws."""

Draws = Mapping[str, Mapping[str, ArrayLike] | str | Path]
"""Joint to parameter to its K values, or to the CSV file that `identify --plan draws=FILE` writes."""


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows of a model that K sets of numbers of one joint write.

    Attributes:
        user: (K, P) of `actuator_user`. dynprm: (K, D) of `actuator_dynprm`.
        armature, frictionloss: (K,) of the joint; None: it has its own.
    """

    actuator: int
    dof: int
    user: Floats
    dynprm: Floats
    armature: Floats | None
    frictionloss: Floats | None


def randomise(
    entries: Iterable[Readings],
    target: "mujoco.MjModel | Simulations",
    draws: Draws | None = None,
    seed: int | np.random.Generator | None = None,
    spread: float = 1.0,
) -> dict[str, NDArray[np.intp]]:
    """Give each simulation drawn numbers; see `Attachment.randomise`."""
    entries = list(entries)
    check_kind(spread, (int, float), "spread", "a factor from 0")
    if not 0.0 <= spread < inf:
        raise PliantError("out of range", field="spread", found=spread, accepted="a factor from 0")
    draws = _carried(entries) if draws is None else draws
    random = _generator(seed)
    one = isinstance(target, mujoco.MjModel)
    model = target if one else getattr(target, "model", None)
    if not isinstance(model, mujoco.MjModel) or not (one or hasattr(target, "nsim")):
        raise PliantError(
            "has no actuators to randomise",
            field="batch_or_model",
            found=type(target).__name__,
            accepted="mujoco.MjModel, or mujoco.batch.Batch",
        )
    count = 1 if isinstance(target, mujoco.MjModel) else target.nsim
    taken: dict[str, NDArray[np.intp]] = {}
    for joint, rows in drawn_rows(entries, model, draws, spread).items():
        taken[joint] = random.integers(len(rows.user), size=count)
        _write(target, rows, taken[joint])
    _settle(target)
    return taken


def _carried(entries: Iterable[Readings]) -> Draws:
    """The sets that actuators carry."""
    sets = {entry.joint: entry.actuator for entry in entries}
    found: dict[str, dict[str, Floats]] = {}
    for joint, actuator in sets.items():
        if actuator.ensemble is None:
            continue
        found[joint] = columns = actuator.ensemble.columns(actuator.fields)
        if DELAY in columns:  # MuJoCo keeps no older commands than the attached delay needs
            columns[DELAY] = np.minimum(columns[DELAY], actuator.value(DELAY))
    if not found:
        raise PliantError(
            "no actuator carries a set of numbers",
            field="draws",
            found=", ".join(actuator.name for actuator in sets.values()) or None,
            accepted="actuators that `identify` wrote with intervals, or draws",
        )
    return found


def drawn_rows(
    entries: Iterable[Readings], model: mujoco.MjModel, draws: Draws, spread: float = 1.0
) -> dict[str, DrawnRows]:
    """Joint to what its draws write, checked; pulled apart by `spread` about the attached numbers.

    Raises:
        PliantError: nothing was attached to a joint, a parameter is none of its actuator's, columns
            differ in length, a value is outside its law's range, a delay is longer than the model
            keeps commands, or a spring too stiff for the timestep.
    """
    attached = {entry.joint: entry.actuator for entry in entries}
    check_kind(draws, Mapping, "draws", "joint to the values of its parameters")
    for joint in draws:
        check_known(joint, attached, "nothing was attached to this joint")
    springs = [joint for joint, actuator in attached.items() if not has_budget(actuator)]
    inertias, coupling = inertias_in(model, list(attached), springs)
    felt = dict(zip(attached, inertias, strict=True))
    found: dict[str, DrawnRows] = {}
    for joint, given in draws.items():
        with located(file_of(given), f"draws of {joint}"):
            table = _apart(drawn_table(given, attached[joint]), attached[joint], spread)
            found[joint] = _rows(model, joint, attached[joint], table, felt[joint], coupling)
    return found


def spread(
    actuator: Actuator, within: Mapping[str, float], count: int = 1024, seed: int = 1
) -> dict[str, Floats]:
    """`count` sets whose parameters lie evenly within parts of the actuator's own values.

    Args:
        actuator: whose values are the middle.
        within: parameter to the largest deviation as a part of its value (0.1: within 10 %).
        count: rows. seed: random seed.

    Raises:
        PliantError: the actuator has no such parameter, or a part is not between 0 and 1.
    """
    actuator.check_names(within)
    random = np.random.default_rng(seed)
    table: dict[str, Floats] = {}
    for name, part in within.items():
        if not 0.0 <= part < 1.0:
            raise PliantError("must be a fraction", field=name, found=part, accepted="0 to below 1")
        table[name] = actuator.value(name) * random.uniform(1.0 - part, 1.0 + part, count)
    return table


def drawn_table(
    given: Mapping[str, ArrayLike] | str | Path, actuator: Actuator
) -> dict[str, Floats]:
    """Parameter to its (K,) values, without those of the bench.

    Raises:
        PliantError: a parameter is none of the actuator's, or columns differ in length.
    """
    check_kind(given, (Mapping, str, Path), "", "parameter to its values, or a CSV file")
    if isinstance(given, str | Path):
        with located(given):
            rows = csv_rows(read_text(Path(given), largest=LARGEST))
            columns = csv_columns(rows)
            finite_columns(rows, columns)
        with located(given, "columns"):
            return _checked(columns, actuator)
    return _checked(given, actuator)


def file_of(given: Mapping[str, ArrayLike] | str | Path) -> str | Path | None:
    """The file of draws; None where they were given as values."""
    return given if isinstance(given, str | Path) else None


def _checked(named: Mapping[str, ArrayLike], actuator: Actuator) -> dict[str, Floats]:
    table = {n: _numbers(n, x) for n, x in named.items() if not of_bench(str(n))}
    actuator.check_names(table)
    shapes = {name: values.shape for name, values in table.items()}
    if len(set(shapes.values())) != 1 or any(
        len(shape) != 1 or not shape[0] for shape in shapes.values()
    ):
        raise PliantError(
            "needs columns of the same length",
            found=shapes,
            accepted="(K,) values of each parameter",
        )
    return table


def _apart(table: dict[str, Floats], actuator: Actuator, spread: float) -> dict[str, Floats]:
    """Values spread about the actuator's own, within the bounds of its file, or else of its laws.

    No delay gets longer than the attached one.
    """
    if spread == 1.0:
        return table
    pulled = dict[str, Floats]()
    for name, values in table.items():
        number, field = actuator.numbers[name], actuator.fields[name]
        low = field.low if number.low is None else number.low
        high = field.high if number.high is None else number.high
        high = number.value if name == DELAY else high
        pulled[name] = np.clip(number.value + spread * (values - number.value), low, high)
    return pulled


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PliantError(
            "are no numbers", field=str(name), found=values, accepted="(K,) values"
        ) from None


def _generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        accepted = "an integer from 0, or a NumPy Generator"
        raise PliantError("is no seed", field="seed", found=seed, accepted=accepted) from None


def _rows(
    model: mujoco.MjModel,
    joint: str,
    actuator: Actuator,
    table: Mapping[str, Floats],
    inertia: float,
    coupling: float,
) -> DrawnRows:
    place = actuator_on(model, joint)
    if off_joint(model, place):
        raise PliantError(
            "acts on no joint: only actuators on joints can be randomised", field=f"joint {joint}"
        )
    dof = int(model.joint(joint).dofadr[0])
    gear, h = abs(ratio_in(model, place)), float(model.opt.timestep)
    drawn = filled(actuator, table)
    count, width = drawn.shape
    user = np.tile(model.actuator_user[place], (count, 1))
    user[:, :width] = drawn
    dynprm = np.tile(model.actuator_dynprm[place], (count, 1))
    budget = has_budget(actuator)
    loss = np.full(count, float(model.dof_frictionloss[dof]))
    armature = drawn[:, list(actuator.fields).index(ARMATURE)] if budget else np.zeros(count)
    at_rest = float(model.dof_armature[dof]) / gear**2 if budget else 0.0
    felt, longest = inertia / gear**2 + armature - at_rest, 0.0
    for k in range(count):
        steps = steps_of(actuator, float(felt[k]), h, coupling, drawn[k])
        longest = max(longest, steps.delay)
        dynprm[k, [*CHOSEN]] = row_of(steps, h, gear, 0)[[*CHOSEN]]
        if steps.unloaded > 0.0:
            loss[k] = gear * steps.unloaded
    _check_delay(model, place, longest, actuator)
    return DrawnRows(
        place,
        dof,
        user,
        dynprm,
        armature * gear**2 if budget else None,
        loss if budget else None,
    )


def filled(actuator: Actuator, table: Mapping[str, Floats]) -> Floats:
    """(K, P) the actuator's own numbers, but for the columns of the table."""
    count = len(next(iter(table.values())))
    drawn = np.tile(actuator.values, (count, 1))
    places = {name: k for k, name in enumerate(actuator.fields)}
    for name, column in table.items():
        declared = actuator.fields[name]
        wrong = ~((declared.low <= column) & (column <= declared.high))  # true of NaN
        check_range(name, float(column[int(np.argmax(wrong))]), declared)
        drawn[:, places[name]] = column
    return drawn


def _check_delay(model: mujoco.MjModel, place: int, delay: float, actuator: Actuator) -> None:
    """MuJoCo keeps as many commands as the delay needed that was attached."""
    second = [second_command_of(model, place)] if references(actuator) > 1 else []
    for k in (place, *second):
        kept = int(model.actuator_history[k, 0]) - 2
        if delay > 0.0 and ceil(delay / model.opt.timestep) > kept:
            raise PliantError(
                "a command delay longer than the model's history of commands",
                found=delay,
                accepted=f"up to {max(kept, 0) * model.opt.timestep:g} s; attach the longest delay",
            )


def _write(
    target: "mujoco.MjModel | Simulations", rows: DrawnRows, taken: NDArray[np.intp]
) -> None:
    fields = {
        "actuator_user": (rows.actuator, rows.user),
        "actuator_dynprm": (rows.actuator, rows.dynprm),
        "dof_armature": (rows.dof, rows.armature),
        "dof_frictionloss": (rows.dof, rows.frictionloss),
    }
    many: Any = target
    for name, (place, values) in fields.items():
        if values is None:
            continue
        if isinstance(target, mujoco.MjModel):
            getattr(target, name)[place] = values[taken[0]]
        else:
            many.expand(name)[:, place] = values[taken]


def _settle(target: "mujoco.MjModel | Simulations") -> None:
    """Derive what depends on the armature."""
    many: Any = target
    if isinstance(target, mujoco.MjModel):
        mujoco.mj_setConst(target, mujoco.MjData(target))
    else:
        many.set_const()
