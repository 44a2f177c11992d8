"""The energy that each joint of a robot spends on recorded motions, as its simulation spends it.

    rig = robot_rig("arm.xml", {"shoulder": "mx106_bam_m6"}, logs)      # or `identify_robot(...).rig`
    energies = energies_of_logs(rig, logs)
    energies["run"]["shoulder"]["copper_loss"]                          # [J]

Left out: see `pliant.robots.power`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pliant.engines.mujoco.batch.candidates import ManyRobots
from pliant.engines.mujoco.batch.followed import FollowedPool
from pliant.identification.problem.rig import Rig
from pliant.identification.robot.rig import RobotRig
from pliant.io.robot_log import RobotLog
from pliant.robots.energy_columns import SHOWN
from pliant.robots.energy_record import EnergyRecord
from pliant.robots.power import Energy

__all__ = ["Energies", "energies_of_logs"]

Parts = dict[str, float | None]
"""Quantity to its energy [J], all motors together; None: not known."""
Energies = dict[str, dict[str, Parts]]
"""Log to joint to its quantities."""


def energies_of_logs(rig: Rig[RobotLog], logs: Iterable[RobotLog]) -> Energies:
    """The energies of every joint with an actuator in each log [J], all joints simulated together.

    Args:
        rig: the robot (`robot_rig`, or `rig` of an identification). logs: recordings of it.

    Returns:
        Log to joint to quantity (`SHOWN`), all motors of a joint together; None where it is not known.
    """
    simulation = rig.build(rig.robot, {}) if isinstance(rig, RobotRig) else None
    if not isinstance(simulation, ManyRobots):
        return {}
    return {log.name: _of_log(simulation, log) for log in {id(x): x for x in logs}.values()}


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


def as_plain(spent: Energies) -> dict[str, Any]:
    """For `--json`: each log with its joints, and the robot's sum."""
    return {
        log: {"joints": joints, "robot": _sum(list(joints.values()))}
        for log, joints in spent.items()
    }


def totals(spent: Energies) -> Mapping[str, Parts]:
    """Each joint, and the robot, over all logs."""
    names = list(dict.fromkeys(joint for joints in spent.values() for joint in joints))
    rows = {joint: _sum([one[joint] for one in spent.values() if joint in one]) for joint in names}
    return rows | {"robot": _sum(list(rows.values()))} if rows else {}


def energy_rows(spent: Energies) -> tuple[list[str], Mapping[str, list[str]]]:
    """The quantities of `SHOWN` that are known of any joint, and each joint's and the robot's as text."""
    every = totals(spent)
    shown = [name for name in SHOWN if every and every["robot"][name] is not None]
    texts = {
        joint: ["-" if (x := parts[name]) is None else f"{x:.3g}" for name in shown]
        for joint, parts in every.items()
    }
    return shown, texts
