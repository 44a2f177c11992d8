"""One doubt about a fit to these logs, for programs and for people."""

from collections.abc import Iterable
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
"""Subject of a doubt; "said" if an older file has only the sentence."""


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


def sentences(doubts: Iterable[Doubt]) -> list[str]:
    """The doubts as sentences; what is the same for several joints (`elbow: ...`) is said once, with all of them."""
    joints: dict[str, list[str]] = {}
    for one in doubts:
        joint, _, rest = one.text.partition(": ")
        of_joint = one.parameters and all(n.startswith(f"{joint}.") for n in one.parameters)
        joints.setdefault(rest if of_joint else one.text, []).extend([joint] if of_joint else [])
    return [
        f"{', '.join(dict.fromkeys(own))}: {text}" if own else text for text, own in joints.items()
    ]
