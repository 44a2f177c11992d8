"""Parameters and findings in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from pliant.assemble import Actuator, Number
from pliant.identification.fit import Identification
from pliant.identification.result.record import FitRecord
from pliant.quantity import notation
from pliant.report.unknown import Doubtful, Question, questions
from pliant.words import counted, number, unit


def meaning(symbol: str) -> str:
    """Meaning of a parameter's symbol; nothing for one that only a user's law knows."""
    return str(notation()["symbols"].get(symbol, ""))


def unit_of(entry: Number) -> str:
    """The unit of a parameter; nothing for a plain number, or for no limit."""
    return "" if number(entry.value) == "none" else unit(entry.unit)


def bounds(entry: Number) -> str:
    """`low … high`."""
    if entry.low is None and entry.high is None:
        return ""
    return f"{number(entry.low)} … {number(entry.high)}"


def interval(actuator: Actuator, name: str) -> str:
    """The 90 % interval of a parameter, `5 % … 95 %`; nothing where none was found."""
    known = actuator.identification.get("intervals_90")
    if not isinstance(known, Mapping) or name not in known:
        return ""
    low, high = cast("Mapping[str, tuple[float, float]]", known)[name]
    return f"{low:.3g} … {high:.3g}"


def carried(actuator: Actuator) -> str:
    """The models whose fits its file carries, after a space; nothing where they are of one."""
    models = FitRecord.of(actuator).models
    if not models:
        return ""
    first, *others = (f"{counted(fits, 'fit')} of {name}" for name, fits in models.items())
    return f" The file carries {first}, which is attached, and {', '.join(others)}."


def parameters(actuator: Actuator) -> dict[str, Number]:
    """All numbers of an actuator, those of its bench as `plant.…`."""
    return actuator.all_numbers


def at_bounds(identification: Identification) -> dict[str, str]:
    """Parameter to the bound it ended at: "lower" or "upper"."""
    found = parameters(identification.actuator)
    space = identification.space
    cube = space.to_cube(np.array([found[name].value for name in space.names]))
    return {
        name: "lower" if u < 0.5 else "upper"
        for name, u in zip(space.names, cube, strict=True)
        if u < 0.01 or u > 0.99
    }


@dataclass(frozen=True)
class Said:
    """A doubt of an older file, of which only the sentence is known."""

    text: str
    kind: str = "said"
    parameters: tuple[str, ...] = ()


def doubts(identification: Identification) -> list[Doubtful]:
    """Doubts that the data and the search leave open."""
    ends = at_bounds(identification)
    others = [
        one for one in identification.doubts if one.kind not in ("lower bound", "upper bound")
    ]
    return [*_at_bounds(ends, parameters(identification.actuator)), *others]


def open_questions(identification: Identification) -> list[Question]:
    """The same as questions, each with what would settle it."""
    given = [fact.fact for fact in FitRecord.of(identification.actuator).datasheet or ()]
    return questions(doubts(identification), given)


def warnings(identification: Identification) -> list[str]:
    """The same as sentences."""
    return [f"{question.text}." for question in open_questions(identification)]


def _at_bounds(ends: Mapping[str, str], found: Mapping[str, Number]) -> list[Doubtful]:
    """Parameters that the logs do not need in one sentence, those that want wider bounds in one."""
    zero = [name for name, end in ends.items() if end == "lower" and found[name].low == 0.0]
    others = {name: end for name, end in ends.items() if name not in zero}
    made: list[Doubtful] = []
    if others:
        stops = "; ".join(_stop(name, end, found[name]) for name, end in others.items())
        made.append(Said(f"{stops}: better values may lie beyond", "upper bound", tuple(others)))
    if zero:
        text = f"these logs show no need for {', '.join(zero)}, which went to 0"
        made.append(Said(text, "lower bound", tuple(zero)))
    return made


def _stop(name: str, end: str, entry: Number) -> str:
    symbol = name.partition(".")[2]
    limit = number(entry.low if end == "lower" else entry.high)
    measure = f"{limit} {unit(entry.unit)}".rstrip()
    return f"{meaning(symbol) or symbol} ({name}) stopped at its {end} bound, {measure}"
