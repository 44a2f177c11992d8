"""Times of the recorder of a robot: when its frames came, and its own delay."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pliant.cli.terminal import Terminal

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.cli.robot_task import RobotAsked
    from pliant.identification.problem.task import FitTask
    from pliant.io.robot_log import RobotLog
    from pliant.robots.identify import RobotIdentification


def in_time(
    asked: "RobotAsked",
    found: "RobotIdentification",
    task: "FitTask[RobotLog]",
    logs: "list[RobotLog]",
    terminal: Terminal,
) -> "tuple[RobotIdentification, FitTask[RobotLog], list[RobotLog]]":
    """The fit at the times at which frames came, if asked for, with the task and logs that judge it.

    Else the fit as it is; that frames came unevenly is said, where the joints tell it together.

    Raises:
        PliantError: as `fit`.
    """
    from pliant.robots.recorder_times import PASSES, evenly_timed, frames_of, uneven

    counted = all(map(evenly_timed, logs))
    if found.interrupted or not (counted or asked.plan.frame_times):
        return found, task, logs
    jitter = uneven(frames_of(found))
    if not asked.plan.frame_times:
        if jitter is not None:
            terminal.note(
                f"the frames came unevenly, all joints tell: by {1e3 * jitter:.1f} ms (standard deviation) from the "
                "recorded times; --plan frame_times=yes fits again, at the times found"
            )
        return found, task, logs
    said = "not clearly uneven" if jitter is None else f"uneven by {1e3 * jitter:.1f} ms"
    terminal.note(f"the frames came {said}; fitting again, at the times found ...")
    recorded = logs
    for number in range(1, PASSES + 1):
        logs = _timed(found, recorded)
        # From the beginning: the first fit may be in a valley of wrong times. A search that ends worse than
        # the fit at times found before it has failed: it goes on from there.
        known, found = found, _again(asked, task.rig.actuators, logs, number, terminal)
        if found.interrupted:
            break
        at_once = number == 1 or asked.plan.prior  # a prior says where fits begin
        if not at_once and found.fitted.mae > _error(known, logs):
            found = _again(asked, known.actuators, logs, number, terminal)
    return found, asked.task(task.rig.actuators, logs), logs


def _again(
    asked: "RobotAsked",
    begin: "Mapping[str, Actuator]",
    logs: "list[RobotLog]",
    number: int,
    terminal: Terminal,
) -> "RobotIdentification":
    """A fit from these actuators on."""
    from pliant.cli.progress import SearchProgress
    from pliant.identification.fit import fit

    show = SearchProgress(terminal, f"times {number}")
    return fit(asked.task(begin, logs), logs, report=show, note=terminal.note)


def _error(found: "RobotIdentification", logs: "Sequence[RobotLog]") -> float:
    """Mean absolute error [rad] of a fit on its logs at these times."""
    from pliant.identification.problem.hold_out import divided

    return found.rig.evaluate(divided(logs, found.task.hold_out).fitted).mae


def _timed(found: "RobotIdentification", logs: "Sequence[RobotLog]") -> "list[RobotLog]":
    """All logs as recorded, those of the fit with the times that it tells."""
    from pliant.identification.problem.hold_out import divided
    from pliant.robots.recorder_times import frame_times

    fitted = divided(logs, found.task.hold_out).fitted
    timed = {id(log): new for log, new in zip(fitted, frame_times(found, fitted), strict=True)}
    return [
        replace(log, time=new.time, digest=new.digest) if (new := timed.get(id(log))) else log
        for log in logs
    ]


def without_its_delay(
    asked: "RobotAsked", found: "RobotIdentification", terminal: Terminal
) -> "RobotIdentification":
    """The fit, its actuators without the delay that their recorder has beyond another's, if one is given.

    Raises:
        PliantError: an actuator has no command delay, or the other's recordings are refused.
    """
    from pliant.io.robot_logs import read_robot_logs
    from pliant.robots.recorder_times import without_recorder

    other = asked.plan.other_recorder
    if other is None:
        return found
    model, logs = asked.robot.model, read_robot_logs(other)
    delay, actuators = without_recorder(model, found.actuators, logs, settings=asked.settings)
    terminal.note(f"delay of the recorder: {1e3 * delay:.1f} ms, taken out of the actuators")
    return replace(found, rig=found.rig.with_actuators(actuators))
