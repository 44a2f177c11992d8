"""Fit the actuators of a joint, or of a robot, to recorded logs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.extras import need
from pliant.identification.pipeline import Pipeline, Report
from pliant.identification.problem.hold_out import divided, hold_out
from pliant.identification.problem.joint_rig import SEARCH_STEP, JointRig
from pliant.identification.problem.recorded import Recorded, recorded
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitOptions, FitTask, fit_task
from pliant.identification.result.identification import Identification
from pliant.identification.search.checkpoint import Checkpoint, Journal, NoJournal
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log

__all__ = ["SEARCH_STEP", "Identification", "fit", "hold_out", "identify"]


# Named arguments that stand for themselves: who calls it reads them in the signature.
def identify(
    actuator: Actuator | str | Path,
    logs: Sequence[Log] | Recorded,
    *,
    held_out: Sequence[Log] | Recorded = (),
    settings: JointSettings | None = None,
    name: str | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
    **options: Unpack[FitOptions],
) -> Identification:
    """Fit the parameters of `actuator` to recorded logs of it on a pendulum.

    Args:
        actuator: the laws, the starting values, the bounds; or its name, or its TOML file.
        logs: to fit, as `read_logs` returns them; or their files or folders. held_out: to judge by, not seen by the fit.
        settings: step, command convention and supply of the joint engine.
        name, report, note, checkpoint, keep_checkpoint: see `fit`.
        options: `fit`, `fix`, `prior`, `search_settings`, `sampling`, `sample_age`,
            `zero_by`, `hold_out`: see `FitTask`.

    Raises:
        PliantError: see `fit`.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    return fit(
        fit_task(JointRig(load_actuator(actuator), settings or JointSettings()), options),
        recorded(logs),
        held_out=recorded(held_out),
        name=name,
        report=report,
        note=note,
        checkpoint=checkpoint,
        keep_checkpoint=keep_checkpoint,
    )


def fit(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    *,
    held_out: Sequence[LogT] = (),
    name: str | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
) -> Identification[LogT]:
    """Run the fit that `task` defines, on logs of a joint or of a robot.

    Args:
        task: what is to be fitted. Groups that it holds out in turn are fitted here like the
            others; `selection.in_turn` judges by them.
        logs: to fit, but for those that `task` holds out. held_out: more to judge by.
        name: of the new actuator.
        report: called after every Jacobian, and every step.
        note: called with what is known before the search, in words: what the logs leave open.
        checkpoint: file in which the search keeps what it has done. If it stands there already,
            from the same task, the search continues; the result is the same as of one run. It is
            removed when the search is done, and stays if that was interrupted.
        keep_checkpoint: leave it in any case; remove it when the result is safe.

    Raises:
        PliantError: no logs, an unknown parameter, one to fit and to fix, no finite bounds, nothing
            to identify, a missing extra, a checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    need("scipy", "identify")  # the search would find out later
    division = divided(logs, task.hold_out)
    judged = [*division.held_out, *held_out]
    journal: Journal = NoJournal()
    if checkpoint is not None:
        journal = Checkpoint(checkpoint, task.fingerprint(division.fitted))
    pipeline = Pipeline(task, journal, report, note or _silent)
    found = pipeline.fitted(division.fitted, judged, name)
    if isinstance(journal, Checkpoint) and not (found.interrupted or keep_checkpoint):
        journal.remove()
    return found


def _silent(_: str) -> None:
    pass
