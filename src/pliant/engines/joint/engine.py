"""Pliant's own simulator: one joint with its actuator, on a bench or with a constant inertia.

Identification runs it hundreds of thousands of times: recorded commands in, motion out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nan
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import Field, load_law
from pliant.engines.joint.interrupt import Stop, finished
from pliant.errors import PliantError, check_known
from pliant.io.log import Log
from pliant.io.table import AMBIENT
from pliant.lower.kernel import compiled_once
from pliant.lower.machine import vector_width
from pliant.processes import processors

SHORTEST = 1e-7
"""[s] Steps below this are assumed to be a wrong unit."""
LANES = 2 * vector_width()
"""Candidates side by side: two vectors of the processor, so that one computes while the other waits."""
NARROW = 4
"""Largest remainder of candidates that runs in a narrower vector, which takes half as long."""
_KERNEL = Path(__file__).with_name("kernel.py")

Loop = Callable[..., int]


@dataclass(frozen=True, kw_only=True)
class JointSettings:
    """Settings of the joint engine: integration, and the reading of a log.

    Attributes:
        max_step: integration step [s], constant along a log, as in MuJoCo; positions at the samples
            are interpolated. It is shorter if the samples are closer on average, or if masses inside
            the actuator move faster.
        hold: a command holds until the next sample; otherwise it is interpolated linearly.
        supply: "nominal" uses the log's stated supply, "measured" its recorded voltage if it has
            one.
        reference: use the position update of the published program (acceleration counted 1.5
            times), only to compare figures with it.
    """

    max_step: float = 1e-3
    hold: bool = True
    supply: Literal["nominal", "measured"] = "nominal"
    reference: bool = False

    def __post_init__(self) -> None:
        if not SHORTEST <= self.max_step < inf:
            raise PliantError(
                "not a step",
                field="max_step",
                found=self.max_step,
                accepted=f"{SHORTEST:g} s or more",
            )

    def ordered(self) -> tuple[float | bool, ...]:
        """The settings in the order in which the loops of `kernel.py` take them."""
        return self.max_step, self.hold, self.reference


@dataclass(frozen=True, eq=False)
class Rollout:
    """One simulated log."""

    position: Floats
    """(N,) [rad] at the log's samples."""
    torque: Floats
    """(N, 3) [N m] of motor, load and friction in the first step that begins at a sample or after
    it; the last row is 0."""


class JointEngine:
    """An actuator on a plant, compiled.

    `names` are the parameters in the order of a candidate: the actuator's, then `plant.…`.
    """

    def __init__(
        self, actuator: Actuator, *, plant: str = "pendulum", settings: JointSettings | None = None
    ) -> None:
        self.actuator = actuator
        self.plant = load_law("plant", plant)
        self.settings = settings or JointSettings()
        plant_names = [f"plant.{field.name}" for field in self.plant.parameters]
        self.names = [*actuator.fields, *plant_names]

    def loop(self, entry: str, width: int = 1) -> Loop:
        """A compiled loop of `kernel.py`, for so many candidates side by side."""
        return compiled_once(_KERNEL, (entry,), self.actuator.equations, self.plant, width)[entry]

    def values(self, changes: Mapping[str, float] | None = None) -> Floats:
        """(P,) One candidate: the actuator's numbers, its bench's, and `changes` by name.

        What a log sets itself (mass, length, kp) stands as it does in the actuator, or as 0.
        """
        known = {name: number.value for name, number in self.actuator.all_numbers.items()}
        for name in changes or {}:
            check_known(name, self.names, "no such parameter")
        known |= changes or {}
        return np.array([known.get(name, 0.0) for name in self.names])

    def rollout(self, log: Log, values: Floats | None = None) -> Rollout:
        """Run one log open loop from its first position (and speed, where torque drives)."""
        batch = LogBatch([log], self)
        chosen = batch.applied(self.values() if values is None else values, 0)
        position, torque = np.empty(len(log.time)), np.zeros((len(log.time), 3))
        s = self.settings

        loop = self.loop("rollout")

        def run(stop: Stop) -> int:
            out = position[None], torque.reshape(-1)
            return loop(*batch.samples, *batch.first[0], chosen, 1, *s.ordered(), stop, *out)

        finished([run], batch.span / s.max_step)
        return Rollout(position, torque)

    def batch(
        self, values: Floats, logs: "Laid", *, threads: int | None = None
    ) -> tuple[Floats, int]:
        """Run every candidate on every log.

        Args:
            values: (C, P) the candidates.
            logs: the logs, prepared once with `LogBatch`, or `LedBatch`.
            threads: how many to use; None takes all processors.

        Returns:
            (C, M) positions [rad] at the samples of all logs, one log after the other, and how many
            integration steps that took.
        """
        workers = threads or processors()
        out = np.empty((len(values), len(logs.time)))
        s = self.settings
        shares = [(width, jobs) for width, jobs in _jobs(len(values), logs.count) if len(jobs)]
        loops = {width: self.loop("batch", width) for width, _ in shares}

        def run(width: int, share: NDArray[np.int64], stop: Stop) -> int:
            known = logs.starts, logs.first, values, logs.columns, logs.settings, share
            room = np.empty(values.shape[1] * width)
            return loops[width](*logs.samples, *known, *s.ordered(), stop, room, out)

        def part(k: int, stop: Stop) -> int:
            mine = [(width, np.ascontiguousarray(jobs[k::workers])) for width, jobs in shares]
            return sum(run(width, share, stop) for width, share in mine if len(share))

        parts = [partial(part, k) for k in range(workers)]
        return out, sum(finished(parts, len(values) * logs.span / s.max_step))


