"""Plan of a fit: the options of `pliant identify`, and what only a plan's file says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import tomlkit
from pydantic import Field

from pliant.cli.options import option
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError, located
from pliant.io.keyed import in_words, of_file, of_texts
from pliant.io.output import check_output, write_whole
from pliant.io.validated import Strict, validated


class FitPlan(Strict):
    """Keys of a plan's file, and of `--plan`; those that are options too mean the same.

    Attributes:
        intervals: find the 90 % intervals and the bands.
        test: test the fit by a second, shorter one to all logs but a group; where nothing is held out.
        draws: table to write (*.csv): parameter sets that fit these logs as well, one per line, in SI
            units. Drawing one for each simulation gives domain randomisation.
        watch: show the search in the browser, with pip install "pliant[view]".
        checkpoint: file in which the search is saved, to resume from; by default beside output. Removed at
            the end, and, if not named here, after Ctrl-C.
        jacobians: of each descent, at most; by default 40, where models of a robot are compared 20.
        step: longest integration step [s]; by default 0.001, of a robot its model's own.
        extension: laws to combine each friction model with, port=law, or several joined by +; usual:
            command delay, pulsed supply, and both.
        with_equals: fit the models that add to the mixture (weight from 0.05) to all logs too, and write
            the fits of all into one file, as a set.
        replace: actuators that the robot's model has on recorded joints give way.
        how: fit a robot's joints together, each separately while the others follow their recording, or
            both, one after the other.
        frame_times: fit again at the times at which frames came, as far as a robot's joints tell together.
        other_recorder: recordings of the same robot by a recorder without delay: what delay all joints have
            beyond theirs is taken out of the actuators.
        device_output: actuator file to write (*.toml), where all joints have units of one device: their
            mean and their spread.
        reading: how the recordings are read, in place of --reading.
        write: write this plan to a file (*.toml), and end.
    """

    paths: ClassVar[tuple[str, ...]] = ()

    logs: tuple[str, ...] = ()
    robot: Path | None = None
    actuator: tuple[str, ...] = ()
    law: tuple[str, ...] = ()
    fit: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    hold_out: tuple[str, ...] = ()
    output: Path | None = None
    report: Path | None = None
    overwrite: bool = False
    starts: int | None = Field(None, ge=1, le=10**6)
    seed: int = Field(1, ge=0)
    processes: str | None = None
    intervals: bool = True
    test: bool = True
    draws: Path | None = None
    watch: bool = False
    checkpoint: Path | None = None
    jacobians: int | None = Field(None, ge=1, le=10**6)
    step: float | None = Field(None, ge=1e-5, le=1.0)
    extension: tuple[str, ...] = ()
    with_equals: bool = False
    replace: bool = False
    how: Literal["together", "separately", "both"] = "both"
    frame_times: bool = False
    other_recorder: Path | None = None
    device_output: Path | None = None
    reading: tuple[str, ...] = ()
    write: Path | None = None

    def written(self, path: Path) -> None:
        """Write what is not by default, for `pliant identify --plan FILE`.

        Raises:
            PliantError: it cannot be written, or exists.
        """
        if path.suffix != ".toml":
            raise PliantError(
                "wrong kind of file", field="write", found=path.name, accepted="*.toml"
            )
        check_output(path, overwrite=self.overwrite)
        plain = self.model_dump(exclude_defaults=True, exclude={"write"}, mode="json")
        said = tomlkit.comment(f"A fit: pliant identify --plan {path.name}")
        write_whole(path, f"{said.as_string()}\n{tomlkit.dumps(plain)}")

    def say(self, terminal: Terminal) -> None:
        """Every setting that is not by default, in a line."""
        plain = self.model_dump(exclude_defaults=True, exclude={"write", "overwrite"})
        terminal.aside(f"plan: {in_words(plain)}")


def plan_of(given: Mapping[str, Any], texts: tuple[str, ...]) -> FitPlan:
    """The plan of options, and of the file and the keys that `--plan` has; options go before."""
    files = [Path(text) for text in texts if text.endswith(".toml") and "=" not in text]
    values: dict[str, Any] = {}
    for path in files:
        values |= of_file(FitPlan, path)
        with located(path):
            validated(FitPlan, values)
    values |= of_texts(FitPlan, [x for x in texts if Path(x) not in files], "--plan")
    try:
        return validated(FitPlan, {**values, **given})
    except PliantError as error:
        key = (error.field or "").partition(".")[0]
        raise error.named(option(key) if key in given else f"--plan: {key}") from None
