"""Complete definition of a fit, and the digests that identify it."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypedDict, cast

import numpy as np

from pliant.assemble import Actuator, Fact
from pliant.errors import PliantError
from pliant.identification.problem.mounting_offsets import AUTO, check_kind
from pliant.identification.problem.posterior import Posterior, Prior, expected
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.sampling import Sampling, check_sampling
from pliant.identification.problem.simulation import AnyLog, LogT
from pliant.identification.problem.space import Bounds
from pliant.identification.search.checkpoint import Task, digest
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog


def actuator_digest(actuator: Actuator) -> str:
    """Digest of its file and of the source of its laws, because the file only names a user's law."""
    laws = [part.path.read_bytes() for part in (actuator.topology, *actuator.laws.values())]
    return digest(actuator_text(actuator).encode(), *laws)


def contents_digest(log: AnyLog) -> str:
    """Digest of everything that a fit uses of a log: a repair, or a constant given, changes it.

    Raises:
        TypeError: it is no log of a joint or a robot.
    """
    match log:
        case RobotLog():
            given = repr(log.joints)
            given += "" if log.supply_ratio == 1.0 else f" {log.supply_ratio!r}"
            given += (
                f" {[log.warmth(j) for j in log.joints]}" if "temperature" in log.others else ""
            )
            channels = (log.speed, log.supply)
        case Log():
            given = f"{log.mass!r} {log.length!r} {log.arm_mass!r} {log.gain!r} {log.supply!r}"
            for more in (log.zero, log.derivative_gain, log.warmth):
                given += "" if more is None else f" {more!r}"
            channels = (log.voltage, log.velocity, log.torque)
        case _:
            raise TypeError(type(log))
    known = [log.time, log.position, log.goal, log.enabled.astype(float)]
    known += [channel for channel in channels if channel is not None]
    return digest(given.encode(), *(np.ascontiguousarray(part).tobytes() for part in known))


Fit = Mapping[str, Bounds] | Iterable[str]
"""Parameters to add to the search, with bounds or None: those of the file, or of the law."""
Fix = Mapping[str, float | None] | Iterable[str]
"""Parameters to leave out of the search, with the values to hold them at, or None: their present ones."""


