"""Branches of the motions of equally good fits, or of draws around one, for plots and captions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pliant.engines.joint.engine import JointSettings
from pliant.identification.fit import Identification
from pliant.identification.problem.evaluation import Branch, branches, evaluate, of_draws
from pliant.identification.problem.joint_rig import JointRig
from pliant.io.log import Log
from pliant.words import mrad

LEAST = 0.05
"""Share of the draws below which a branch lies outside of the 90 % band."""
FITS, DRAWS = "fits", "draws"


@dataclass(frozen=True)
class Parted:
    """Two ways that a motion may go, the more frequent first.

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
    """Log to its two branches, of those in which fits that a file carries part, or else its draws."""
    actuator, rig = identification.carrying, identification.rig
    if actuator.ensemble is None:
        return {}
    settings = rig.settings if isinstance(rig, JointRig) else None
    return _of_draws(identification, logs, settings) | _of_fits(identification, logs, settings)


def _of_fits(
    identification: Identification, logs: Sequence[Log], settings: JointSettings | None
) -> dict[str, Parted]:
    every = evaluate(identification.carrying, logs, settings=settings, members=True)
    found = {e.log.name: branches(e.members, e.measured) for e in every.entries}
    return {name: Parted(ways, FITS) for name, ways in found.items() if ways}


def _of_draws(
    identification: Identification, logs: Sequence[Log], settings: JointSettings | None
) -> dict[str, Parted]:
    motions = of_draws(identification.carrying, logs, settings=settings)
    if not motions:
        return {}
    each = zip(logs, motions, strict=True)
    found = {log.name: branches(runs, log.position) for log, runs in each}
    return {
        name: Parted(ways, DRAWS)
        for name, ways in found.items()
        if ways and ways[-1].share >= LEAST
    }


def in_words(ways: Sequence[Branch], of: str = FITS) -> str:
    """Shares and errors of two branches."""
    each = ", ".join(f"{100 * one.share:.0f} % come to {mrad(one.error)} mrad" for one in ways)
    who = "equally good fits" if of == FITS else "draws that fit these logs as well"
    return f"{who} part here: {each}"
