"""`pliant evaluate` of a whole robot: every joint of every recording, all joints simulated together."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.cli.choices import mounting
from pliant.cli.evaluated import found_table, robot_table
from pliant.cli.options import Integration, check_step
from pliant.cli.robot_outcome import errors, repeatability_as_plain
from pliant.cli.robot_setup import recorded_robot
from pliant.cli.terminal import Terminal, columns
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.engines.mujoco.batch.robot_model import given_way
from pliant.identification.problem.recorder_parameters import winding_start_message
from pliant.identification.problem.repeatability import each_joint, in_words
from pliant.identification.result.known import Judged, held, judged
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import robot_rig
from pliant.robots.robot_energies import as_plain, energies_of_logs
from pliant.robots.robot_file import RecordedRobot
from pliant.words import mrad

if TYPE_CHECKING:
    from pliant.identification.problem.evaluation import RobotEvaluation
    from pliant.identification.result.known import Held


def evaluate_recordings(
    robot: RecordedRobot, logs: list[RobotLog], facts: RecordingFacts, terminal: Terminal
) -> int:
    """Errors of a robot on its recordings, with the zeros of their calibration."""
    gone = given_way(robot.model, list(robot.actuators)) if robot.wishes.replace else []
    for text in gone:
        terminal.note(text)
    settings = ManySettings(timestep=robot.timestep, supply=facts.supply, wishes=robot.wishes)
    rig = robot_rig(robot.model, robot.actuators, logs, settings=settings).holding(robot.offsets)
    for doubt in rig.suspected:
        terminal.note(str(doubt))
    if warm := winding_start_message(rig.actuators, logs):
        terminal.note(warm)
    zero_by, recorder_by = mounting(facts.zero_by), mounting(facts.recorder_by)
    as_recorded, rig = rig.as_recorded(logs, facts.sampling, facts.sample_age or 0.0)
    if facts.sample_age is not None:
        recorder_by = None
    found = judged(rig, as_recorded, zero_by=zero_by, recorder_by=recorder_by)
    evaluation = plain = rig.evaluate(found.logs)
    if any(one is not log for one, log in zip(found.logs, logs, strict=True)):
        plain = rig.evaluate(logs)
    _say(evaluation, plain, found, terminal)
    bands = held(rig, evaluation)
    if bands:
        terminal.say("\n" + _band_table(bands))
    spent = energies_of_logs(rig, found.logs)
    if table := robot_table(spent):
        terminal.say("\n" + table)
    terminal.result(
        {
            "model": str(robot.model),
            "replaced": gone,
            "warnings": [str(doubt) for doubt in rig.suspected],
            "mae_mrad": 1e3 * evaluation.mae,
            "mae_mrad_as_recorded": 1e3 * plain.mae,
            "known_of_recorder": [one.part for one in found.known],
            "found": {one.name: asdict(one) for one in found.found},
            "joints": {j: 1e3 * mae for j, mae in evaluation.by_joint().items()},
            "bands": {j: asdict(one) | {"samples": one.samples} for j, one in bands.items()},
            "repeatability_mrad": repeatability_as_plain(found.logs),
            "logs": {name: 1e3 * mae for name, mae in evaluation.by_log().items()},
            "energy_J": as_plain(spent),
        }
    )
    return 0


def recorded(
    path: Path,
    actuators: str,
    recordings: Sequence[Path],
    facts: RecordingFacts,
    *,
    step: float,
    gives_way: bool,
) -> tuple[RecordedRobot, list[RobotLog]]:
    """The robot of a file, or of a model and actuators, with the options of the command; its logs.

    Args:
        path: of the robot's file, or of the model. actuators: for a model. recordings: of it. facts: about them.
        step: [s] unless it is the usual one, which a robot's file may state otherwise.
        gives_way: actuators that the model has there are replaced.
    """
    chosen = tuple(actuators.split(","))
    robot, logs = recorded_robot(
        path, chosen, recordings, facts, of="ACTUATOR", gives_way=gives_way
    )
    chosen_step = robot.timestep if step == Integration.step else step
    if chosen_step is not None:
        check_step(chosen_step)
    return replace(robot, timestep=chosen_step), logs


def _band_table(bands: "Mapping[str, Held]") -> str:
    """Share of the samples of each joint that the bands of its file hold."""
    rows = [
        [
            joint,
            mrad(one.width),
            f"{100 * one.samples:.0f} %",
            f"{one.whole} of {len(one.logs)}",
            f"{100 * one.promised:.0f} %",
        ]
        for joint, one in bands.items()
    ]
    share = sum(one.samples for one in bands.values()) / len(bands)
    rows.append(["mean", "", f"{100 * share:.0f} %", "", ""])
    head = [
        "90 % bands of",
        "wide [mrad]",
        "samples inside",
        "whole logs",
        "of logs left out of the fit",
    ]
    return columns(head, rows, numbers=(1, 2, 3, 4))


def _say(
    evaluation: "RobotEvaluation",
    plain: "RobotEvaluation",
    found: Judged[RobotLog],
    terminal: Terminal,
) -> None:
    terminal.say(errors(evaluation))
    if again := in_words(each_joint(found.logs)):
        terminal.say("\n" + again)
    if found.known:
        parts = ", ".join(one.part for one in found.known)
        terminal.say(f"\nof the recorder, as the fit found it: {parts}")
    if found.found:
        terminal.say("\n" + found_table(found.found))
    if plain is not evaluation:
        terminal.say(
            "\nwas estimated from these recordings, with the actuators unchanged; with the zeros of the robot's "
            f"file alone, as recorded: {mrad(plain.mae)} mrad"
        )
