"""Parameters and findings in plain words."""

from collections.abc import Mapping
from typing import cast

import numpy as np

from pliant.assemble import Actuator, Number
from pliant.identify.fit import Identification
from pliant.quantity import notation
from pliant.words import number, unit


def meaning(symbol: str) -> str:
    """What a parameter's symbol stands for; nothing for one that only a user's law knows."""
    return str(notation()["symbols"].get(symbol, ""))


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


def parameters(actuator: Actuator) -> dict[str, Number]:
    """All numbers of an actuator, those of its bench as `plant.…`."""
    return {name: actuator.numbers[name] for name in actuator.fields} | {
        f"plant.{name}": entry for name, entry in actuator.bench.items()
    }


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


def warnings(identification: Identification) -> list[str]:
    """What the data and the search leave open, one sentence each."""
    found = parameters(identification.actuator)
    ends = at_bounds(identification)
    words = [_bound(name, end, found[name]) for name, end in ends.items()]
    unseen = identification.actuator.identification.get("open", [])
    others = [*identification.warnings, *map(str, cast("list[object]", unseen))]
    seen = [w for w in dict.fromkeys(others) if not _says_bound(w, ends)]
    return words + [f"{_begun(w)}." for w in seen]


def _begun(sentence: str) -> str:
    """With a capital, unless it begins with the name of a parameter."""
    named = "." in sentence.partition(" ")[0].rstrip(".,")
    return sentence if named else f"{sentence[0].upper()}{sentence[1:]}"


def _says_bound(word: str, ends: Mapping[str, str]) -> bool:
    """Of a parameter at a bound more is said above."""
    return word.partition(" ")[0] in ends and word.endswith("bound")


def _bound(name: str, end: str, entry: Number) -> str:
    symbol = name.partition(".")[2]
    what = f"{meaning(symbol) or symbol} ({name})"
    what = what[0].upper() + what[1:]
    if end == "lower" and entry.low == 0.0:
        return f"{what} went to 0: these logs show no need for it."
    limit = number(entry.low if end == "lower" else entry.high)
    measure = f"{limit} {unit(entry.unit)}".rstrip()
    return (
        f"{what} stopped at its {end} bound, {measure}: the best value may lie beyond it; give "
        "wider bounds to find out."
    )
