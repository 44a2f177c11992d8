"""Open questions of a fit: the most consequential first, with what to record to settle them."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from pliant.identification.problem.doubt import Doubt, sentences


class Question(NamedTuple):
    """Open question, as a sentence without full stop, and what would settle it."""

    text: str
    settle: str = ""


_SETTLED_BY = {
    "interrupted": "run the same command again and let it finish",
    "sign": "reverse the sign in the recording, or the axis in the model, and fit again",
    "exchanged": "swap the columns in the recording, and fit again",
    "zero": "recalibrate the joint, or add the shift to its positions and goals, and fit again",
    "base": "",
    "another device": "record the device that this actuator is for",
    "another voltage": "record at the voltage it will run at, or give --reading voltage=...",
    "another firmware": "record with the firmware it will run, or choose its law with --law",
    "said": "",
    "one load": "record a second mass, or another length",
    "masses": "weigh the links, or record with a known mass added",
    "upper bound": "widen the bounds with --fit NAME=LOW:HIGH",
    "scale alike": "record motions in which the command reaches its limit",
    "brake alike": "record a few seconds with the torque off while the joint swings",
    "constant command": "record motions that command this joint",
    "short stroke": "record larger motions",
    "full duty": "record motions that drive the servo to its limit, or give --prior",
    "limit of torque": "record motions that drive it to its torque limit, or a heavier load",
    "standstill": "hold the joint back at full command, or give --prior stall_torque=...",
    "high speed": "record a fast motion with a light load, or give --prior no_load_speed=...",
    "reversal": "record a motion that reverses with this load",
    "one gain": "record at a second gain",
    "sample age": "measure the recorder's delay and give --reading sample_age=...",
    "not seen": "record motion that depends on it, or fix it with --fix",
    "combination": "record other loads and slow reversals, or hold one of them with --fix",
    "correlated": "record other loads and slow reversals, or hold one of them with --fix",
    "combinations": "use the draws (--plan draws=FILE.csv) rather than single numbers",
    "lower bound": "nothing is lost: a simpler law fits these logs equally well",
}
"""Kind of doubt to what settles it, the most consequential first."""
_FACTS: Mapping[str, frozenset[str]] = {
    "full duty": frozenset(("stall_torque", "no_load_speed")),
    "standstill": frozenset(("stall_torque",)),
    "high speed": frozenset(("no_load_speed",)),
}
"""Kind of doubt to the facts of a data sheet that would settle it."""
_OR_GIVE = ", or give --prior"
_TOGETHER = {
    "not seen": "these logs do not determine {}",
    "upper bound": "{} are at their upper bounds",
    "lower bound": "{} are at their lower bounds",
}
"""Kinds that are one question about several parameters."""


def questions(doubts: Iterable[Doubt], given: Collection[str] = ()) -> list[Question]:
    """The doubts as questions, ranked; those of one kind about single parameters are merged.

    Pairs of correlated parameters that share a parameter are merged too.

    Args:
        doubts: of a fit. given: facts of a data sheet that it was given, which are not asked for again.
    """
    ranks = list(_SETTLED_BY)
    kinds: dict[str, list[Doubt]] = {}
    for one in doubts:
        kinds.setdefault(one.kind, []).append(one)
    made: list[Question] = []
    for kind in sorted(kinds, key=lambda k: ranks.index(k) if k in ranks else ranks.index("said")):
        found, settle = kinds[kind], _SETTLED_BY.get(kind, "")
        if _FACTS.get(kind, frozenset()) & {*given}:
            settle = settle.partition(_OR_GIVE)[0]
        if kind == "correlated":
            made += [Question(text, settle) for text in _linked(found)]
        elif kind in _TOGETHER and len(found) > 1:
            names = ", ".join(dict.fromkeys(name for one in found for name in one.parameters))
            made.append(Question(_TOGETHER[kind].format(names), settle))
        else:
            made += [Question(text.rstrip("."), settle) for text in sentences(found)]
    return [Question(_begun(text), settle) for text, settle in made]


def _linked(pairs: Iterable[Doubt]) -> list[str]:
    """One sentence for each group of parameters that are linked by such pairs, in their order."""
    groups: list[tuple[dict[str, None], list[Doubt]]] = []
    for pair in pairs:
        own = {*pair.parameters}
        linked = [group for group in groups if own & group[0].keys()]
        groups = [group for group in groups if not own & group[0].keys()]
        names = [*(name for group in linked for name in group[0]), *pair.parameters]
        groups.append(
            (dict.fromkeys(names), [*(one for group in linked for one in group[1]), pair])
        )
    return [
        found[0].text.rstrip(".")
        if len(found) == 1
        else f"{len(names)} parameters can hardly be separated from one another: {_by_joint(names)}"
        for names, found in groups
    ]


def _by_joint(names: Iterable[str]) -> str:
    """Parameters; those of a robot's joint behind its name, which is said once."""
    joints: dict[str, list[str]] = {}
    for name in names:
        parts = name.rsplit(".", 2)
        joint = parts[0] if len(parts) > 2 else ""
        joints.setdefault(joint, []).append(name.removeprefix(f"{joint}."))
    listed = {joint: ", ".join(own) for joint, own in joints.items()}
    return "; ".join(f"{joint}: {own}" if joint else own for joint, own in listed.items())


def _begun(sentence: str) -> str:
    """The sentence with a capital, unless it begins with the name of a parameter or a joint."""
    first = sentence.partition(" ")[0]
    named = "." in first.rstrip(".") or "_" in first or first.endswith((":", ","))
    return sentence if named else f"{sentence[:1].upper()}{sentence[1:]}"
