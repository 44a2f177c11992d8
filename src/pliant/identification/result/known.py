"""Nuisance parameters of recordings, and coverage of bands, for actuators that are not changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.device_match import gains
from pliant.identification.problem.evaluation import Evaluation, TraceError, mean_absolute
from pliant.identification.problem.hold_out import Recorded, recorded
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.mounting_offsets import AUTO, dated
from pliant.identification.problem.nuisances import Nuisance, nuisances
from pliant.identification.problem.recorder_parameters import Apart, put_all
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import AnyLog, LogT
from pliant.identification.problem.space import named
from pliant.identification.problem.torque_response import times_usual
from pliant.identification.result.record import FitRecord
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.words import counted, mrad


@dataclass(frozen=True)
class Judged(Generic[LogT]):
    """Recordings with the nuisance parameters of their mountings and recorders applied.

    Attributes:
        logs: with them. known: recorders' parameters in the fit's record. found: parameters of new recordings.
    """

    logs: list[LogT]
    known: Sequence[Apart] = ()
    found: Sequence[Nuisance] = ()


def judged(
    rig: Rig[LogT],
    logs: Sequence[LogT],
    *,
    zero_by: str | None = AUTO,
    recorder_by: str | None = AUTO,
) -> Judged[LogT]:
    """Recordings with their zeros, ages and supplies: from the record of the fit, else estimated (`nuisances`).

    Recordings that the fit used or held out get its values. So does a robot's recording from one of the fit's days, or
    without a known day, unless a property is asked for. For all others the values are estimated.

    Args:
        rig: unchanged. logs: to test it on. zero_by: property shared by logs of one mounting; None: zeros stay.
        recorder_by: property shared by logs of one recorder; None: logs stay as recorded.

    Raises:
        PliantError: recordings have no such property, or an entry of the record is of another type.
    """
    rig.mounting_kind(logs, zero_by)  # refuses an unknown property
    kind = zero_by
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    if zero_by == AUTO:
        kind = next((one.zero_by for one in records.values() if one.zero_by), None)
    zeros = {
        named(joint, group): x
        for joint, one in records.items()
        if kind and one.zero_by == kind
        for group, x in ((one.zeros_held_out or {}) | (one.zeros or {})).items()
    }
    known = _of_recorders(rig, next(iter(records.values())), recorder_by)
    made, of_zero, of_recorder = list(logs), list[bool](), list[bool]()
    for k, log in enumerate(logs):
        fitted, new = _fitted(records, log), "" in records or _of_another_day(records, log)
        fresh = new if zero_by == AUTO else zero_by is not None
        searched = fresh and not (fitted and (zeros or zero_by == AUTO))
        stated = getattr(log, "zero", None) is not None
        of_zero.append(searched and not stated)
        of_recorder.append((new if recorder_by == AUTO else recorder_by is not None) and not fitted)
        if kind and zero_by and not searched and not stated:
            made[k : k + 1] = rig.mounted(kind).zeroed([log], zeros)
        if not of_recorder[k]:
            made[k : k + 1] = put_all(rig.recorder_parts(), known, made[k : k + 1])
    found = list[Nuisance]()
    steps = [(of_zero, zero_by, None), (of_recorder, None, recorder_by)]
    for places, zeroed_by, recorded_by in (
        [(of_zero, zero_by, recorder_by)] if of_zero == of_recorder else steps
    ):
        new = [k for k, one in enumerate(places) if one]
        if new:
            by = (kind or zero_by) if zeroed_by else None
            theirs, more = nuisances(rig, [made[k] for k in new], by, recorded_by, zeros)
            found += more
            for k, log in zip(new, theirs, strict=True):
                made[k] = log
    return Judged(made, known, found)


def judged_logs(
    actuator: Actuator | str | Path,
    logs: Sequence[Log] | Recorded,
    *,
    zero_by: str | None = AUTO,
    recorder_by: str | None = AUTO,
    settings: JointSettings | None = None,
) -> Judged[Log]:
    """Logs of a joint on a bench with their zeros, ages and supplies, to test an actuator on.

    Args:
        actuator: unchanged; or its name, or its TOML file. logs: or their files or folders.
        zero_by, recorder_by: see `judged`. settings: of the joint engine.

    Raises:
        PliantError: as of `judged`.
    """
    rig = JointRig(load_actuator(actuator), settings or JointSettings())
    return judged(rig, recorded(logs), zero_by=zero_by, recorder_by=recorder_by)


def _fitted(records: Mapping[str, FitRecord], log: AnyLog) -> bool:
    """Whether the log was fitted or held out in the actuators' fit."""
    return bool(log.digest) and any(log.digest in one.digests for one in records.values())


