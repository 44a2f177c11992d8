"""Plan of a fit: the options of `pliant identify`, and settings that only a plan has."""

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
        test: if nothing is held out, test the fit by a second, shorter one to all logs but one group.
        draws: table to write (*.csv): posterior draws, one parameter set per line, in SI units.
            Using one for each simulation gives domain randomisation.
        watch: show the search in the browser, with pip install "pliant[view]".
        checkpoint: file in which the search is saved, to resume from; by default beside output. Removed at
            the end, and, if not named here, after Ctrl-C.
        jacobians: maximum per descent; by default 40, or 20 when models of a robot are compared.
        step: longest integration step [s]; by default 0.001, of a robot its model's own.
        extension: laws to combine each friction model with, port=law, or several joined by +; usual:
            command delay, pulsed supply, and both.
        with_equals: also fit the models that add to the mixture (weight from 0.05) to all logs, and write
            all fits into one file, as a set.
        replace: replace actuators that the robot's model has on recorded joints.
        how: fit a robot's joints together, each separately while the others follow their recording, or
            both, one after the other.
        frame_times: fit again at the actual times of the frames, as estimated from all joints together.
        other_recorder: recordings of the same robot by a recorder without delay: any delay common to all
            joints beyond theirs is removed from the actuators.
        device_output: actuator file to write (*.toml) if all joints have units of one device: their
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
        """Write the settings that differ from the defaults, for `pliant identify --plan FILE`.

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
        """One line with every setting that differs from its default."""
        plain = self.model_dump(exclude_defaults=True, exclude={"write", "overwrite"})
        terminal.aside(f"plan: {in_words(plain)}")


def plan_of(given: Mapping[str, Any], texts: tuple[str, ...]) -> FitPlan:
    """The plan from the options and from `--plan` (its file and keys); options take precedence."""
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
