"""Bands of a robot's joints: the draws of each, with the margin of its record."""

from collections.abc import Mapping

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.result.known import Held, held_by
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.rig import RobotRig
from pliant.identification.robot.space import DELAY
from pliant.io.robot_log import Recordings, RobotLog


def held_of_joints(rig: RobotRig, found: Evaluation[RobotLog]) -> dict[str, Held]:
    """Joint to the share of recordings that its bands hold; without joints whose files have no draws, or no margin.

    Each joint by itself, the others led along their recording, as the margins were found.

    Args:
        rig: the robot as it is. found: its errors, on recordings with the zeros and delays to be taken.

    Raises:
        PliantError: an entry of a record is of another type.
    """
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    draws = {
        f"{joint}.{name}": column
        for joint, actuator in rig.actuators.items()
        if actuator.ensemble is not None and records[joint].coverage
        for name, column in zip(
            actuator.ensemble.names, actuator.ensemble.of_draws().T, strict=True
        )
    }
    known = [joint for joint in rig.actuators if any(n.startswith(f"{joint}.") for n in draws)]
    count = min((len(column) for column in draws.values()), default=0)
    if not count or not found.entries:
        return {}
    motions = _motions(rig, found, {name: column[:count] for name, column in draws.items()})
    each: dict[str, Held] = {}
    for joint in known:
        entries = [entry for entry in found.entries if entry.joint == joint]
        held = held_by(records[joint], entries, [motions[e.log.name, joint] for e in entries])
        each |= {} if held is None else {joint: held}
    return each


def _motions(
    rig: RobotRig, found: Evaluation[RobotLog], draws: Mapping[str, Floats]
) -> dict[tuple[str, str], Floats]:
    """Log and joint to the motions (K, N) [rad, m] of draws ("<joint>.<parameter>", (K,))."""
    coarse = rig.one_by_one().coarse()
    longest = {n.removesuffix(f".{DELAY}"): float(x.max()) for n, x in draws.items() if DELAY in n}
    simulation = coarse.build(coarse.robot, longest)
    count = len(next(iter(draws.values())))
    candidates = np.repeat(simulation.values()[None], count, axis=0)
    for name, column in draws.items():
        candidates[:, simulation.names.index(name)] = column
    logs = list({id(entry.log): entry.log for entry in found.entries}.values())
    samples = Recordings(logs, list(rig.actuators))
    positions, _ = simulation.batch(candidates, samples)
    blocks = zip(samples.blocks, samples.per_block(positions), strict=True)
    return {(log.name, joint): runs for (log, joint), runs in blocks}
