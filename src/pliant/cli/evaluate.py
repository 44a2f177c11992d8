"""`pliant evaluate`."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.options import RARE, Integration, LogOptions, Output, check_step, flag, shown
from pliant.cli.reading_options import RobotReading
from pliant.cli.terminal import Terminal, columns
from pliant.words import mrad

if TYPE_CHECKING:
    from pliant.identify.problem.evaluation import Evaluation
    from pliant.identify.problem.zero import ZeroFound
    from pliant.io.log import Log

REFERENCE_STEP = 5e-3
"""[s] To which the published program resamples."""


@dataclass(frozen=True, kw_only=True)
class Evaluate:
    """Measure how well an actuator predicts recorded logs: the error of the simulated position.

    Each log is simulated open loop from its first sample with its recorded commands. An encoder's zero
    belongs to the recording, not to the actuator: for logs that the actuator was not fitted to, it is
    found first, with the actuator unchanged, and used where the logs show it clearly. The error without
    it is printed too.

    Example: pliant evaluate xl330_bam_m6 my_logs/ --supply measured

    Attributes:
        actuator: Name of an actuator (`pliant actuators`), an actuator file or a robot file (*.toml).
            With --robot, joint=actuator pairs separated by commas, or the folder that identify-robot
            wrote.
        logs: Log files (*.json, *.csv), or folders of them; for a robot, its recordings.
        zero_by: Find one encoder zero for each length, mass, load or day; by default for each length
            and day that the logs name. With none, use the actuator file's.
        robot: Robot model (MJCF or URDF), if the logs are recordings of a whole robot.
        replace: Replace actuators that the robot model has on recorded joints.
        reference: Integrate like the published program, to compare with published figures: logs
            resampled to 5 ms, one step per sample, its position update.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    zero_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    robot: Annotated[Path | None, shown("MODEL")] = None
    replace: Annotated[bool, RARE, flag()] = False
    reference: Annotated[bool, flag()] = False
    integration: Integration = field(default_factory=Integration)
    recording: LogOptions = field(default_factory=LogOptions)
    robot_recording: RobotReading = field(default_factory=RobotReading)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Evaluate, and show the errors."""
        from pliant.cli.choices import mounting
        from pliant.cli.logs import read, say_findings
        from pliant.engines.joint.engine import JointSettings
        from pliant.identify.problem.evaluation import evaluate
        from pliant.identify.result.known_zeros import judged_logs
        from pliant.io.actuator_file import load_actuator

        if self.robot is not None or _is_robot(self.actuator):
            return self._evaluate_robot(terminal)
        actuator = load_actuator(self.actuator)
        check_step(self.integration.step)
        logs = read(self.logs, self.recording)
        say_findings(logs, terminal)
        step, supply = self.integration.step, self.integration.supply
        settings = JointSettings(max_step=step, supply=supply)
        if self.reference:
            logs = [log.resample(REFERENCE_STEP) for log in logs]
            # A little more than the sample's, so that rounding does not make two steps of it.
            settings = JointSettings(max_step=1.02 * REFERENCE_STEP, supply=supply, reference=True)
        by = None if self.reference else mounting(self.zero_by)
        judged, zeros = judged_logs(actuator, logs, zero_by=by, settings=settings)
        evaluation = evaluate(actuator, judged, settings=settings)
        terminal.say(errors(evaluation))
        plain = evaluation
        if any(one.clear for one in zeros):
            plain = evaluate(actuator, logs, settings=settings)
            terminal.say("\n" + zero_table(zeros, plain))
        terminal.result(
            {
                "actuator": actuator.name,
                "step": settings.max_step,
                "reference": self.reference,
                **as_plain(evaluation),
                "mae_mrad_zero_of_file": 1e3 * plain.mae,
                "zeros": {one.mounting: asdict(one) | {"taken": one.clear} for one in zeros},
            }
        )
        return 0

    def _evaluate_robot(self, terminal: Terminal) -> int:
        """Every joint of every log, all joints simulated together."""
        from pliant.cli.fitting import joints_of
        from pliant.cli.robot_outcome import errors as robot_errors
        from pliant.engines.mujoco.batch.candidates import ManySettings
        from pliant.engines.mujoco.batch.robot_model import given_way
        from pliant.errors import PliantError
        from pliant.io.actuator_file import load_actuator
        from pliant.io.robot_logs import read_robot_logs
        from pliant.robots.identify import evaluate_robot
        from pliant.robots.robot_file import RecordedRobot, read_recorded_robot

        if self.reference:
            raise PliantError(
                "is for a bench, not a robot", field="--reference", accepted="no --robot"
            )
        if self.robot is None:
            robot = read_recorded_robot(self.actuator)
        else:
            chosen = joints_of(tuple(self.actuator.split(",")), "robot")
            robot = RecordedRobot(
                model=self.robot, actuators={j: load_actuator(x) for j, x in chosen.items()}
            )
        step = robot.timestep
        if self.integration.step != Integration.step:
            step = self.integration.step
        if step is not None:
            check_step(step)
        settings = ManySettings(timestep=step, supply=self.integration.supply)
        logs = read_robot_logs(self.logs, self.robot_recording.reading(Path(robot.model)))
        gives_way = self.replace or robot.replace
        gone = given_way(robot.model, list(robot.actuators)) if gives_way else []
        for text in gone:
            terminal.note(text)
        evaluation = evaluate_robot(
            robot.model,
            robot.actuators,
            logs,
            offsets=robot.offsets,
            replace=gives_way,
            settings=settings,
        )
        terminal.say(robot_errors(evaluation))
        terminal.result(
            {
                "model": str(robot.model),
                "replaced": gone,
                "mae_mrad": 1e3 * evaluation.mae,
                "joints": {j: 1e3 * mae for j, mae in evaluation.by_joint().items()},
                "logs": {name: 1e3 * mae for name, mae in evaluation.by_log().items()},
            }
        )
        return 0


def _is_robot(name: str) -> bool:
    """Whether it is a TOML file that names a robot's model."""
    from pliant.io.toml_file import read_toml

    path = Path(name)
    return path.suffix == ".toml" and path.is_file() and "model" in read_toml(path)


