"""Branches of the motions of equally good fits, for plots and captions."""

from collections.abc import Mapping, Sequence

from pliant.identify.fit import Identification
from pliant.identify.problem.branches import Branch, branches
from pliant.identify.problem.evaluation import evaluate
from pliant.io.log import Log
from pliant.words import mrad


def parting(identification: Identification, logs: Sequence[Log]) -> Mapping[str, list[Branch]]:
    """Log to its two branches, of those in which the fits that a file carries part."""
    actuator = identification.actuator
    if actuator.ensemble is None or actuator.ensemble.fits < 2:
        return {}
    every = evaluate(actuator, logs, members=True)
    found = {e.log.name: branches(e.members, e.measured) for e in every.entries}
    return {name: ways for name, ways in found.items() if ways}


def in_words(ways: Sequence[Branch]) -> str:
    """Shares and errors of two branches."""
    each = ", ".join(f"{100 * one.share:.0f} % come to {mrad(one.error)} mrad" for one in ways)
    return f"equally good fits part here: {each}"
