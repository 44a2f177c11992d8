"""One thing that a fit to these logs leaves open, for programs and for people."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "one load",
    "brake alike",
    "scale alike",
    "one gain",
    "sample age",
    "full duty",
    "limit of torque",
    "standstill",
    "high speed",
    "reversal",
    "constant command",
    "short stroke",
    "masses",
    "sign",
    "exchanged",
    "zero",
    "base",
    "another device",
    "another voltage",
    "another firmware",
    "lower bound",
    "upper bound",
    "not seen",
    "combination",
    "combinations",
    "correlated",
    "interrupted",
    "said",
]
"""Subject of a doubt; "said" where an older file only has the sentence."""


@dataclass(frozen=True)
class Doubt:
    """A finding about a fit.

    Attributes:
        kind: kind of finding. parameters: those concerned; () for all or none.
        text: the finding as a sentence, without capital and full stop.
    """

    kind: Kind
    parameters: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text