def _jobs(candidates: int, logs: int) -> list[tuple[int, NDArray[np.int64]]]:
    """Width and (J, 3) first candidate, number of candidates, log of each rollout."""
    sizes = [min(LANES, candidates - c) for c in range(0, candidates, LANES)]
    rows = [(k * LANES, size, log) for k, size in enumerate(sizes) for log in range(logs)]
    jobs = np.array(rows, np.int64).reshape(-1, 3)
    narrow = jobs[:, 1] <= NARROW
    return [(LANES, jobs[~narrow]), (NARROW, jobs[narrow])]


class Laid:
    """Recordings laid out for the compiled loop, one after the other, and what each one sets.

    Attributes:
        count: L recordings. span: [s] of all.
        time, goal, supply, on: (M,) samples. measured: (M,) recorded position [rad].
        around: (M, 3) of a robot's joint, see `kernel.rollout`; empty for a bench. courses: (M, F)
            values of parameters at each sample, followed: (F,) which ones; empty for a bench.
        starts: (L + 1,) where each recording begins. first: (L, 2) first position and speed.
        columns: (K,) candidate's entries that a recording sets; settings: (L, K) their values, NaN
            where it does not say.
    """

    count: int
    span: float
    time: Floats
    goal: Floats
    supply: Floats
    on: Floats
    measured: Floats
    around: Floats
    courses: Floats
    followed: NDArray[np.int64]
    starts: NDArray[np.int64]
    first: Floats
    columns: NDArray[np.int64]
    settings: Floats
    joint_count = 1

    @property
    def samples(self) -> tuple[NDArray[Any], ...]:
        """First arguments of the loops of `kernel.py`."""
        own = self.around, self.courses, self.followed
        return self.time, self.goal, self.supply, self.on, *own

    def per_block(self, samples: Floats) -> list[Floats]:
        """(…, M) samples, cut into one array for each recording."""
        return np.split(samples, self.starts[1:-1], axis=-1)


