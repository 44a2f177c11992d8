"""Evaluation of actuators on recorded motion: the open-loop error used in the literature."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.identification.problem.hold_out import Recorded, recorded
from pliant.identification.problem.simulation import AnyLog, LogT, Samples
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.words import counted, mrad

TAKES = {
    "N m": "torques [N m]",
    "A": "currents [A]",
    "1": "shares of full duty",
    "rad/s": "speeds [rad/s]",
}
"""Names of the commands that are no positions, by the unit that a control declares."""


def check_commands(actuator: Actuator, logs: Sequence[Log]) -> None:
    """Refuse logs of commanded positions for a control that would read them as torques.

    Raises:
        PliantError: the control takes another command than the logs have.
    """
    law = actuator.laws.get("control")
    takes = str(getattr(law.module, "GOAL", "rad")) if law is not None else "rad"
    for log in logs:
        if takes != "rad" and log.driven == "goal":
            raise PliantError(
                f"commands positions, and {actuator.name} takes {TAKES.get(takes, takes)}",
                file=log.path,
                field="control",
                found=law.name if law else None,
                accepted="a law that takes positions: control=pd_torque of a drive with its own PD",
            )


def mean_absolute(a: Floats, b: Floats) -> float:
    """Mean absolute difference of two motions (N,), in their unit."""
    return float(np.mean(np.abs(a - b)))


@dataclass(frozen=True, eq=False)
class TraceError(Generic[LogT]):
    """One joint in one log, simulated open loop from the first sample.

    Attributes:
        log: the recording. joint: of a robot; "" for one joint on a bench.
        measured, simulated: (N,) [rad, m] at the log's samples.
        mae: mean absolute position error [rad, m].
        members: (K, N) [rad, m] motions of equally good fits, whose median is `simulated`; None: a
            single fit.
    """

    log: LogT
    joint: str
    measured: Floats
    simulated: Floats
    mae: float
    members: Floats | None = None

    def __repr__(self) -> str:
        of = f" {self.joint}" if self.joint else ""
        return f"<TraceError{of} in {self.log.name}: {mrad(self.mae)} mrad>"

    @property
    def residual(self) -> Floats:
        """(N,) simulated - measured [rad, m]."""
        return self.simulated - self.measured


@dataclass(frozen=True, eq=False)
class Evaluation(Generic[LogT]):
    """Errors of a joint, or of every joint of a robot, in several logs.

    Attributes:
        entries: one for each log and joint.
    """

    entries: tuple[TraceError[LogT], ...]

    def __repr__(self) -> str:
        return f"<Evaluation: {mrad(self.mae)} mrad, {counted(len(self.entries), 'log')}>"

    @property
    def logs(self) -> list[LogT]:
        """Its recordings, each once."""
        return list({id(entry.log): entry.log for entry in self.entries}.values())

    @property
    def mae(self) -> float:
        """Mean over logs and joints of their mean absolute error [rad, m]."""
        return float(np.mean([entry.mae for entry in self.entries]))

    def by(self, key: Callable[[LogT], object]) -> dict[str, float]:
        """Mean absolute error [rad, m] of the logs that share a value of `key`."""
        groups: dict[str, list[float]] = {}
        for entry in self.entries:
            groups.setdefault(str(key(entry.log)), []).append(entry.mae)
        return {name: float(np.mean(errors)) for name, errors in groups.items()}

    def by_joint(self) -> dict[str, float]:
        """Joint to its mean over the logs [rad, m]."""
        groups: dict[str, list[float]] = {}
        for entry in self.entries:
            groups.setdefault(entry.joint, []).append(entry.mae)
        return {joint: float(np.mean(errors)) for joint, errors in groups.items()}

    def by_log(self) -> dict[str, float]:
        """Name of each log to its mean over the joints [rad, m]."""
        return self.by(_name)

    def of_joint(self, joint: str) -> float:
        """Mean over the logs [rad, m]."""
        return self.by_joint()[joint]


LogError = TraceError[Log]
JointError = TraceError[RobotLog]
RobotEvaluation = Evaluation[RobotLog]


def evaluate(
    actuator: Actuator | str | Path,
    logs: Sequence[Log] | Recorded,
    *,
    changes: Mapping[str, float] | None = None,
    settings: JointSettings | None = None,
    members: bool = False,
) -> Evaluation:
    """Simulate every log with `actuator` and compare.

    Args:
        actuator: with its own numbers, and those of its bench; or its name, or its TOML file.
        logs: the recordings, or their files or folders.
        changes: parameters (`port.symbol`, `plant.symbol`) to change, in their units.
        settings: step, command convention and supply of the joint engine.
        members: simulate every fit of the actuator's ensemble and evaluate the median of their
            motions; otherwise evaluate its own numbers, those that run when it is attached.

    Raises:
        PliantError: a log cannot be used, or has commands that the actuator does not take.
    """
    read = recorded(logs)
    engine = JointEngine(load_actuator(actuator), settings=settings)
    check_commands(engine.actuator, read)
    batch = LogBatch(read, engine)
    candidates = engine.values(changes)[None]
    if engine.actuator.ensemble is not None and members:
        ensemble = engine.actuator.ensemble
        fits = [zip(ensemble.names, row, strict=True) for row in ensemble.of_fits().tolist()]
        known = [{name: x for name, x in fit if name in engine.names} for fit in fits]
        candidates = np.array([engine.values({**one, **(changes or {})}) for one in known])
    positions, _ = engine.batch(candidates, batch)
    blocks = [(log, "") for log in read]
    if len(positions) == 1:
        return compare(blocks, batch, positions[0])
    found = compare(blocks, batch, np.median(positions, axis=0))
    parts = zip(found.entries, batch.per_block(positions), strict=True)
    return Evaluation(tuple(replace(entry, members=part) for entry, part in parts))


def compare(
    blocks: Iterable[tuple[LogT, str]], samples: Samples, positions: Floats
) -> Evaluation[LogT]:
    """The errors of simulated positions (M,) in blocks of one log and one joint."""
    parts = zip(samples.per_block(samples.measured), samples.per_block(positions), strict=True)
    return Evaluation(
        tuple(
            TraceError(log, joint, measured, part, mean_absolute(part, measured))
            for (log, joint), (measured, part) in zip(blocks, parts, strict=True)
        )
    )


def _name(log: AnyLog) -> str:
    return log.name


APART = 0.02
"""[rad] Mean distance from which two branches are reported."""
CLEAR = 5.0
"""Distance of the branches, in units of the widest one's own mean distance."""
FEWEST = 3
"""Fewest motions that can be split into branches."""


