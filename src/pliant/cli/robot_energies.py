"""The energy that each joint of a robot spends on the logs it is judged by, and the robot's sum."""

from typing import Any

import numpy as np

from pliant.cli.energies import SHOWN
from pliant.cli.spent import EnergyRecord
from pliant.cli.terminal import columns
from pliant.engines.mujoco.batch.candidates import ManyRobots
from pliant.engines.mujoco.batch.followed import FollowedPool
from pliant.identify.problem.evaluation import RobotEvaluation
from pliant.identify.problem.rig import Rig
from pliant.identify.robot.rig import RobotRig
from pliant.io.robot_log import RobotLog
from pliant.robots.power import Energy

Parts = dict[str, float | None]
"""Quantity to its energy [J], all motors together; None: not known."""
Spent = dict[str, dict[str, Parts]]
"""Log to joint to its quantities."""


def energies_of_robot(rig: Rig[RobotLog], *evaluations: RobotEvaluation | None) -> Spent:
    """The energies of every joint with an actuator in the logs, all joints simulated together."""
    simulation = rig.build(rig.robot, {}) if isinstance(rig, RobotRig) else None
    if not isinstance(simulation, ManyRobots):
        return {}
    entries = [entry for one in evaluations if one is not None for entry in one.entries]
    return {
        log.name: _of_log(simulation, log) for log in {id(e.log): e.log for e in entries}.values()
    }


def _of_log(simulation: ManyRobots, log: RobotLog) -> dict[str, Parts]:
    sim = FollowedPool(simulation.robot.model)
    steps = round(log.time[-1] / simulation.timestep)
    record = EnergyRecord(sim.model, simulation.robot.attachment, steps, keep=False)
    sim.note, sim.ended = record.note, record.finish
    simulation.follow(log, sim)
    energy = record.energy
    return {} if energy is None else {j: _parts(energy, k) for k, j in enumerate(record.joints)}


def _parts(energy: Energy, k: int) -> Parts:
    found: Parts = {}
    for name in SHOWN:
        values = np.asarray(getattr(energy, name)[k])
        known = np.isfinite(values)
        found[name] = float(values[known].sum()) if known.any() else None
    found["copper_loss"] = found["copper_loss"] or None  # without a resistance it is not known
    return found


def _sum(parts: list[Parts]) -> Parts:
    """All of them together, of what is known."""
    known = {name: [x for one in parts if (x := one[name]) is not None] for name in SHOWN}
    return {name: sum(values) if values else None for name, values in known.items()}


def as_plain(spent: Spent) -> dict[str, Any]:
    """For `--json`: each log with its joints, and the robot's sum."""
    return {
        log: {"joints": joints, "robot": _sum(list(joints.values()))}
        for log, joints in spent.items()
    }


def robot_energy_table(spent: Spent) -> str:
    """Each joint and the robot over all logs, what is known of them; "" where nothing is."""
    names = list(dict.fromkeys(joint for joints in spent.values() for joint in joints))
    rows = {joint: _sum([one[joint] for one in spent.values() if joint in one]) for joint in names}
    rows["robot"] = whole = _sum(list(rows.values()))
    shown = [name for name in SHOWN if whole[name] is not None]
    if not shown:
        return ""
    head = f"energy of {len(spent)} logs [J]" if len(spent) > 1 else "energy [J]"
    cells = [
        [joint, *("-" if (x := parts[name]) is None else f"{x:.3g}" for name in shown)]
        for joint, parts in rows.items()
    ]
    titles = [SHOWN[name] for name in shown]
    return columns([head, *titles], cells, numbers=tuple(range(1, len(shown) + 1)))