class LogBatch(Laid):
    """Logs of a bench, laid out.

    Attributes:
        logs: as given. by_log: parameters that logs set, to the value of each, NaN where it does not.
        stated: those that every log sets.

    Raises:
        PliantError: there are no logs, one has no goal that the actuator takes, or sets a number
            outside the range of its law.
    """

    def __init__(self, logs: Sequence[Log], engine: JointEngine) -> None:
        if not logs:
            raise PliantError("no logs", accepted="at least one")
        self.count = len(logs)
        self.span = sum(float(log.time[-1]) for log in logs)
        self.logs = list(logs)
        self.time = np.concatenate([log.time for log in logs])
        self.goal = np.concatenate([_goal(log, engine) for log in logs])
        self.on = np.concatenate([log.enabled.astype(np.float64) for log in logs])
        self.measured = np.concatenate([log.position for log in logs])
        self.supply = np.concatenate([_supply(log, engine) for log in logs])
        self.around, self.courses = np.empty((0, 3)), np.empty((0, 0))
        self.followed = np.empty(0, np.int64)
        self.starts = np.cumsum([0, *(len(log.time) for log in logs)]).astype(np.int64)
        self.first = np.array([[log.position[0], _first_speed(log)] for log in logs])
        self.by_log = _settings(logs, engine)
        self.columns = np.array([engine.names.index(name) for name in self.by_log], dtype=np.int64)
        self.settings = np.array(list(self.by_log.values())).T.reshape(self.count, -1).copy()
        self.stated = {name for name, values in self.by_log.items() if not np.isnan(values).any()}

    def stated_by(self, log: int) -> dict[str, float]:
        """Parameter to its value, of those that one log states."""
        return {name: values[log] for name, values in self.by_log.items() if not isnan(values[log])}

    def applied(self, values: Floats, log: int) -> Floats:
        """(P,) `values` with what `log` sets."""
        chosen = values.copy()
        known = ~np.isnan(self.settings[log])
        chosen[self.columns[known]] = self.settings[log][known]
        return chosen


def _goal(log: Log, engine: JointEngine) -> Floats:
    """Recorded command: a position, or the torque that drives the joint."""
    if log.driven == "goal":
        return log.goal
    takes = getattr(engine.actuator.laws["control"].module, "GOAL", None)
    if takes != "N m" or log.torque is None:
        raise PliantError(
            "records no goal to follow",
            file=log.path,
            field="driven",
            found=log.driven,
            accepted="a log of commanded positions",
        )
    return log.torque


def _first_speed(log: Log) -> float:
    """[rad/s] At rest, if not stated; but torque alone goes on from the speed that there is."""
    if log.first_speed is not None:
        return log.first_speed
    return 0.0 if log.driven == "goal" or log.velocity is None else float(log.velocity[0])


def _supply(log: Log, engine: JointEngine) -> Floats:
    if engine.settings.supply == "measured" and log.voltage is not None:
        return np.asarray(log.voltage, dtype=np.float64)
    nominal = log.supply if log.supply is not None else engine.actuator.value("own.voltage")
    return np.full(len(log.time), nominal)


def _settings(logs: Sequence[Log], engine: JointEngine) -> dict[str, list[float]]:
    """Parameter name to its value in each log, NaN where it does not say."""
    known: dict[str, list[float]] = {
        "plant.mass": [log.mass for log in logs],
        "plant.length": [log.length for log in logs],
        "plant.arm_mass": [_or_nan(log.arm_mass) for log in logs],
        "plant.position_offset": [_or_nan(log.zero) for log in logs],
        "control.kp": [log.gain for log in logs],
        "control.kd": [_or_nan(log.derivative_gain) for log in logs],
        AMBIENT: [_or_nan(log.warmth) for log in logs],
    }
    ranges = {f"plant.{f.name}": f for f in engine.plant.parameters} | engine.actuator.fields
    for name in (name for name in known if name in ranges):
        for log, value in zip(logs, known[name], strict=True):
            _check_range(log, value, ranges[name])
    return {name: values for name, values in known.items() if name in engine.names}


def _or_nan(value: float | None) -> float:
    return nan if value is None else value


def _check_range(log: Log, value: float, field: Field) -> None:
    if not isnan(value) and not field.low <= value <= field.high:
        unit = "" if field.unit == "1" else f" {field.unit}"
        raise PliantError(
            "out of range",
            file=log.path,
            field="gain" if field.name == "kp" else field.name,
            found=value,
            accepted=f"{field.low:g} to {field.high:g}{unit}",
        )
