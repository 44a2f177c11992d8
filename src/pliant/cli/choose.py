"""Compare models of one joint, and write the one that best predicts logs its fit has not seen."""

from collections.abc import Sequence
from pathlib import Path

from pliant.assemble import Actuator, with_laws
from pliant.cli.choices import models, of_all, searched
from pliant.cli.comparison import (
    as_plain,
    chosen_verdict,
    compared,
    fit_equal_models,
    grouped,
    place_of,
    table,
    taken,
)
from pliant.cli.fit_plan import FitPlan
from pliant.cli.identify_joint import joint_task, rig_of
from pliant.cli.outcome import FitOutcome, check_outputs
from pliant.cli.recording import bench_logs, say_findings
from pliant.cli.result import say
from pliant.cli.searching import SearchFile
from pliant.cli.terminal import INTERRUPTED, Terminal
from pliant.errors import PliantError
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.starting_actuator import starting_actuator
from pliant.identification.problem.task import FitTask
from pliant.identification.result.record import FitRecord
from pliant.identification.selection.choice import Choice, candidate_rigs
from pliant.identification.selection.sweep import Sweep, candidate_tasks, with_others
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.recording_facts import RecordingFacts
from pliant.report.words import carried


def choose(plan: FitPlan, facts: RecordingFacts, terminal: Terminal) -> int:
    """Compare, write the best, and show the table; the exit status."""
    check_outputs(plan, plan.output)
    if plan.with_equals and plan.output is None and plan.report is None:
        raise PliantError(
            "needs a file", field="--plan: with_equals", accepted="--output FILE.toml"
        )
    place = place_of(plan)
    # What is given is checked before anything is read.
    bases = [with_laws(load_actuator(name), of_all(plan.law)) for name in plan.actuator]
    tasks = _tasks(bases, plan, facts)
    logs = bench_logs([Path(log) for log in plan.logs], facts)
    if not bases:
        bases = [_by_device(plan, facts, logs, terminal)]
        tasks = _tasks(bases, plan, facts)
    by, division = grouped(plan, "gain", logs)
    say_findings(logs, terminal)
    sweep = Sweep(tasks, division.fitted, by=by)
    path = SearchFile.beside(plan.output, plan.checkpoint).path
    choice = compared(sweep, place, path, terminal)
    if choice is None:
        return INTERRUPTED
    terminal.say(table(choice))
    begun = rig_of(bases[0], plan, facts)
    outcome = _written(plan, begun, sweep, choice, division.held_out, terminal)
    if outcome is not None and not outcome.files:
        terminal.note("interrupted; the same command resumes")
        return INTERRUPTED
    if path is not None:
        sweep.forget(path)
    judged = None if outcome is None else outcome.identification.held_out
    files = {} if outcome is None else {kind: str(at) for kind, at in outcome.files.items()}
    terminal.result(
        {
            "by": by,
            "chosen": choice.chosen.name,
            "held_out_mae_mrad": 1e3 * choice.held_out,
            "unseen_mae_mrad": None if judged is None else 1e3 * judged.mae,
            "models": as_plain(choice),
            "set": outcome and FitRecord.of(outcome.identification.carrying).models,
            "files": files,
        }
    )
    return INTERRUPTED if outcome is not None and outcome.interrupted else 0


def _by_device(
    plan: FitPlan, facts: RecordingFacts, logs: list[Log], terminal: Terminal
) -> Actuator:
    """The device's actuator, without a delay or supply law that only some of the models have."""
    found, said = starting_actuator(logs, facts.device)
    terminal.note(said)
    none = {"timing": "immediate", "driver": "ideal_supply"}
    tried = {port for one in models(plan, found) for port in one}
    own = {port: law for port, law in none.items() if port in found.laws and port in tried}
    return with_laws(with_laws(found, own), of_all(plan.law))


def _tasks(bases: Sequence[Actuator], plan: FitPlan, facts: RecordingFacts) -> list[FitTask]:
    """One for each model."""
    if not bases:
        return []
    rigs = [
        one
        for base in bases
        for one in candidate_rigs(rig_of(base, plan, facts), models(plan, base))
    ]
    first = rig_of(next(iter(rigs[0].actuators.values())), plan, facts)
    return candidate_tasks(joint_task(first, plan, facts), rigs)


# Six: what was asked for, what came of it, and where its work is kept.
def _written(
    plan: FitPlan,
    begun: JointRig,
    sweep: Sweep[Log],
    choice: Choice,
    held_out: Sequence[Log],
    terminal: Terminal,
) -> FitOutcome[Log] | None:
    """Fit the chosen model to all logs except those held out throughout; `begun` is its starting actuator."""
    if plan.output is None and plan.report is None:
        return None
    path = SearchFile.beside(plan.output, plan.checkpoint).path
    outcome = taken(plan, sweep, choice, path, held_out, terminal)
    others = {}
    if plan.with_equals and not outcome.interrupted:
        search = searched(plan, sweep.tasks[0].rig.search)
        others = fit_equal_models(sweep, choice, path, search, terminal)
        outcome.interrupted = any(one.interrupted for one in others.values())
    if outcome.interrupted:
        return outcome
    if plan.intervals:
        outcome.find_intervals(terminal)
    if others:
        outcome.identification = with_others(outcome.identification, choice.chosen.name, others)
    own = begun.actuator
    first = plan.actuator[0] if plan.actuator else own.path.stem if own.path else own.name
    outcome.verdict = chosen_verdict(outcome.identification, choice, begun, [first])
    outcome.write(plan.output, plan.report, terminal, draws=plan.draws)
    say(outcome, terminal)
    if others:
        terminal.say(carried(outcome.identification.carrying).strip())
    return outcome
