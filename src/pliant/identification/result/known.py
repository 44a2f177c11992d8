"""Zeros, delays and bands for other logs, known from the record in an actuator file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identification.problem.evaluation import (
    Evaluation,
    TraceError,
    mean_absolute,
    of_draws,
)
from pliant.identification.problem.mounting_offsets import (
    AUTO,
    MOUNTINGS,
    ZERO,
    ZeroFound,
    find_zeros,
)
from pliant.identification.problem.recorder_parameters import parts, put
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.torque_response import times_usual, torque_response
from pliant.identification.result.record import FitRecord
from pliant.io.log import Log
from pliant.words import counted, mrad


def judged_logs(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    zero_by: str | None = AUTO,
    settings: JointSettings | None = None,
) -> tuple[list[Log], list[ZeroFound]]:
    """Logs with the zero of their mounting: known from the actuator's record, else found.

    Logs that the actuator was fitted to, or that this fit held out, have the zeros of that fit. In the
    others it is found, all else as it is, and taken where they show it clearly.

    Args:
        actuator: as it is. logs: to judge it by. zero_by, settings: see `find_zeros`.

    Raises:
        PliantError: no such mounting, or an entry of the record is of another type.
    """
    record = FitRecord.of(actuator)
    logs = _as_fitted(actuator, record, logs)
    kind, zeros = record.zero_by, _zeros(record)
    known = record.digests
    own = actuator.all_numbers[ZERO].value if ZERO in actuator.all_numbers else None
    fitted: list[Log] = []
    for log in logs:
        mounting = MOUNTINGS[kind](log) if kind in MOUNTINGS else ""
        here = log.digest in known and log.zero is None and zero_by is not None
        fitted.append(replace(log, zero=zeros.get(mounting, own)) if here else log)
    by = kind if zero_by == AUTO and kind in MOUNTINGS else zero_by
    return find_zeros(
        actuator,
        fitted,
        zero_by=by,
        given=zeros if zero_by in (AUTO, kind) else None,
        settings=settings,
    )


def _as_fitted(actuator: Actuator, record: FitRecord, logs: Sequence[Log]) -> list[Log]:
    """Logs of the fit with the delay, supply and temperature that it found for their recorder."""
    known, by = record.digests, record.recorder_by
    made = list(logs)
    for part in parts(actuator) if by in MOUNTINGS and record.recorders else ():
        values = (record.recorders or {}).get(part.name, {})
        with_it = put(part, made, by or "", values)
        made = [b if a.digest in known else a for a, b in zip(made, with_it, strict=True)]
    return made


def _zeros(record: FitRecord) -> Mapping[str, float]:
    return (record.zeros_held_out or {}) | (record.zeros or {})


LEVELS = (0.05, 0.95)
"""Ends of the draws, before the margin."""


@dataclass(frozen=True)
class Held:
    """Share of some logs that the 90 % bands of a file hold.

    Attributes:
        logs: name to the share of its samples inside. whole: so many are inside from beginning to
            end, by the wider margin of whole logs. width: [rad] of the bands, on average.
        promised: share of the samples of groups that were left out of its fit in turn. unknown: P-gains
            of which the bands know nothing: all logs that they come from have another.
    """

    logs: dict[str, float]
    whole: int
    width: float
    promised: float
    unknown: list[float]

    @property
    def samples(self) -> float:
        """Mean share over the logs."""
        return float(np.mean([*self.logs.values()]))

    def __str__(self) -> str:
        least = min(self.logs, key=lambda name: self.logs[name])
        return (
            f"90 % bands of the file's draws, {mrad(self.width)} mrad wide: "
            f"{100 * self.samples:.0f} % of the samples inside (least in {least}: "
            f"{100 * self.logs[least]:.0f} %), {self.whole} of {counted(len(self.logs), 'log')} from "
            f"beginning to end; of groups left out of its fit {100 * self.promised:.0f} % of the samples"
            + self._unknown()
        )

    def _unknown(self) -> str:
        if not self.unknown:
            return ""
        gains = ", ".join(f"{gain:g}" for gain in self.unknown)
        return f"; they come from logs of one P-gain, and cannot know how far it errs at {gains}"


def held(
    actuator: Actuator, found: Evaluation[Log], *, settings: JointSettings | None = None
) -> Held | None:
    """Share of logs that the bands of an actuator hold; None where its file has no draws, or no margin.

    Args:
        actuator: with draws, and the coverage of its fit. found: its errors on the logs, with the zeros
            and delays to be taken. settings: of the joint engine.

    Raises:
        PliantError: an entry of the record is of another type.
    """
    logs = [entry.log for entry in found.entries]
    motions = of_draws(actuator, logs, settings=settings)
    record = FitRecord.of(actuator)
    engine = JointEngine(actuator, settings=settings)
    moved = torque_response(engine, engine.values(), logs).tolist()
    one = held_by(record, found.entries, motions, moved)
    strange = {entry.log.gain for entry in found.entries} - {*(record.gains or [])}
    if one is None or record.coverage_by == "gain":
        return one
    return replace(one, unknown=sorted(strange))


def held_by(
    record: FitRecord,
    entries: Sequence[TraceError[LogT]],
    motions: Sequence[Floats],
    responses: Sequence[float] = (),
) -> Held | None:
    """Share of one joint's logs that bands hold; None where there are no draws, or no margin.

    Args:
        record: of its actuator. entries: its logs. motions: of the draws in each (K, N) [rad].
        responses: [rad] of each to a stronger motor, see `Rig.torque_response`; of a robot's, none.
    """
    known = record.coverage or {}
    names = ("margin_mrad", "margin_of_logs_mrad", "samples")
    figures = [one for one in map(known.get, names) if isinstance(one, float | int)]
    if len(figures) < len(names) or not motions:
        return None
    margin, wider, promised = 1e-3 * figures[0], 1e-3 * figures[1], figures[2]
    usual = known.get("response_mrad")
    usual = 1e-3 * usual if isinstance(usual, float | int) else None
    logs, whole, widths = dict[str, float](), 0, list[float]()
    for k, (entry, runs) in enumerate(zip(entries, motions, strict=True)):
        band: Floats = np.quantile(runs, LEVELS, axis=0)
        outside: Floats = np.maximum(band[0] - entry.measured, entry.measured - band[1])
        times = times_usual(usual, responses[k] if responses else None)
        logs[entry.log.name] = float(np.mean(outside <= times * margin))
        whole += float(outside.max()) <= times * wider
        widths.append(mean_absolute(band[1], band[0]) + 2.0 * times * margin)
    return Held(logs, whole, float(np.mean(widths)), promised, [])
