"""All six friction models, each plain, with delay, with pulsed supply, and with both, on 12 logs.

Each is fitted to all logs, and starting from that to the logs without each gain; the chosen model is fitted by
a full search, with intervals. This is what `pliant identify` does with several laws.
"""

import os
import time

from pliant import load_actuator, read_logs
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask
from pliant.identification.selection.choice import candidate_rigs
from pliant.identification.selection.sweep import Sweep, candidate_tasks
from pliant.identification.selection.workers import cluster
from pliant.identification.uncertainty.intervals import intervals, with_intervals
from pliant.io.log import example_logs

BAR = 0.75
"""Bar, as a fraction of the error of plain M4 and M6 on logs held out."""


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    began = time.monotonic()
    rig = JointRig(load_actuator("xl330_bam_m6"))
    tasks, logs = candidate_tasks(FitTask(rig=rig), candidate_rigs(rig)), read_logs(example_logs())
    sweep = Sweep(tasks, logs)
    choice = sweep.choose(cluster(f"local:{os.cpu_count()}"))
    found = sweep.fitted_to_all(choice.chosen)
    found = with_intervals(found, intervals(found))
    wall = time.monotonic() - began
    out = [
        (
            f"XL330, {trial.name} ({trial.parameters} parameters): fitted, held out by gain [mrad]",
            f"{1e3 * trial.train:.1f}, {1e3 * trial.held_out:.1f}; {trial.result.evaluations} candidates, "
            f"{trial.result.cpu:.0f} s of processor; {choice.verdict(trial)}",
            "report",
        )
        for trial in choice.trials
    ]
    named = {trial.name: trial for trial in choice.trials}
    plain = min(named["m4"].held_out, named["m6"].held_out)
    widths = found.actuator.identification["intervals_90"]
    assert isinstance(widths, dict)
    out += [
        (
            "XL330, gain held out: each group by the model that the other groups choose [mrad]",
            f"{1e3 * choice.held_out:.1f}",
            "report",
        ),
        (
            "XL330, gain held out: the model taken / the better of plain M4 and M6",
            f"{choice.chosen.held_out / plain:.2f} ({choice.chosen.name}: "
            f"{1e3 * choice.chosen.held_out:.1f} of {1e3 * plain:.1f} mrad; each gain: "
            + ", ".join(f"{1e3 * out:.1f}" for _, out in choice.chosen.of_each_fold().values())
            + ")",
            f"<= {BAR}",
        ),
        (
            f"six models and their extensions, {len(sweep.jobs)} models, and {len(widths)} intervals of "
            "the model taken [min]",
            f"{wall / 60:.1f}; {sum(t.result.evaluations for t in choice.trials)} candidates, "
            f"{sum(t.result.cpu for t in choice.trials):.0f} s of processor",
            "<= 1",
        ),
    ]
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
