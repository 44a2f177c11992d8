"""Zeros of mountings and delays of recorders that an actuator's record has of its own logs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.mounting import AUTO, MOUNTINGS, ZERO
from pliant.identification.problem.recorded_apart import put
from pliant.identification.problem.recorder import parts
from pliant.identification.problem.zero import ZeroFound, find_zeros
from pliant.identification.result.record import FitRecord
from pliant.io.log import Log


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
