"""`pliant actuators`."""

from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, columns

if TYPE_CHECKING:
    from pliant.assemble import Actuator


@dataclass(frozen=True, kw_only=True)
class Actuators:
    """List the actuators with their sources, or the laws they are made of.

    Example: pliant actuators "xl330*"

    Attributes:
        pattern: Part of a name, or a pattern with * and ?.
        laws: List laws and topologies instead.
    """

    pattern: Annotated[Positional[str | None], shown("[PATTERN]")] = None
    laws: Annotated[bool, flag()] = False
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show the table."""
        return self._laws(terminal) if self.laws else self._actuators(terminal)

    def _matches(self, name: str) -> bool:
        return self.pattern is None or self.pattern in name or fnmatch(name, self.pattern)

    def _actuators(self, terminal: Terminal) -> int:
        from pliant.catalogue import actuator_files
        from pliant.errors import PliantError
        from pliant.io.actuator_file import read_actuator

        files = actuator_files()
        found = [read_actuator(files[name]) for name in sorted(files) if self._matches(name)]
        if not found:
            raise PliantError("no such actuator", found=self.pattern, accepted=files)
        head = ["name", "title", "topology", "friction", "source"]
        rows = [[a.name, a.title, a.topology.name, _friction(a), _short(_source(a))] for a in found]
        terminal.say(columns(head, rows))
        terminal.say("\n`pliant show NAME` explains one.")
        terminal.result({"actuators": {a.name: _plain(a) for a in found}})
        return 0

    def _laws(self, terminal: Terminal) -> int:
        from pliant.catalogue import law_files, load_law, load_topology, topology_files
        from pliant.errors import PliantError
        from pliant.ports import FAMILIES

        found = [load_topology(name) for name in sorted(topology_files())]
        for family in FAMILIES:
            found += [load_law(family, name) for name in sorted(law_files(family))]
        found = [p for p in found if self._matches(p.name) or self._matches(p.kind)]
        if not found:
            raise PliantError("no such law", field="PATTERN", found=self.pattern)
        terminal.say(
            columns(["family", "name", "what"], [[p.kind, p.name, p.title] for p in found])
        )
        laws = [
            {"family": p.kind, "name": p.name, "title": p.title, "path": str(p.path)} for p in found
        ]
        terminal.result({"laws": laws})
        return 0


def _friction(actuator: "Actuator") -> str:
    law = actuator.laws.get("friction")
    return law.name if law else ""


def _source(actuator: "Actuator") -> str:
    """The source of most of its numbers."""
    named = [number.source for number in actuator.numbers.values() if number.how != "assumed"]
    best = max(dict.fromkeys(named), key=named.count, default=next(iter(actuator.sources), ""))
    return actuator.sources.get(best, best)


def _short(text: str, width: int = 48) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _plain(actuator: "Actuator") -> dict[str, Any]:
    return {
        "title": actuator.title,
        "device": actuator.device,
        "topology": actuator.topology.name,
        "laws": {port: law.name for port, law in actuator.laws.items()},
        "source": _source(actuator),
        "sources": dict(actuator.sources),
        "path": str(actuator.path),
    }
