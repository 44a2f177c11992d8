"""`pliant plot`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tyro.conf import Positional

from pliant.assemble import Actuator
from pliant.cli.options import Output, flag, shown
from pliant.cli.recording import Recording, bench_logs
from pliant.cli.terminal import Terminal
from pliant.csv_rows import csv_rows
from pliant.errors import PliantError, check_known, located
from pliant.files import read_text
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, log_files
from pliant.io.output import check_output, write_whole

KINDS = ("png", "svg")


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Plot logs, actuators and tables over time as PNG or SVG, one picture for each file.

    Given an actuator and logs, each log is simulated with it and drawn beside the measurement.

    Example: pliant plot run.json my_servo.toml --format svg

    Attributes:
        files: Logs (*.json, *.csv), actuators (names or *.toml), other tables over time (*.csv: from
            simulate, stiffness and view, or recordings of robots), or folders of them.
        output: Folder for the pictures, which are named after the files; or the file (*.png, *.svg) of the
            only one.
        format: Format of the pictures: png or svg.
        overwrite: Replace files that exist.
    """

    files: Annotated[Positional[tuple[str, ...]], shown("FILE")] = ()
    output: Annotated[Path, shown("FOLDER|FILE")] = Path()
    format: Annotated[str, shown("png|svg")] = "png"
    overwrite: Annotated[bool, flag()] = False
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Draw them."""
        from pliant.report.still import bytes_of

        check_known(self.format, KINDS, "no such format", field="--format")
        drawn = self._drawn(terminal)
        paths = self._paths([name for name, _ in drawn])
        if len(paths) < len(drawn):
            raise PliantError(
                "two files have the same name", field="FILE", found=[n for n, _ in drawn]
            )
        for path in paths.values():
            check_output(path, overwrite=self.overwrite)
        for name, figure in drawn:
            paths[name].parent.mkdir(parents=True, exist_ok=True)
            write_whole(paths[name], bytes_of(figure, paths[name].suffix.lower()[1:]))
            terminal.say(f"wrote figure {paths[name]}")
        terminal.result({"files": {name: str(path) for name, path in paths.items()}})
        return 0

    def _paths(self, names: Sequence[str]) -> dict[str, Path]:
        """Name to picture; --output may name the only one."""
        if self.output.suffix.lower()[1:] not in KINDS or self.output.is_dir():
            return {name: self.output / f"{name}.{self.format}" for name in names}
        if len(names) > 1:
            raise PliantError(
                "several pictures", field="--output", found=self.output.name, accepted="a folder"
            )
        return {names[0]: self.output}

    def _drawn(self, terminal: Terminal) -> list[tuple[str, Any]]:
        """Name to figure of every file."""
        from pliant.report.still import actuator_figure, log_figure, simulated_by

        actuators, logs, tables = self._sorted(terminal)
        if not (actuators or logs or tables):
            raise PliantError("nothing to draw", field="FILE", accepted="logs, actuators, tables")
        if len(actuators) == 1 and logs:
            found: Sequence[Any] = simulated_by(actuators[0], logs)
        elif actuators and logs:
            names = [one.name for one in actuators]
            raise PliantError("more than one actuator for these logs", field="FILE", found=names)
        else:
            found = [None] * len(logs)
        drawn = [(log.name, log_figure(log, run)) for log, run in zip(logs, found, strict=True)]
        if not logs:
            drawn += [(actuator.name, actuator_figure(actuator)) for actuator in actuators]
        return [*drawn, *((path.stem, _table(path)) for path in tables)]

    def _sorted(self, terminal: Terminal) -> tuple[list[Actuator], list[Log], list[Path]]:
        """The files by what is in them."""
        recorded = [Path(text) for text in self.files if Path(text).exists()]
        facts = self.recording.facts(recorded, terminal)
        actuators: list[Actuator] = []
        logs: list[Path] = []
        tables: list[Path] = []
        for text in self.files:
            path = Path(text)
            if path.suffix.lower() == ".toml" or not path.exists():
                actuators.append(load_actuator(text))
                continue
            for file in log_files([path]):
                (logs if _is_log(file, facts.columns) else tables).append(file)
        return actuators, bench_logs(logs, facts) if logs else [], tables


def _is_log(file: Path, columns: str | None) -> bool:
    """Whether a file is a log of one joint, and not a table of something else over time."""
    if file.suffix.lower() != ".csv" or columns is not None:
        return True
    names = {
        name.partition("[")[0].strip() for name in csv_rows(read_text(file, largest=1 << 28)).head
    }
    return {"time", "position", "goal"} <= names


def _table(file: Path) -> Any:
    """Every column over the first one."""
    from pliant.report.still import table_figure

    with located(file):
        rows = csv_rows(read_text(file, largest=1 << 28))
        columns = {
            name: np.array(
                [_number(cells[k]) if k < len(cells) else np.nan for cells in rows.cells]
            )
            for k, name in enumerate(rows.head)
        }
        numbers = {name: x for name, x in columns.items() if not np.isnan(x).all()}
        if len(numbers) < 2:
            raise PliantError("no columns of numbers", found=rows.head)
    return table_figure(numbers, next(iter(numbers)), file.stem)


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("nan")
