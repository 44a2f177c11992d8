"""Bands of an actuator file: its draws, with the margin of its record, and what of other logs they hold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.evaluation import (
    Evaluation,
    TraceError,
    mean_absolute,
    of_draws,
)
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.torque_response import factor_at
from pliant.identification.result.record import FitRecord
from pliant.io.log import Log
from pliant.words import counted, mrad

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
    motions = of_draws(actuator, [entry.log for entry in found.entries], settings=settings)
    record = FitRecord.of(actuator)
    one = held_by(record, found.entries, motions)
    strange = {entry.log.gain for entry in found.entries} - {*(record.gains or [])}
    if one is None or record.coverage_by == "gain":
        return one
    return replace(one, unknown=sorted(strange))


def held_by(
    record: FitRecord, entries: Sequence[TraceError[LogT]], motions: Sequence[Floats]
) -> Held | None:
    """Share of one joint's logs that bands hold; None where there are no draws, or no margin.

    Args:
        record: of its actuator. entries: its logs. motions: of the draws in each (K, N) [rad].
    """
    known, by_gain = record.coverage or {}, record.margin_by_gain or {}
    names = ("margin_mrad", "margin_of_logs_mrad", "samples")
    figures = [one for one in map(known.get, names) if isinstance(one, float | int)]
    if len(figures) < len(names) or not motions:
        return None
    margin, wider, promised = 1e-3 * figures[0], 1e-3 * figures[1], figures[2]
    logs, whole, widths = dict[str, float](), 0, list[float]()
    for entry, runs in zip(entries, motions, strict=True):
        band: Floats = np.quantile(runs, LEVELS, axis=0)
        outside: Floats = np.maximum(band[0] - entry.measured, entry.measured - band[1])
        times = factor_at(by_gain, entry.log.gain) if isinstance(entry.log, Log) else 1.0
        logs[entry.log.name] = float(np.mean(outside <= times * margin))
        whole += float(outside.max()) <= times * wider
        widths.append(mean_absolute(band[1], band[0]) + 2.0 * times * margin)
    return Held(logs, whole, float(np.mean(widths)), promised, [])
