"""`pliant show`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from tyro.conf import Positional

from pliant.assemble import Actuator, still
from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, columns, printable
from pliant.io.actuator_file import load_actuator
from pliant.io.output import check_output
from pliant.words import number, unit

if TYPE_CHECKING:
    from pliant.report.derived import Derived


@dataclass(frozen=True, kw_only=True)
class Show:
    """Show one actuator: its laws, its parameters with unit, bounds and source, its data sheet.

    Example: pliant show xl330_bam_m6

    Attributes:
        actuator: Name of an actuator (`pliant actuators` lists them), or a TOML file.
        picture: Picture to write (*.png, *.svg): torque and efficiency over speed, and the loads that
            the joint can drive and that can drive it back.
        overwrite: Replace a picture that exists.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    picture: Annotated[Path | None, shown("FILE.png")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show it."""
        from pliant.report.derived import derived
        from pliant.report.words import PARAMETERS, parameter_rows

        actuator = load_actuator(self.actuator)
        figures = derived(actuator)
        if self.picture is not None:
            from pliant.report.still import write_characteristics

            check_output(self.picture, overwrite=self.overwrite)
            write_characteristics(actuator, self.picture)
            terminal.note(f"picture: {self.picture}")
        if terminal.as_json:
            terminal.result(_plain(actuator, figures))
            return 0
        terminal.say(f"{actuator.name}: {printable(actuator.title)}")
        terminal.say(f"device {printable(actuator.device)}, file {actuator.path}\n")
        terminal.say(f"topology {actuator.topology.name}: {actuator.topology.title}\n")
        laws = [[port, law.name, law.title] for port, law in actuator.chosen_laws.items()]
        terminal.say(columns(["port", "law", "what"], laws))
        for port, path in actuator.own_files.items():
            terminal.say(f"{port} is compiled from {printable(str(path))}")
        terminal.say("\n" + columns(PARAMETERS, parameter_rows(actuator), numbers=(1,)))
        sources = [[name, text] for name, text in actuator.sources.items()]
        terminal.say("\n" + columns(["source", "what it is"], sources))
        terminal.say("\n" + _derived(figures))
        if sheet := _datasheet(actuator):
            terminal.say("\n" + sheet)
        for name in still(actuator):
            terminal.note(f"{name} is 0: it will not move")
        if actuator.identification:
            terminal.say("\n" + _record(actuator.identification))
        return 0


def _derived(figures: "Derived") -> str:
    rows = [
        [name, number(value), unit if value is not None else ""]
        for name, value, unit in figures.rows()
    ]
    return columns(["from the laws, at nominal supply", "value", "unit"], rows, numbers=(1,))


def _datasheet(actuator: Actuator) -> str:
    """Table of the data-sheet facts in the file and of those given to its fit; empty without any."""
    from pliant.identification.result.record import FitRecord

    pulled = FitRecord.of(actuator).datasheet or []
    given = [fact for fact in pulled if fact not in actuator.datasheet]
    rows = [
        [
            fact.fact.replace("_", " "),
            number(fact.value),
            unit(fact.unit),
            "" if fact.voltage is None else f"{fact.voltage:g}",
            f"{100 * fact.tolerance:g}",
            fact.source,
        ]
        for fact in (*actuator.datasheet, *given)
    ]
    head = ["data sheet", "value", "unit", "at [V]", "± [%]", "source"]
    return columns(head, rows, numbers=(1, 3, 4)) if rows else ""


def _record(record: Mapping[str, Any]) -> str:
    rows: list[list[str]] = []
    for key, value in record.items():
        if key == "datasheet":
            continue  # with the file's own, above
        if isinstance(value, dict):
            names = cast("dict[str, Any]", value)
            rows += [[key if k == 0 else "", str(name)] for k, name in enumerate(names)]
        else:
            rows.append([key, str(value)])
    return columns(["identification", ""], rows)


def _plain(actuator: Actuator, figures: "Derived") -> dict[str, Any]:
    from pliant.report.words import meaning

    return {
        "name": actuator.name,
        "title": actuator.title,
        "device": actuator.device,
        "path": str(actuator.path),
        "topology": actuator.topology.name,
        "laws": {port: law.name for port, law in actuator.chosen_laws.items()},
        "own_files": {port: str(path) for port, path in actuator.own_files.items()},
        "parameters": {
            name: {**asdict(entry), "meaning": meaning(name.partition(".")[2])}
            for name, entry in actuator.all_numbers.items()
        },
        "sources": dict(actuator.sources),
        "datasheet": [asdict(fact) for fact in actuator.datasheet],
        "derived": asdict(figures),
        "identification": dict(actuator.identification),
    }