def _of_another_day(records: Mapping[str, FitRecord], log: AnyLog) -> bool:
    """Whether a robot's recording has a known day that is not a day of the fit."""
    days = {dated(name) for one in records.values() for name in one.logs or {}}
    return bool(days) and dated(log.name) not in {"", *days}


def _of_recorders(rig: Rig[LogT], record: FitRecord, recorder_by: str | None) -> list[Apart]:
    """Recorders' parameters in a record."""
    if not record.recorder_by or recorder_by not in (AUTO, record.recorder_by):
        return []
    names = {part.name for part in rig.recorder_parts()}
    each = (record.recorders or {}).items()
    return [Apart(name, record.recorder_by, values) for name, values in each if name in names]


LEVELS = (0.05, 0.95)
"""Quantiles of the draws that bound the band, before the margin."""


@dataclass(frozen=True)
class Held:
    """Share of some logs that the 90 % bands of a file hold.

    Attributes:
        logs: name to the share of its samples inside. whole: number of logs inside from beginning to
            end, by the wider margin of whole logs. width: [rad] mean width of the bands.
        promised: coverage of groups left out of its fit in turn. unknown: P-gains that the bands do not
            cover, because all logs behind them have another gain.
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
        return f"; they come from logs of one P-gain and do not cover the error at {gains}"


def held(rig: Rig[LogT], found: Evaluation[LogT]) -> dict[str, Held]:
    """Map of joint to the coverage of its bands; without joints whose files have no draws, or no margin.

    Each joint is simulated by itself, the others following their recording, as when the margins were found.

    Args:
        rig: unchanged. found: its errors, on recordings with their nuisance parameters applied.

    Raises:
        PliantError: an entry of a record is of another type.
    """
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    carried = {
        joint: actuator.ensemble
        for joint, actuator in rig.actuators.items()
        if actuator.ensemble is not None and records[joint].coverage
    }
    count = min((len(one.of_draws()) for one in carried.values()), default=0)
    if not count or not found.entries:
        return {}
    draws = {
        named(joint, name): column
        for joint, one in carried.items()
        for name, column in zip(one.names, one.of_draws()[:count].T, strict=True)
    }
    logs = found.logs
    rows = np.column_stack([*draws.values()])
    motions = rig.one_by_one().coarse().motions(logs, [*draws], rows)
    moved = rig.torque_response(logs, {})
    names = [log.name for log in logs]
    responses = {} if moved is None else dict(zip(names, moved.tolist(), strict=True))
    each: dict[str, Held] = {}
    for joint in carried:
        record, entries = records[joint], [e for e in found.entries if e.joint == joint]
        one = _held(record, entries, [motions[e.log.name, joint] for e in entries], responses)
        strange = {*gains(logs)} - {*(record.gains or [])}
        if one is not None:
            unknown = [] if record.coverage_by == "gain" else sorted(strange)
            each[joint] = replace(one, unknown=unknown)
    return each


def _held(
    record: FitRecord,
    entries: Sequence[TraceError[LogT]],
    motions: Sequence[Floats],
    responses: Mapping[str, float],
) -> Held | None:
    """The same of one joint by the motions (K, N) [rad] of draws in its logs, and their responses to a stronger motor [rad]."""
    known = record.coverage or {}
    names = ("margin_mrad", "margin_of_logs_mrad", "samples")
    figures = [one for one in map(known.get, names) if isinstance(one, float | int)]
    if len(figures) < len(names):
        return None
    margin, wider, promised = 1e-3 * figures[0], 1e-3 * figures[1], figures[2]
    usual = known.get("response_mrad")
    usual = 1e-3 * usual if isinstance(usual, float | int) else None
    logs, whole, widths = dict[str, float](), 0, list[float]()
    for entry, runs in zip(entries, motions, strict=True):
        band: Floats = np.quantile(runs, LEVELS, axis=0)
        outside: Floats = np.maximum(band[0] - entry.measured, entry.measured - band[1])
        times = times_usual(usual, responses.get(entry.log.name))
        logs[entry.log.name] = float(np.mean(outside <= times * margin))
        whole += float(outside.max()) <= times * wider
        widths.append(mean_absolute(band[1], band[0]) + 2.0 * times * margin)
    return Held(logs, whole, float(np.mean(widths)), promised, [])
