"""Search of the catalogue of actuators by any property.

pliant.actuators("xl330")            # by name, device, maker, model, law; all words must be there
pliant.actuators("ROBOTIS m6")
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, cast, overload

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.actuator_file import read_actuator
from pliant.io.validated import read_toml
from pliant.words import number

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class ListedActuator:
    """One actuator of the catalogue.

    Attributes:
        name: for `attach` and `load_actuator`. title: one line for people.
        maker: of the device; empty if there is none, or it is not known.
        voltage: nominal supply [V]. torque: of the motor at standstill, at full command [N m].
        friction: friction law, empty without one. spring: law of its spring, empty without one.
        laws: port to law. source: of most of its numbers. sources: key to source, for all.
    """

    name: str
    title: str
    device: str
    maker: str
    voltage: float | None
    torque: float
    topology: str
    friction: str
    spring: str
    laws: dict[str, str]
    source: str
    sources: dict[str, str]
    path: Path


class ActuatorList(Sequence[ListedActuator]):
    """Actuators found by a search; prints as a table."""

    def __init__(self, found: Sequence[ListedActuator]) -> None:
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> ListedActuator: ...
    @overload
    def __getitem__(self, index: slice) -> "ActuatorList": ...
    def __getitem__(self, index: int | slice) -> "ListedActuator | ActuatorList":
        if isinstance(index, slice):
            return ActuatorList(self._found[index])
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def names(self) -> list[str]:
        """Names that `attach` takes."""
        return [one.name for one in self._found]

    def rows(self) -> list[list[str]]:
        """Cells of a table: name, maker, title, volt, newton metre, friction and spring."""
        return [
            [
                one.name,
                one.maker,
                one.title,
                number(one.voltage),
                number(one.torque),
                " + ".join(filter(None, (one.friction, one.spring))),
            ]
            for one in self._found
        ]

    def to_pandas(self) -> "pandas.DataFrame":
        """The list as a pandas `DataFrame`.

        Raises:
            PliantError: pandas is not installed.
        """
        pandas = extra_module("pandas", "pandas")
        rows = [asdict(one) for one in self._found]
        return pandas.DataFrame(rows, index=self.names)

    def __repr__(self) -> str:
        table = [list(HEAD), *self.rows()]
        widths = [max(len(row[k]) for row in table) for k in range(len(HEAD))]
        lines = ("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in table)
        return "\n".join(line.rstrip() for line in lines)


ANY = (float("-inf"), float("inf"))
"""A range that excludes nothing."""
HEAD = ("name", "maker", "title", "V", "N m", "law")


def actuators(
    search: str = "",
    *,
    robot: str | None = None,
    maker: str | None = None,
    law: str | None = None,
    voltage: tuple[float, float] = ANY,
    torque: tuple[float, float] = ANY,
) -> ActuatorList:
    """Search the catalogue of actuators.

    Args:
        search: words that must all occur in its name, title, device, maker, laws or topology;
            capitals, hyphens and spaces do not matter. "7.4 V" and "24V" mean the nominal supply.
            By default all actuators.
        robot: only devices of this robot: "so101".
        maker: only of this maker, by a part of the name. law: only with this law (m6, friction=m6), or this topology.
        voltage, torque: only with nominal supply [V], or stall torque [N m], from the first to the second.

    Returns:
        The actuators found, sorted by name.

    Raises:
        PliantError: nothing matches; with the nearest names.
    """
    if not isinstance(search, str):  # pyright: ignore[reportUnnecessaryIsInstance] of programs without types
        raise PliantError(
            "is no text to search for", field="search", found=search, accepted='such as "xl330"'
        )
    devices = None if robot is None else devices_of(robot)
    found = [
        a
        for a in _all()
        if _fits(a, search)
        and (devices is None or a.device in devices)
        and (maker is None or _bare(maker) in _bare(a.maker))
        and (law is None or law in _names_of_laws(a) | _ports_of_laws(a))
    ]
    rows = [row for row in map(listed, found) if _between(row, voltage, torque)]
    if not rows:
        _refuse_unknown(maker, law)
        raise _nothing(search, robot=robot, maker=maker, law=law, voltage=voltage, torque=torque)
    return ActuatorList(rows)


def _nothing(search: str, **asked: object) -> PliantError:
    """Error: no actuator matches the whole query."""
    units = {"voltage": "V", "torque": "N m"}
    said = [
        f"{name} {_range_text(value)} {units[name]}" if name in units else f"{name} {value}"
        for name, value in asked.items()
        if value not in (None, ANY)
    ]
    accepted = "part of a name, device, maker or law; `pliant.actuators()` lists all"
    if said:
        found = ", ".join([*filter(None, [search]), *said])
        return PliantError(
            "no actuator matches all of this", found=found, accepted="fewer conditions"
        )
    return PliantError(
        "no such actuator" + _likely(search), field="search", found=search, accepted=accepted
    )


def _range_text(ends: object) -> str:
    """A range as options name it: one number, or low:high."""
    low, high = cast("tuple[float, float]", ends)
    if low == high:
        return f"{low:g}"
    return ":".join(f"{end:g}" if abs(end) < ANY[1] else "" for end in (low, high))


def _between(
    row: ListedActuator, voltage: tuple[float, float], torque: tuple[float, float]
) -> bool:
    """Whether its supply and its torque are within these; one without a supply has none in a range."""
    supplied = voltage == ANY or (
        row.voltage is not None and voltage[0] <= row.voltage <= voltage[1]
    )
    return supplied and torque[0] <= row.torque <= torque[1]


def _names_of_laws(actuator: Actuator) -> set[str]:
    return {actuator.topology.name, *(law.name for law in actuator.laws.values())}


def _ports_of_laws(actuator: Actuator) -> set[str]:
    """Laws with their ports, as other options name them: "friction=m6"."""
    return {f"{port}={law.name}" for port, law in actuator.laws.items()}


def _refuse_unknown(maker: str | None, law: str | None) -> None:
    """Refuse a maker or a law that no actuator has, with the nearest names."""
    makers = sorted({a.maker for a in _all()} - {""})
    if maker is not None and not any(_bare(maker) in _bare(known) for known in makers):
        raise PliantError("no such maker", field="maker", found=maker, accepted=makers)
    if law is None:
        return
    port, equals, name = law.partition("=")
    if not equals:
        laws = set[str]().union(*map(_names_of_laws, _all()))
    else:
        laws = {a.laws[port].name for a in _all() if port in a.laws}
    if not laws:
        ports = set[str]().union(*(a.laws for a in _all()))
        raise PliantError("no actuator has this port", field="law", found=port, accepted=ports)
    if (name or law) not in laws:
        raise PliantError("no actuator has this law", field="law", found=law, accepted=laws)


def devices_of(robot: str) -> tuple[str, ...]:
    """The devices in a robot, as actuator files call them."""
    known = read_toml(Path(str(resources.files("pliant") / "data" / "robots.toml")))
    entries = cast("dict[str, dict[str, list[str]]]", known)
    names = {
        _bare(n): entry for key, entry in entries.items() for n in (key, *entry.get("also", ()))
    }
    if _bare(robot) not in names:
        raise PliantError("no such robot", field="robot", found=robot, accepted=known)
    return tuple(names[_bare(robot)]["devices"])


def listed(actuator: Actuator) -> ListedActuator:
    """Row of an actuator in the list."""
    from pliant.report.derived import torque_at_full_command

    laws = {port: law.name for port, law in actuator.chosen_laws.items()}
    every = [law for law in actuator.laws.values() if law.name != "none"]
    springs = dict.fromkeys(law.name for law in every if law.kind.endswith("compliance"))
    friction = dict.fromkeys(law.name for law in every if law.kind.startswith("friction"))
    has_supply = "own.voltage" in actuator.fields
    assert actuator.path is not None  # it was read from there
    return ListedActuator(
        name=actuator.name,
        title=actuator.title,
        device=actuator.device,
        maker=actuator.maker,
        voltage=actuator.value("own.voltage") if has_supply else None,
        torque=float(torque_at_full_command(actuator)(0.0)),
        topology=actuator.topology.name,
        friction=", ".join(friction),
        spring=", ".join(springs),
        laws=laws,
        source=source(actuator),
        sources=dict(actuator.sources),
        path=actuator.path,
    )


def source(actuator: Actuator) -> str:
    """The source of most of its numbers."""
    named = [number.source for number in actuator.numbers.values() if number.how != "assumed"]
    best = max(dict.fromkeys(named), key=named.count, default=next(iter(actuator.sources), ""))
    return actuator.sources.get(best, best)


@cache
def _all() -> tuple[Actuator, ...]:
    files = actuator_files()
    return tuple(read_actuator(files[name]) for name in sorted(files))


def _fits(actuator: Actuator, search: str) -> bool:
    text = _bare(" ".join(_texts(actuator)))
    volts = _VOLTS.findall(search)
    rest = _VOLTS.sub(" ", search)
    supplied = "own.voltage" in actuator.fields
    if volts and not (supplied and all(float(v) == actuator.value("own.voltage") for v in volts)):
        return False
    return all(_bare(word) in text for word in rest.split())


def _texts(actuator: Actuator) -> Iterator[str]:
    yield from (actuator.name, actuator.title, actuator.device, actuator.maker)
    yield actuator.topology.name
    yield from (law.name for law in actuator.laws.values())


def _likely(search: str) -> str:
    """The nearest names, by name, device or a word of the title."""
    words: dict[str, str] = {}
    for actuator in _all():
        for word in (actuator.name, actuator.device, actuator.maker, *actuator.title.split()):
            words.setdefault(_bare(word), actuator.name)
    near = get_close_matches(_bare(search), list(words), n=3, cutoff=0.6)
    names = dict.fromkeys(words[word] for word in near)
    return f"; did you mean {' or '.join(map(repr, names))}?" if names else ""


_VOLTS = re.compile(r"\b(\d+(?:\.\d+)?)\s*V\b", re.IGNORECASE)


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9.+]", "", text.lower())
