"""The record of a fit, made and put into its actuators."""

import dataclasses
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from typing import Any

from pliant.identification.problem.repeatability import each_joint
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import named
from pliant.identification.result.identification import Identification
from pliant.identification.result.record import FitRecord, PriorRecord


def with_record(found: Identification[LogT], kinship: list[str]) -> Identification[LogT]:
    """The same, with the record of each joint in its actuator.

    Args:
        found: a result. kinship: whether its prior is of the same device, in words.
    """
    again = each_joint(found.logs)
    made = {
        joint: record_of(found, joint, kinship)
        .changed(repeatability_mrad=_in_mrad(again.get(joint, {})) or None)
        .on(actuator)
        for joint, actuator in found.actuators.items()
    }
    return dataclasses.replace(found, rig=found.rig.with_actuators(made))


def own(found: Identification[LogT], joint: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Entries of one joint's parameters, by their names without the joint."""
    short = {name: found.rig.parameter(name) for name in entries}
    return {short[n]: x for n, x in entries.items() if named(joint, short[n]) == n}


def record_of(found: Identification[LogT], joint: str, kinship: list[str]) -> FitRecord:
    """Record of a fit for the file of one joint; of a joint on a bench, "" is the name."""
    task = found.task
    entries: dict[str, Any] = {
        "date": date.today().isoformat(),
        "version": version("pliant"),
        "seed": task.search.seed,
        "evaluations": found.evaluations,
        "interrupted": found.interrupted,
        "sampling": task.sampling,
        "sample_age": task.sample_age,
        **found.rig.record(),
        "starts_mrad": [round(1e3 * error, 2) for error in found.search.per_start],
        "logs": {entry.log.name: entry.log.digest for entry in found.fitted.entries},
        "beforehand": list(found.before),
        **_errors(found, joint),
    }
    if task.prior is not None:
        entries["prior"] = _prior(found, joint, kinship)
    if found.rig.facts(found.space, task.datasheet):
        entries["datasheet"] = list(task.datasheet)
    if found.samplings:
        entries["samplings_mrad"] = {n: round(1e3 * e, 2) for n, e in found.samplings.items()}
    if found.zeros:
        entries["zeros"] = _of_joint(joint, found.zeros)
    if found.recorders:
        entries["recorders"] = {one.part: dict(one.values) for one in found.recorders}
        entries["recorder_by"] = found.recorders[0].by
    # a robot's recordings have theirs beside that of its file
    own_zeros = {
        one.mounting: one.zero - (one.given if joint else 0.0)
        for one in found.zeros_judged
        if one.clear
    }
    if judged := _of_joint(joint, own_zeros):
        entries["zeros_held_out"] = judged
    if found.zeros or judged or (found.zeros_judged and not joint):
        entries["zero_by"] = task.zero_by
    return FitRecord.model_validate(entries)


def _of_joint(joint: str, zeros: Mapping[str, float]) -> dict[str, float]:
    """Mounting to the zero of one joint of a robot, or of a bench's only one."""
    ahead = f"{joint}." if joint else ""
    return {n.removeprefix(ahead): x for n, x in zeros.items() if n.startswith(ahead)}


def _in_mrad(angles: Mapping[str, float]) -> dict[str, float]:
    return {name: round(1e3 * angle, 3) for name, angle in angles.items()}


def _errors(found: Identification[LogT], joint: str) -> dict[str, Any]:
    """Mean errors [mrad] of the joint, and of the whole robot."""
    said: dict[str, Any] = {"joint": joint} if joint else {}
    parts = {"": found.fitted} | ({"held_out_": found.held_out} if found.held_out else {})
    for what, part in parts.items():
        said[f"{what}mae_mrad"] = round(1e3 * part.of_joint(joint), 3)
        if joint:
            said[f"robot_{what}mae_mrad"] = round(1e3 * part.mae, 3)
    if found.held_out is not None:
        logs = (entry.log for entry in found.held_out.entries)
        said["held_out_logs"] = {log.name: log.digest for log in logs}
    return said


def _prior(found: Identification[LogT], joint: str, kinship: list[str]) -> PriorRecord:
    prior = found.task.prior
    assert prior is not None
    names = {j: actuator.name for j, actuator in prior.actuators.items()}
    moves = {move.name: [move.before, move.after] for move in found.moved}
    return PriorRecord.model_validate(
        {
            "actuator": names.get(joint, names),
            "moved": own(found, joint, moves),
            "kinship": kinship,
        }
    )
