"""`pliant evaluate`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.options import Integration, Output, Recording, check_step, flag, shown
from pliant.cli.terminal import Terminal, columns
from pliant.words import mrad

if TYPE_CHECKING:
    from pliant.identify.problem.evaluation import Evaluation
    from pliant.io.log import Log

REFERENCE_STEP = 5e-3
"""[s] To which the published program resamples."""


@dataclass(frozen=True, kw_only=True)
class Evaluate:
    """Measure how far an actuator is from recorded logs.

    Each log is simulated open loop, from its first sample and with its recorded commands, and the
    position is compared.

    Example: pliant evaluate xl330_bam_m6 my_logs/ --supply measured

    Attributes:
        actuator: Name of an actuator (`pliant actuators` lists them), or a TOML file.
        logs: Log files (*.json, *.csv), or folders of them.
        reference: Integrate as the published program does, to compare with published figures: logs
            resampled to 5 ms, one step a sample, its own position update.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    reference: Annotated[bool, flag()] = False
    integration: Integration = field(default_factory=Integration)
    recording: Recording = field(default_factory=Recording)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Evaluate, and show the errors."""
        from pliant.cli.logs import read, say_findings
        from pliant.engines.joint.engine import JointSettings
        from pliant.identify.problem.evaluation import evaluate
        from pliant.io.actuator_file import load_actuator

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
        evaluation = evaluate(actuator, logs, settings=settings)
        terminal.say(errors(evaluation))
        terminal.result(
            {
                "actuator": actuator.name,
                "step": settings.max_step,
                "reference": self.reference,
                **as_plain(evaluation),
            }
        )
        return 0


def errors(evaluation: "Evaluation") -> str:
    """Tables: each log, all, by gain, by trajectory."""
    rows = [[e.log.name, e.log.trajectory, f"{e.log.gain:g}", mrad(e.mae)] for e in evaluation.logs]
    rows.append(["mean over logs", "", "", mrad(evaluation.mae)])
    parts = [columns(["log", "trajectory", "gain", "MAE [mrad]"], rows, numbers=(2, 3))]
    for title, key in _GROUPS.items():
        groups = evaluation.by(key)
        if len(groups) > 1:
            rows = [[name, mrad(error)] for name, error in groups.items()]
            parts.append(columns([title, "MAE [mrad]"], rows, numbers=(1,)))
    return "\n\n".join(parts)


def as_plain(evaluation: "Evaluation") -> dict[str, Any]:
    """The same for `--json`."""
    from pliant.cli.logs import figures

    return {
        "mae_mrad": 1e3 * evaluation.mae,
        "logs": {entry.log.name: figures(entry) for entry in evaluation.logs},
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
