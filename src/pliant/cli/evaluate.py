"""`pliant evaluate`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.assemble import Actuator
from pliant.cli.choices import mounting
from pliant.cli.options import RARE, Integration, Output, check_step, flag, shown
from pliant.cli.recording import Recording, bench_logs, say_findings
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.recording_facts import RecordingFacts
from pliant.io.validated import read_toml

if TYPE_CHECKING:
    from pliant.cli.evaluated import Evaluated
    from pliant.engines.joint.engine import JointSettings

REFERENCE_STEP = 5e-3
"""[s] Step to which the published program resamples."""


@dataclass(frozen=True, kw_only=True)
class Evaluate:
    """Measure how well an actuator predicts recorded logs: the error of the simulated position.

    Each log is simulated open loop from its first sample with its recorded commands. The encoder's zero
    belongs to the recording, not to the actuator: for logs that the actuator was not fitted to, the most
    likely zero is estimated first, with the actuator unchanged. So are the recorder's sampling delay, and
    supply and temperature where days differ. The error without these is printed too.

    Example: pliant evaluate xl330_bam_m6 my_logs/ --reading supply=measured

    Attributes:
        actuator: Name of an actuator (`pliant actuators`), an actuator file or a robot file (*.toml).
            With --robot, joint=actuator pairs separated by commas, or the folder that a fit wrote.
        logs: Log files (*.json, *.csv), or folders of them; for a robot, its recordings.
        robot: Robot model (MJCF or URDF), if the logs are recordings of a whole robot.
        replace: Replace actuators that the robot model has on recorded joints.
        reference: Integrate like the published program, to compare with published figures: logs
            resampled to 5 ms, one step per sample, its position update.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    robot: Annotated[Path | None, shown("MODEL")] = None
    replace: Annotated[bool, RARE, flag()] = False
    reference: Annotated[bool, flag()] = False
    integration: Integration = field(default_factory=Integration)
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Evaluate, and show the errors."""
        if self.robot is not None or _is_robot(self.actuator):
            from pliant.cli.evaluated_robot import evaluate_recordings, recorded

            if self.reference:
                accepted = "no --robot"
                raise PliantError(
                    "is for a bench, not a robot", field="--reference", accepted=accepted
                )
            facts = self.recording.facts(self.logs, terminal)
            robot, logs = recorded(
                self.robot or Path(self.actuator),
                self.actuator,
                self.logs,
                facts,
                step=self.integration.step,
                gives_way=self.replace,
            )
            return evaluate_recordings(robot, logs, facts, terminal)
        actuator = load_actuator(self.actuator)
        check_step(self.integration.step)
        facts = self.recording.facts(self.logs, terminal)
        logs, settings = self._recorded(facts, terminal)
        found = self._evaluated(actuator, logs, settings, facts, terminal)
        first, *others = found.paragraphs()
        terminal.say(first)
        for paragraph in others:
            terminal.say("\n" + paragraph)
        about = {"actuator": actuator.name, "step": settings.max_step, "reference": self.reference}
        terminal.result({**about, **found.as_plain()})
        return 0

    def _recorded(
        self, facts: RecordingFacts, terminal: Terminal
    ) -> "tuple[list[Log], JointSettings]":
        """The logs, and how they are simulated."""
        from pliant.engines.joint.engine import JointSettings

        logs = bench_logs(self.logs, facts)
        say_findings(logs, terminal)
        step, supply, hold = self.integration.step, facts.supply, facts.sampling != "linear"
        if not self.reference:
            return logs, JointSettings(max_step=step, supply=supply, hold=hold)
        logs = [log.resample(REFERENCE_STEP) for log in logs]
        # A little more than the sample's, so that rounding does not make two steps of it.
        step = 1.02 * REFERENCE_STEP
        return logs, JointSettings(max_step=step, supply=supply, hold=hold, reference=True)

    def _evaluated(
        self,
        actuator: Actuator,
        logs: list[Log],
        settings: "JointSettings",
        facts: RecordingFacts,
        terminal: Terminal,
    ) -> "Evaluated":
        """Errors on the logs, with and without the nuisance parameters of their recordings."""
        from pliant.cli.evaluated import Evaluated, by_members
        from pliant.identification.problem.evaluation import evaluate
        from pliant.identification.problem.joint_rig import JointRig
        from pliant.identification.problem.recorder_parameters import winding_start_message
        from pliant.identification.problem.repeatability import repeatability
        from pliant.identification.problem.sampling import as_recorded
        from pliant.identification.result.known import held, judged_logs
        from pliant.identification.result.record import FitRecord
        from pliant.robots.log_energy import energies

        if warm := winding_start_message({"": actuator}, logs):
            terminal.note(warm)
        zero_by, recorder_by = mounting(facts.zero_by), mounting(facts.recorder_by)
        recorded = as_recorded(logs, facts.sampling, facts.sample_age or 0.0)
        if facts.sample_age is not None:
            recorder_by = None
        if self.reference:
            zero_by = recorder_by = None
        one = judged_logs(
            actuator, recorded, zero_by=zero_by, recorder_by=recorder_by, settings=settings
        )
        found = plain = evaluate(actuator, one.logs, settings=settings)
        if one.found:
            plain = evaluate(actuator, logs, settings=settings)
        return Evaluated(
            as_found=found,
            as_recorded=plain,
            members=by_members(actuator, one.logs, settings) or found,
            held=held(JointRig(actuator, settings), found).get(""),
            found=one.found,
            again=repeatability([entry.log for entry in found.entries]),
            energy=energies(actuator, found, settings=settings),
            models=FitRecord.of(actuator).models,
        )


def _is_robot(name: str) -> bool:
    """Whether it is a TOML file that names a robot's model."""
    path = Path(name)
    return path.suffix == ".toml" and path.is_file() and "model" in read_toml(path)
