"""What an identification of a robot must be to be continued, and what its files say of it."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import version

import numpy as np

from pliant.assemble import Actuator
from pliant.identify.problem.objective import Kind
from pliant.identify.problem.space import Space
from pliant.identify.robot.evaluation import RobotEvaluation
from pliant.identify.robot.robot import Robot
from pliant.identify.search.search import SearchResult, SearchSettings
from pliant.identify.search.state_file import Task, actuator_digest, digest
from pliant.io.robot_log import RobotLog


def task(
    robot: Robot,
    logs: Sequence[RobotLog],
    space: Space,
    settings: SearchSettings,
    objective: Kind,
    about: Mapping[str, object],
) -> Task:
    """All that decides how the search goes; see `Checkpoint`."""
    boxes = zip(space.names, space.low, space.high, space.start, strict=True)
    return {
        **about,
        "actuators": {joint: actuator_digest(a) for joint, a in robot.actuators.items()},
        "led": list(robot.led),
        "masses": dict(robot.masses),
        "offsets": dict(robot.offsets),
        "parameters": {name: [*map(float, box)] for name, *box in boxes},
        "logs": {f"{k + 1}. {log.name}": _contents(log) for k, log in enumerate(logs)},
        "objective": objective,
        "search": asdict(settings),
    }


def _contents(log: RobotLog) -> str:
    """Of all that a fit sees."""
    parts = [log.time, log.position, log.goal, log.speed, log.enabled.astype(float)]
    parts += [] if log.supply is None else [log.supply]
    return digest(repr(log.joints).encode(), *(np.ascontiguousarray(x).tobytes() for x in parts))


def record(
    fitted: RobotEvaluation,
    held_out: RobotEvaluation | None,
    found: Mapping[str, SearchResult],
    settings: SearchSettings,
    objective: Kind,
) -> dict[str, object]:
    """How the numbers were obtained, for the actuators' files."""
    record: dict[str, object] = {
        "date": date.today().isoformat(),
        "version": version("pliant"),
        "seed": settings.seed,
        "objective": objective,
        "evaluations": sum(one.evaluations for one in found.values()),
        "interrupted": any(one.interrupted for one in found.values()),
        "robot_mae_mrad": round(1e3 * fitted.mae, 3),
        "logs": {entry.log.name: entry.log.digest for entry in fitted.entries},
    }
    if held_out is not None:
        record["robot_held_out_mae_mrad"] = round(1e3 * held_out.mae, 3)
        record["held_out_logs"] = {e.log.name: e.log.digest for e in held_out.entries}
    return record


def told(
    actuator: Actuator, joint: str, record: Mapping[str, object], fitted: RobotEvaluation
) -> Actuator:
    """`actuator` with the record, and what is its own of it."""
    own = {"joint": joint, "mae_mrad": round(1e3 * fitted.of_joint(joint), 3)}
    return dataclasses.replace(actuator, identification={**record, **own})
