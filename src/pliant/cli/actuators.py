"""`pliant actuators`."""

from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Annotated, Any

import tyro
from tyro.conf import Positional

from pliant.catalogue import actuator_files, law_files, load_law, load_topology, topology_files
from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, columns
from pliant.errors import PliantError
from pliant.ports import FAMILIES
from pliant.report.listing import ANY, HEAD, ActuatorList, ListedActuator, actuators


@dataclass(frozen=True, kw_only=True)
class Actuators:
    """List the published actuators with maker, voltage and torque, or the laws they are made of.

    Example: pliant actuators --search "XL330-M288-T"

    Attributes:
        pattern: Part of a name, or a pattern with * and ?.
        search: Words that must all occur in name, device, maker or laws. Capitals and hyphens do not
            matter; "7.4V" is a supply voltage.
        robot: Only the actuators of this robot: so101, toddlerbot, kbot, g1, go1.
        maker: Only those of this maker, such as ROBOTIS.
        torque: Only those with this stall torque [N m], such as 0.5:2. No other size is known for all.
        voltage: Only those with this nominal supply [V], such as 12 or 11:13.
        law: Only those with this law or topology, such as m6, friction=m6 or series_elastic.
        laws: List laws and topologies instead.
    """

    pattern: Annotated[Positional[str | None], shown("[PATTERN]")] = None
    search: Annotated[str | None, shown("WORDS")] = None
    robot: Annotated[str | None, shown("ROBOT")] = None
    maker: Annotated[str | None, shown("MAKER")] = None
    torque: Annotated[str | None, shown("LOW:HIGH"), tyro.conf.arg(aliases=("--size",))] = None
    voltage: Annotated[str | None, shown("V|LOW:HIGH")] = None
    law: Annotated[str | None, shown("LAW")] = None
    laws: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show the table."""
        return self._laws(terminal) if self.laws else self._actuators(terminal)

    def _matches(self, name: str) -> bool:
        return self.pattern is None or self.pattern in name or fnmatch(name, self.pattern)

    def _actuators(self, terminal: Terminal) -> int:
        files = actuator_files()
        every = actuators(
            self.search or "",
            robot=self.robot,
            maker=self.maker,
            law=self.law,
            voltage=_ends("--voltage", self.voltage),
            torque=_ends("--torque", self.torque),
        )
        found = [one for one in every if self._matches(one.name)]
        if not found:
            raise PliantError(
                "no such actuator", field="PATTERN", found=self.pattern, accepted=files
            )
        terminal.say(columns(HEAD, ActuatorList(found).rows(), numbers=(3, 4)))
        terminal.say("\n`pliant show NAME` explains one.")
        terminal.result({"actuators": {one.name: _plain(one) for one in found}})
        return 0

    def _laws(self, terminal: Terminal) -> int:
        found = [load_topology(name) for name in sorted(topology_files())]
        for family in FAMILIES:
            found += [load_law(family, name) for name in sorted(law_files(family))]
        names = sorted({*FAMILIES, *(p.name for p in found)})
        found = [p for p in found if self._matches(p.name) or self._matches(p.kind)]
        if not found:
            raise PliantError("no such law", field="PATTERN", found=self.pattern, accepted=names)
        terminal.say(
            columns(["family", "name", "what"], [[p.kind, p.name, p.title] for p in found])
        )
        laws = [
            {"family": p.kind, "name": p.name, "title": p.title, "path": str(p.path)} for p in found
        ]
        terminal.result({"laws": laws})
        return 0


def _ends(option: str, text: str | None) -> tuple[float, float]:
    """Bounds from "low:high", where either may be missing, or from a single number."""
    if text is None:
        return ANY
    low, colon, high = text.partition(":")
    ends = low or ANY[0], (high or ANY[1]) if colon else low
    try:
        first, last = map(float, ends)
    except ValueError:
        first = last = float("nan")
    if not (low or high) or not first <= last:
        accepted = "a number, or low:high, such as 0.5:2"
        raise PliantError("is not a range", field=option, found=text, accepted=accepted)
    return first, last


def _plain(one: "ListedActuator") -> dict[str, Any]:
    names = "title device maker voltage torque topology laws source sources".split()
    return {name: getattr(one, name) for name in names} | {"path": str(one.path)}
