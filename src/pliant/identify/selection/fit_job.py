"""One whole fit as a piece of work that can be done anywhere: plain values in, plain values out."""

import dataclasses
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.errors import PliantError
from pliant.identify.fit import Identification, identify
from pliant.identify.problem.objective import Kind
from pliant.identify.search.search import SearchSettings
from pliant.identify.selection.nested_models import BENCH, begun_at
from pliant.io.actuator_file import read_actuator
from pliant.io.log import Log

Bounds = Mapping[str, tuple[float, float] | None]
ZERO = f"{BENCH}position_offset"


@dataclass(frozen=True, kw_only=True, eq=False)
class FitJob:
    """One fit of one actuator to some of the logs.

    Attributes:
        name: unlike that of any other.
        actuator: TOML text, so that another process assembles it anew.
        fitted, held_out: indices of logs.
        fit, fix: as of `identify`, those that this actuator has.
        objective, search, joint: as of `identify`.
        after: fits of simpler models to the same logs; it begins at the best of them.
        zeros: fits to logs of one mounting, and which logs are of it: see `rezeroed`.
        version: of Pliant, which must be that of the worker.
    """

    name: str
    actuator: str
    fitted: tuple[int, ...]
    held_out: tuple[int, ...] = ()
    fit: Bounds = field(default_factory=dict[str, tuple[float, float] | None])
    fix: tuple[str, ...] = ()
    objective: Kind = "absolute"
    search: SearchSettings = field(default_factory=SearchSettings)
    joint: JointSettings = field(default_factory=JointSettings)
    after: tuple[str, ...] = ()
    zeros: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    version: str = field(default_factory=lambda: version("pliant"))

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the fits that come first."""
        return (*self.after, *self.zeros)


@dataclass(frozen=True, eq=False)
class JobResult:
    """What a fit came to.

    Attributes:
        actuator: TOML text of the model as it was given.
        values: parameters searched, in SI units.
        cost: what was minimised, on the logs fitted.
        fitted, held_out: log to its error [rad].
        evaluations, steps, seconds, cpu: what it took; `cpu` [s] is that of the whole process.
    """

    actuator: str
    values: Mapping[str, float]
    cost: float
    fitted: Mapping[str, float]
    held_out: Mapping[str, float]
    evaluations: int
    steps: int
    seconds: float
    cpu: float


def run(
    fit: FitJob, logs: Sequence[Log], known: Sequence[JobResult], checkpoint: Path | None = None
) -> JobResult:
    """Do one fit.

    Args:
        fit: what to do. logs: all of them.
        known: what the fits it needs came to, in the order of `fit.needs`.
        checkpoint: where its search keeps what it has done; it stays, for the caller to remove.

    Raises:
        PliantError: another version of Pliant runs here, or see `identify`.
        KeyboardInterrupt: it was interrupted; nothing is returned of half a fit.
    """
    if fit.version != version("pliant"):
        raise PliantError(
            "another version of Pliant on this worker",
            found=version("pliant"),
            accepted=fit.version,
        )
    began = time.process_time()
    found = identified(fit, logs, known, checkpoint=checkpoint)
    if found.search.interrupted:
        raise KeyboardInterrupt
    other = found.held_out
    return JobResult(
        fit.actuator,
        values_of(found),
        found.search.cost,
        {entry.log.name: entry.mae for entry in found.fitted.logs},
        {} if other is None else {entry.log.name: entry.mae for entry in other.logs},
        found.search.evaluations,
        found.steps,
        found.seconds,
        time.process_time() - began,
    )


def identified(
    fit: FitJob,
    logs: Sequence[Log],
    known: Sequence[JobResult],
    name: str | None = None,
    *,
    checkpoint: Path | None = None,
) -> Identification:
    """The same with all that `identify` returns."""
    simpler, zeros = known[: len(fit.after)], known[len(fit.after) :]
    actuator = assembled(fit.actuator)
    if simpler:
        best = min(simpler, key=lambda one: one.cost)
        actuator = begun_at(actuator, assembled(best.actuator), best.values)
    moved = rezeroed(logs, zip(fit.zeros.values(), zeros, strict=True))
    return identify(
        actuator,
        [moved[k] for k in fit.fitted],
        held_out=[moved[k] for k in fit.held_out],
        fit=fit.fit,
        fix=fit.fix,
        objective=fit.objective,
        search_settings=fit.search,
        settings=fit.joint,
        name=name,
        checkpoint=checkpoint,
        keep_checkpoint=True,
    )


def rezeroed(
    logs: Sequence[Log], mountings: Iterable[tuple[tuple[int, ...], JobResult]]
) -> list[Log]:
    """The logs; those of each mounting are shifted by how far its zero is from the mean zero."""
    moved = list(logs)
    zeros = [(members, found.values[ZERO]) for members, found in mountings]
    mean = sum(zero for _, zero in zeros) / max(len(zeros), 1)
    for members, zero in zeros:
        for k in members:
            log, shift = logs[k], zero - mean
            moved[k] = dataclasses.replace(
                log, position=log.position + shift, goal=log.goal + shift
            )
    return moved


def values_of(found: Identification) -> dict[str, float]:
    """The parameters searched, in SI units."""
    actuator = found.actuator
    return {
        name: (
            actuator.bench[name.removeprefix(BENCH)]
            if name.startswith(BENCH)
            else actuator.numbers[name]
        ).value
        for name in found.space.names
    }


def assembled(text: str) -> Actuator:
    """The actuator of a TOML text; laws of one's own stand in it with their paths."""
    with tempfile.TemporaryDirectory(prefix="pliant_") as folder:
        path = Path(folder) / "candidate.toml"
        path.write_text(text, "utf-8")
        return dataclasses.replace(read_actuator(path, laws_anywhere=True), path=None)
