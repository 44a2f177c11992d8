"""Files of a robot's identification: an actuator for each joint, the robot, the device, the report."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from pliant.cli.fitting import ROBOT_FILE
from pliant.cli.robot_outcome import RobotOutcome
from pliant.cli.terminal import Terminal
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError, is_interrupt
from pliant.identification.robot.device import device_actuator, device_of
from pliant.identification.robot.space import OFFSETS
from pliant.io.actuator_file import write_actuator, write_or_rescue
from pliant.io.output import write_whole
from pliant.report.robot_page import write_robot_report
from pliant.robots.robot_energies import totals
from pliant.robots.robot_file import robot_file_text
from pliant.words import counted


@dataclass(frozen=True, kw_only=True)
class RobotFiles:
    """Files that a command was asked for.

    Attributes:
        model: the robot's. output: folder of its actuators. report: page (*.html).
        device: actuator file of the device that all joints have a unit of.
        timestep: [s] of the simulation, if not the model's. overwrite: replace the device's file.
        wishes: options of `attach` that the robot's file says too.
    """

    model: Path
    output: Path | None
    report: Path | None
    device: Path | None
    timestep: float | None
    overwrite: bool
    wishes: Wishes

    def write(self, outcome: RobotOutcome, terminal: Terminal) -> bool:
        """Write all files; False if one is not where it should be, though kept elsewhere."""
        problems: list[object] = []
        for joint, path in outcome.files.items():
            if problem := write_or_rescue(outcome.found.actuators[joint], path):
                problems.append(problem)
        try:
            self._write_robot(outcome)
            if self.device is not None:
                self._write_device(self.device, outcome)
        except PliantError as error:
            problems.append(error)
        if self.report is not None:
            terminal.note("drawing the report ...")
            try:
                write_robot_report(
                    self.report,
                    outcome.found,
                    self.model,
                    outcome.files,
                    verdict=outcome.verdict,
                    kinds=outcome.kinds,
                    choice=outcome.choice,
                    energies=outcome.spent,
                )
            except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - what was found is worth more
                if is_interrupt(error):
                    raise KeyboardInterrupt(f"what was found is in {self.output}") from None
                problems.append(f"a file is missing: {error}; what was found is in {self.output}")
        for problem in problems:
            terminal.note(f"pliant: {problem}")
        return not problems

    def _write_robot(self, outcome: RobotOutcome) -> None:
        """Write the robot's file, with the zeros of its recordings, beside its actuators."""
        if self.output is None:
            return
        model = os.path.relpath(self.model.resolve(), self.output.resolve())
        names = {joint: path.name for joint, path in outcome.files.items()}
        zeros = {n: x for n, x in outcome.found.values.items() if n.endswith(OFFSETS)}
        energies = {
            joint: {name: float(f"{x:.4g}") for name, x in parts.items() if x is not None}
            for joint, parts in totals(outcome.spent).items()
        }
        passed = any(doubt.kind == "base" and doubt.parameters for doubt in outcome.found.doubts)
        wishes = replace(
            self.wishes, exclude_base_collision=passed or self.wishes.exclude_base_collision
        )
        text = robot_file_text(
            Path(model).as_posix(), names, zeros, self.timestep, wishes, energies
        )
        write_whole(self.output / ROBOT_FILE, text)

    def _write_device(self, path: Path, outcome: RobotOutcome) -> None:
        """Write the device whose units the joints have."""
        found = outcome.found
        first, *_ = found.actuators.values()
        device = device_of(found, list(found.actuators))
        logs = {entry.log.name: entry.log for entry in found.fitted.entries}
        seconds = sum(float(log.time[-1]) for log in logs.values())
        text = (
            f"{counted(len(device.units), 'unit')} on {self.model.name}, "
            f"{counted(len(logs), 'recording')}, {seconds:.0f} s; std is how far units differ"
        )
        title = f"{first.title.partition(' at ')[0]}, mean of {counted(len(device.units), 'unit')}"
        made = device_actuator(device, first, path.stem, title, text)
        write_actuator(made, path, overwrite=self.overwrite)
