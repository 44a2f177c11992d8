"""Record of a fit, the table `[identification]` of an actuator file: its creation and reading."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, ValidationError

from pliant.assemble import Actuator, Fact
from pliant.errors import PliantError, located
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.mounting_offsets import check_kind
from pliant.identification.problem.repeatability import each_joint
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import named
from pliant.identification.result.identification import Identification


def _doubts(given: object) -> object:
    """Older files have sentences only."""
    if not isinstance(given, list):
        return given
    items = cast("list[object]", given)
    return [Doubt("said", (), one) if isinstance(one, str) else one for one in items]


Doubts = Annotated[list[Doubt], BeforeValidator(_doubts)]


class PriorRecord(BaseModel):
    """Prior of a fit: its actuator, and how far the parameters moved from it.

    Attributes:
        actuator: name of the prior, or of each joint's.
        moved: parameter to its value before and after.
        kinship: whether it is of the same device, voltage and firmware; `is` in the file.
    """

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)

    actuator: str | dict[str, str]
    moved: dict[str, list[float]] = {}
    kinship: list[str] = Field([], alias="is")


class FitRecord(BaseModel):
    """The record of one identification; errors are mean absolute ones in mrad.

    Attributes:
        date, version: when, and with which Pliant. model, model_sha256: the robot's file.
        joint, joints: which joint of a robot, and whether all were fitted together.
        seed, evaluations, interrupted: of the search.
        step, supply, sampling, sample_age: how logs were simulated; [s].
        mae_mrad, held_out_mae_mrad: of this joint; of all joints with `robot_`.
        starts_mrad: of each start of the search, the best first.
        logs, held_out_logs: name to SHA-256.
        prior: where there was one.
        intervals_90, correlations: parameter to its interval, pairs beyond 0.7.
        beforehand, open: what the logs do not determine, known before the fit and after.
        coverage: of bands of draws on groups of logs held out in turn, see `Coverage`; coverage_by:
            property that defines the groups. gains: P-gains that were fitted.
        figures: of a data sheet, "stall_torque@6V" to `value`, `low`, `high` of 90 %, and `stated`.
        chosen_by, chosen_among: how the model was chosen. models: model to the number of its fits in the
            file, in order; the first is the model of this record. zeros: mounting to its zero [rad].
        zero_by: property that logs of one mounting share.
        recorders: "age" [s], "supply" (a factor), "temperature" [K] to group of logs to its value, where
            they differ. recorder_by: property that logs of a group share.
        zeros_held_out: of mountings that only held-out logs have, found with the actuator unchanged.
        datasheet: facts used as soft constraints; those given by hand have the source "given".
        repeatability_mrad: first log of each repeated command, to the mean distance between its runs.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    joints: str | None = None
    model: str | None = None
    model_sha256: str | None = None
    date: str | None = None
    version: str | None = None
    seed: int | None = None
    evaluations: int | None = None
    interrupted: bool | None = None
    step: float | None = None
    supply: str | None = None
    sampling: str | None = None
    sample_age: float | None = None
    joint: str | None = None
    mae_mrad: float | None = None
    held_out_mae_mrad: float | None = None
    robot_mae_mrad: float | None = None
    robot_held_out_mae_mrad: float | None = None
    starts_mrad: list[float] | None = None
    chosen_by: str | None = None
    chosen_among: list[str] | None = None
    models: dict[str, int] | None = None
    correlations: list[tuple[str, str, float]] | None = None
    logs: dict[str, str] | None = None
    held_out_logs: dict[str, str] | None = None
    prior: PriorRecord | None = None
    zeros: dict[str, FiniteFloat] | None = None
    zero_by: str | None = None
    recorders: dict[str, dict[str, FiniteFloat]] | None = None
    recorder_by: str | None = None
    coverage: dict[str, FiniteFloat | dict[str, FiniteFloat]] | None = None
    coverage_by: str | None = None
    gains: list[FiniteFloat] | None = None
    figures: dict[str, dict[str, float]] | None = None
    zeros_held_out: dict[str, FiniteFloat] | None = None
    intervals_90: dict[str, tuple[float, float]] | None = None
    beforehand: Doubts | None = None
    open: Doubts | None = None
    datasheet: list[Fact] | None = None
    repeatability_mrad: dict[str, FiniteFloat] | None = None

    @classmethod
    def of(cls, actuator: Actuator) -> Self:
        """The record of an actuator; empty where it has none.

        Raises:
            PliantError: an entry is of another type, or names a property that recordings do not have.
        """
        try:
            record = cls.model_validate(dict(actuator.identification))
        except ValidationError as error:
            first = max(error.errors(), key=lambda one: len(one["loc"]))
            field = ".".join(_keys(actuator.identification, first["loc"]))
            raise PliantError(
                first["msg"], file=actuator.path, field=field, found=first["input"]
            ) from None
        with located(file=actuator.path, field="identification"):
            check_kind(".zero_by", record.zero_by)
            check_kind(".recorder_by", record.recorder_by)
        return record

    @property
    def digests(self) -> frozenset[str]:
        """SHA-256 of the logs of this fit, those it held out among them."""
        return frozenset([*(self.logs or {}).values(), *(self.held_out_logs or {}).values()])

    def changed(self, **entries: object) -> Self:
        """A copy with other entries."""
        return type(self).model_validate({**dict(self), **entries})

    def on(self, actuator: Actuator) -> Actuator:
        """`actuator` with this record."""
        return dataclasses.replace(actuator, identification=self.plain())

    def plain(self) -> dict[str, Any]:
        """The entries as they stand in a file."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def _keys(document: Mapping[str, Any], places: Sequence[str | int]) -> Iterator[str]:
    """Keys of an entry, without the types that pydantic names between them."""
    yield "identification"
    at: Any = document
    for place in places:
        if isinstance(at, Mapping | list) and (isinstance(place, int) or place in at):
            yield str(place)
            at = cast("Any", at)[place]


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


def about(found: Identification[LogT], joint: str, doubts: Iterable[Doubt]) -> list[Doubt]:
    """Doubts without those that concern only other joints."""
    others = tuple(f"{one}." for one in found.actuators if one != joint)
    return [
        doubt
        for doubt in doubts
        if not doubt.parameters or not all(name.startswith(others) for name in doubt.parameters)
    ]


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
        "beforehand": about(found, joint, found.before),
        **_errors(found, joint),
    }
    if task.prior is not None:
        entries["prior"] = _prior(found, joint, kinship)
    if found.rig.facts(found.space, task.datasheet):
        entries["datasheet"] = list(task.datasheet)
    if found.zeros:
        entries["zeros"] = _of_joint(joint, found.zeros)
    if found.recorders:
        entries["recorders"] = {one.part: dict(one.values) for one in found.recorders}
        entries["recorder_by"] = found.recorders[0].by
    if judged := _of_joint(joint, {one.of: one.value for one in found.zeros_judged}):
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
