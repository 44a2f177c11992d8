"""One joint on a bench, one model: its task, its fit, its files."""

from pathlib import Path

from pliant.assemble import Actuator, with_laws
from pliant.cli.choices import known_before, of_all, task_of
from pliant.cli.fit_plan import FitPlan
from pliant.cli.outcome import check_outputs, fitted
from pliant.cli.recording import bench_logs, say_findings
from pliant.cli.result import show
from pliant.cli.searching import SearchFile
from pliant.cli.terminal import Terminal
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.starting_actuator import (
    laws_not_taken,
    starting_actuator,
    with_something_to_fit,
)
from pliant.identification.problem.task import FitTask
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.recording_facts import RecordingFacts


def identify_joint(plan: FitPlan, facts: RecordingFacts, terminal: Terminal) -> int:
    """Fit an actuator to logs, write it, and show what came out; the exit status."""
    check_outputs(plan, plan.output)
    # What is given is checked before anything is read.
    given = _given(plan, facts, terminal) if plan.actuator else None
    logs = bench_logs([Path(log) for log in plan.logs], facts)
    task, begun = (given, plan.actuator[0]) if given else _by_device(plan, facts, logs, terminal)
    if given and not plan.prior:
        _say_laws_not_taken(given, logs, plan, terminal)
    say_findings(logs, terminal)
    saved = SearchFile.beside(plan.output, plan.checkpoint)
    name = plan.output.stem if plan.output else None
    outcome = fitted(plan, task, logs, saved, terminal, began_at=[begun], name=name)
    outcome.write(plan.output, plan.report, terminal, draws=plan.draws)
    saved.forget(interrupted=outcome.identification.interrupted)
    return show(outcome, terminal)


def rig_of(actuator: Actuator, plan: FitPlan, facts: RecordingFacts) -> JointRig:
    """A bench's joint, simulated as the plan and its recordings say."""
    step = 1e-3 if plan.step is None else plan.step
    return JointRig(actuator, JointSettings(max_step=step, supply=facts.supply))


def joint_task(rig: JointRig, plan: FitPlan, facts: RecordingFacts) -> FitTask:
    """The task of a joint's fit."""
    return task_of(rig, plan, facts, *known_before(plan.prior, rig.actuator))


def _given(plan: FitPlan, facts: RecordingFacts, terminal: Terminal) -> FitTask:
    """The task with the actuator that was asked for, and its other laws."""
    found = with_laws(load_actuator(plan.actuator[0]), of_all(plan.law))
    if not plan.fit:
        found, said = with_something_to_fit(found)
        if said:
            terminal.note(said)
    return joint_task(rig_of(found, plan, facts), plan, facts)


def _by_device(
    plan: FitPlan, facts: RecordingFacts, logs: list[Log], terminal: Terminal
) -> tuple[FitTask, str]:
    """The task with the actuator of the device, and the name of its file."""
    found, said = starting_actuator(logs, facts.device)
    terminal.note(said)
    name = found.path.stem if found.path else found.name
    rig = rig_of(with_laws(found, of_all(plan.law)), plan, facts)
    return joint_task(rig, plan, facts), name


def _say_laws_not_taken(task: FitTask, logs: list[Log], plan: FitPlan, terminal: Terminal) -> None:
    """Suggest laws that the fit would have begun with if no actuator were given."""
    (actuator,) = task.rig.actuators.values()
    laws = laws_not_taken(actuator, logs, plan.law)
    if laws:
        terminal.note(
            f"{actuator.name} lacks laws that usually predict other logs better: --law {laws}"
        )