class FitOptions(TypedDict, total=False):
    """Choices of a fit as keyword arguments; see `FitTask`, whose fields they are."""

    fit: Fit | None
    fix: Fix
    prior: Prior | None
    search_settings: SearchSettings | None
    sampling: Sampling
    sample_age: float
    zero_by: str | None
    recorder_by: str | None
    datasheet: Sequence[Fact]
    hold_out: Sequence[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class FitTask(Generic[LogT]):
    """Everything that defines a fit, except the logs.

    Attributes:
        rig: the joint or robot, with the laws, the starting values and the bounds of its actuators,
            and how it is simulated.
        fit: parameters to search too, or within other bounds, in their units.
        fix: parameters to leave out, with a value in their unit to hold them at, or None.
        prior: parameters to start from instead, and to stay near.
        search_settings: starts, Jacobians, seed; None: those of the rig.
        sampling: when a command of the logs acts, see `SAMPLINGS`.
        sample_age: [s] age of a recorded position at its time stamp.
        zero_by: property that logs of one mounting share ("length", "mass", "load", "day",
            "length+day"), each mounting having its own position offset; "auto": length and day,
            if the logs differ in them; None: one mounting.
        recorder_by: property that logs of one recorder share ("day", "log", ...), each recorder having
            its own sampling delay, supply and temperature; "auto": the day, if different days have
            similar logs; None: the logs are taken as they are.
        datasheet: facts of the device as a whole that numbers are pulled to, see `datasheet`, such as
            those of the actuator (`actuator.datasheet`); for a robot, none are used.
        hold_out: logs to test on, which the fit does not use: "gain=800"; "gain", each in turn.

    Raises:
        PliantError: no such sampling or mounting, or a sample age out of range.
    """

    rig: Rig[LogT]
    fit: Mapping[str, Bounds] = field(default_factory=dict[str, Bounds])
    fix: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    prior: Prior | None = None
    search_settings: SearchSettings | None = None
    sampling: Sampling = "hold"
    sample_age: float = 0.0
    zero_by: str | None = AUTO
    recorder_by: str | None = AUTO
    datasheet: Sequence[Fact] = ()
    hold_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(actuator.name for actuator in self.rig.actuators.values())
        return f"<FitTask of {names}>"

    def __post_init__(self) -> None:
        check_sampling(self.sampling, self.sample_age)
        check_kind("zero_by", self.zero_by, self.rig.kinds)
        check_kind("recorder_by", self.recorder_by, self.rig.kinds)

    @property
    def search(self) -> SearchSettings:
        """The settings of the search, given or by default."""
        return self.search_settings or self.rig.search

    def with_rig(self, rig: Rig[LogT]) -> "FitTask[LogT]":
        """The same task for another joint or robot, with those entries of `fit` and `fix` that it has."""
        return dataclasses.replace(
            self,
            rig=rig,
            fit={name: box for name, box in self.fit.items() if rig.has(name)},
            fix={name: value for name, value in self.fix.items() if rig.has(name)},
        )

    def goal(self, rig: Rig[LogT], residuals: Residuals) -> Posterior:
        """The objective: minus the logarithm of the posterior from logs, prior and data sheet.

        Args:
            rig, residuals: whose parameters prior and data sheet refer to.
        """
        space = residuals.space
        return Posterior(residuals, expected(space, self.prior), rig.facts(space, self.datasheet))

    def fingerprint(self, logs: Sequence[LogT]) -> Task:
        """Everything that determines its result on `logs`; must be equal for a search to be resumed."""
        prior = self.prior
        return {
            **self.rig.fingerprint(),
            "fit": {n: list(box) if box else "its own bounds" for n, box in self.fit.items()},
            "fix": {n: "as it is" if x is None else x for n, x in self.fix.items()},
            "prior": {j: actuator_digest(a) for j, a in prior.actuators.items()} if prior else {},
            "search": asdict(self.search),
            "sampling": self.sampling,
            "sample_age": self.sample_age,
            "zero_by": self.zero_by,
            "recorder_by": self.recorder_by,
            "datasheet": [repr(fact) for fact in self.datasheet],
            "logs": logs_fingerprint(logs),
        }


def fit_task(rig: Rig[LogT], options: FitOptions) -> FitTask[LogT]:
    """The task of some options, the rest as its rig has it; a list of names means their defaults."""
    for name in options:
        if name not in FitOptions.__annotations__:
            raise PliantError(
                "no such option of a fit", found=name, accepted=FitOptions.__annotations__
            )
    rest: dict[str, Any] = {k: v for k, v in options.items() if k not in ("fit", "fix")}
    fit, fix = as_fit(options.get("fit")), as_fix(options.get("fix", ()))
    return FitTask(rig=rig, fit=fit, fix=fix, **rest)


def logs_fingerprint(logs: Sequence[LogT]) -> dict[str, str]:
    """Place and name of each log to its digest."""
    return {f"{k + 1}. {log.name}": contents_digest(log) for k, log in enumerate(logs)}


def as_fit(fit: Fit | None) -> Mapping[str, Bounds]:
    """Parameters to fit, with bounds or None."""
    if isinstance(fit, Mapping):
        return dict(cast("Mapping[str, Bounds]", fit))
    fit = [fit] if isinstance(fit, str) else fit
    return dict.fromkeys(fit or ())


def as_fix(fix: Fix) -> Mapping[str, float | None]:
    """Parameters to hold, with values or None."""
    if isinstance(fix, Mapping):
        return dict(cast("Mapping[str, float | None]", fix))
    fix = [fix] if isinstance(fix, str) else fix
    return dict.fromkeys(fix)