def errors(evaluation: "Evaluation") -> str:
    """Tables: each log, all, by gain, by trajectory."""
    rows = [
        [e.log.name, e.log.trajectory, f"{e.log.gain:g}", mrad(e.mae)] for e in evaluation.entries
    ]
    rows.append(["mean over logs", "", "", mrad(evaluation.mae)])
    parts = [columns(["log", "trajectory", "gain", "MAE [mrad]"], rows, numbers=(2, 3))]
    for title, key in _GROUPS.items():
        groups = evaluation.by(key)
        if len(groups) > 1:
            rows = [[name, mrad(error)] for name, error in groups.items()]
            parts.append(columns([title, "MAE [mrad]"], rows, numbers=(1,)))
    return "\n\n".join(parts)


def zero_table(zeros: Sequence["ZeroFound"], plain: "Evaluation") -> str:
    """Zeros that were found, and what the error is without them."""
    rows = [
        [
            one.mounting,
            str(one.logs),
            f"{1e3 * one.given:.1f}",
            f"{1e3 * one.zero:.1f}",
            mrad(one.before),
            mrad(one.after),
            "taken" if one.clear else "not clear: as given",
        ]
        for one in zeros
    ]
    head = ["zero of", "logs", "given [mrad]", "found", "MAE [mrad]", "with it", ""]
    return (
        f"{columns(head, rows, numbers=(1, 2, 3, 4, 5))}\n"
        f"found in these logs, nothing of the actuator moved; without: {mrad(plain.mae)} mrad"
    )


def as_plain(evaluation: "Evaluation") -> dict[str, Any]:
    """The same for `--json`."""
    from pliant.cli.logs import figures

    return {
        "mae_mrad": 1e3 * evaluation.mae,
        "logs": {entry.log.name: figures(entry) for entry in evaluation.entries},
        **{
            f"by_{title}": {name: 1e3 * mae for name, mae in evaluation.by(key).items()}
            for title, key in _GROUPS.items()
        },
    }


def _gain(log: "Log") -> str:
    return f"{log.gain:g}"


def _trajectory(log: "Log") -> str:
    return log.trajectory


_GROUPS: dict[str, Callable[["Log"], str]] = {"gain": _gain, "trajectory": _trajectory}