@dataclass(frozen=True, eq=False)
class Branch:
    """One of the branches into which simulated motions split.

    Attributes:
        share: of the motions. motion: (N,) [rad] their median. error: [rad] its mean absolute error.
    """

    share: float
    motion: Floats
    error: float


def branches(members: Floats | None, measured: Floats) -> list[Branch]:
    """The two branches of motions (K, N), the larger first; empty where they stay together."""
    if members is None or len(members) < FEWEST:
        return []
    apart: Floats = np.mean(np.abs(members[:, None] - members[None]), axis=2)
    hierarchy = extra_module("scipy.cluster.hierarchy", "identify")
    distance = extra_module("scipy.spatial.distance", "identify")
    tree = hierarchy.linkage(distance.squareform(apart, checks=False), method="average")
    of: NDArray[np.int64] = hierarchy.fcluster(tree, 2, criterion="maxclust")
    groups = [np.flatnonzero(of == k) for k in (1, 2)]
    if any(group.size == 0 for group in groups):
        return []
    between = float(np.mean(apart[groups[0]][:, groups[1]]))
    within = max(_spread(apart, group) for group in groups)
    if between < max(APART, CLEAR * within):
        return []
    found = [_branch(members, group, measured) for group in groups]
    return sorted(found, key=lambda one: -one.share)


def _spread(apart: Floats, group: NDArray[np.int64]) -> float:
    """Mean distance of the motions of one branch."""
    count = len(group)
    return float(np.sum(apart[group][:, group])) / max(count * (count - 1), 1)


def _branch(members: Floats, group: NDArray[np.int64], measured: Floats) -> Branch:
    motion = np.median(members[group], axis=0)
    error = float(np.mean(np.abs(motion - measured)))
    return Branch(len(group) / len(members), motion, error)
