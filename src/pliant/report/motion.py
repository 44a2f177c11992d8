"""The plot of one log: goal, measured and simulated position, residual; branches of equally good fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import FACTS, Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.fit import Identification
from pliant.identification.problem.evaluation import Branch, branches, evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.rig import Rig
from pliant.identification.result.record import FitRecord
from pliant.identification.uncertainty.intervals import figures
from pliant.io.log import Log
from pliant.report.document import Figure, figure, line, span
from pliant.report.still import stretches
from pliant.words import mrad, number, unit

HEAD = ("figures of this fit", "value", "unit", "90 % interval", "data sheet")


def figure_rows(actuator: Actuator) -> list[list[str]]:
    """Rows below `HEAD`, of an actuator with the record of its fit; without intervals the values alone."""
    record = FitRecord.of(actuator)
    if record.figures is not None:
        return [_row(*_parted(key), **one) for key, one in record.figures.items()]
    return [
        _row(
            one.fact.fact,
            "" if one.fact.voltage is None else f"{one.fact.voltage:g}",
            value=one.value,
            **({} if one.stated is None else {"stated": one.stated}),
        )
        for one in figures(actuator, None, record.datasheet or ())
    ]


def _parted(key: str) -> tuple[str, str]:
    """Fact and voltage of a record's key, "stall_torque@6V"."""
    fact, _, volts = key.partition("@")
    return fact, volts.removesuffix("V")


def _row(fact: str, volts: str, **said: float) -> list[str]:
    name = fact.replace("_", " ").replace("no load", "no-load")
    return [
        f"{name} at {volts} V" if volts else name,
        number(said.get("value")),
        unit(FACTS.get(fact, "")),
        f"{said['low']:.3g} … {said['high']:.3g}" if {"low", "high"} <= {*said} else "",
        number(said["stated"]) if "stated" in said else "",
    ]


ROLES = {
    "measured": "measured",
    "simulated": "simulated, joint engine",
    "mujoco": "simulated, MuJoCo",
    "goal": "goal",
}
"""Colour to what it shows."""


@dataclass(frozen=True, eq=False)
class Curves:
    """One joint over time.

    Attributes:
        time: (N,) [s]. goal, position, simulated: (N,) [rad]. enabled: (N,) motor powered.
        mujoco: (N,) positions in MuJoCo [rad], if it was run there too.
        branches: name to (N,) [rad], where equally good fits go different ways.
    """

    time: Floats
    goal: Floats
    position: Floats
    simulated: Floats
    enabled: NDArray[np.bool_]
    mujoco: Floats | None = None
    branches: Mapping[str, Floats] = field(default_factory=dict[str, Floats])


def motion(log: Curves, reach: float) -> Figure:
    """The figure of one joint in one log.

    The measurement is drawn as a broad line below: it stays visible on both sides of lines on top of it.

    Args:
        log: what was recorded and simulated.
        reach: half the height of the residual's axis [mrad], the same for all logs of a report.
    """
    residual = 1e3 * (log.simulated - log.position)
    data = [
        line(log.time, log.goal, "goal", "goal", width=1.2),
        line(log.time, log.position, "measured", "measured", width=5.0),
        line(log.time, log.simulated, "simulated", "simulated", width=1.8),
        line(log.time, residual, "simulated", "residual", width=1.2, lower=True),
    ]
    dotted = {"dash": "dot"}
    data += [
        line(log.time, way, "simulated", name, width=1.2, line=dotted)
        for name, way in log.branches.items()
    ]
    if log.mujoco is not None:
        dashed = {"dash": "5px,4px"}
        between = 1e3 * (log.mujoco - log.position)
        data += [
            line(log.time, log.mujoco, "mujoco", "MuJoCo", width=1.4, line=dashed),
            line(
                log.time, between, "mujoco", "residual, MuJoCo", width=1.0, line=dashed, lower=True
            ),
        ]
    return figure(
        data,
        "time [s]",
        "position [rad]",
        "residual [mrad]",
        label="Position and residual over time",
        shapes=[span(begin, end, "off") for begin, end in stretches(log.time, ~log.enabled)],
        xaxis={"range": [float(log.time[0]), float(log.time[-1])]},
        yaxis2={"range": [-reach, reach]},
    )


def reach(residuals: Iterable[Floats]) -> float:
    """[mrad] Half a height that covers all residuals [rad] except rare peaks."""
    largest = [float(np.nanquantile(np.abs(one), 0.995)) for one in residuals]
    finite = [value for value in largest if np.isfinite(value)]
    return 1.15e3 * max([*finite, 1e-3])


LEAST = 0.05
"""Share of the draws below which a branch lies outside of the 90 % band."""
FITS, DRAWS = "fits", "draws"


@dataclass(frozen=True)
class Parted:
    """The two branches of a motion, the more frequent first.

    Attributes:
        ways: the two. of: whose they are, "fits" or "draws".
    """

    ways: Sequence[Branch]
    of: str

    @property
    def curves(self) -> dict[str, Branch]:
        """Name of a curve to its branch."""
        return {f"{100 * one.share:.0f} % of the {self.of}": one for one in self.ways}

    def __str__(self) -> str:
        return in_words(self.ways, self.of)


def parting(identification: Identification, logs: Sequence[Log]) -> Mapping[str, Parted]:
    """Map of log to its two branches, for logs in which the fits in a file, or else its draws, split."""
    actuator, rig = identification.carrying, identification.rig
    if actuator.ensemble is None:
        return {}
    settings = rig.settings if isinstance(rig, JointRig) else None
    return _of_draws(rig, actuator, logs) | _of_fits(identification, logs, settings)


def _of_fits(
    identification: Identification, logs: Sequence[Log], settings: JointSettings | None
) -> dict[str, Parted]:
    every = evaluate(identification.carrying, logs, settings=settings, members=True)
    found = {e.log.name: branches(e.members, e.measured) for e in every.entries}
    return {name: Parted(ways, FITS) for name, ways in found.items() if ways}


def _of_draws(rig: Rig[Log], actuator: Actuator, logs: Sequence[Log]) -> dict[str, Parted]:
    ensemble = actuator.ensemble
    if ensemble is None or not len(ensemble.of_draws()):
        return {}
    whole = rig.with_actuators({"": actuator})
    motions = whole.motions(logs, ensemble.names, ensemble.of_draws())
    found = {log.name: branches(motions[log.name, ""], log.position) for log in logs}
    return {
        name: Parted(ways, DRAWS)
        for name, ways in found.items()
        if ways and ways[-1].share >= LEAST
    }


def in_words(ways: Sequence[Branch], of: str = FITS) -> str:
    """Shares and errors of two branches."""
    each = ", ".join(f"{100 * one.share:.0f} % reach {mrad(one.error)} mrad" for one in ways)
    who = "equally good fits" if of == FITS else "posterior draws"
    return f"{who} split here: {each}"
