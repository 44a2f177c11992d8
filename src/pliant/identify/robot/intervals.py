"""How sure the numbers of a robot's actuators are: block bootstrap over its own logs."""

import dataclasses

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.objective import LOST
from pliant.identify.robot.fit import Build, RobotIdentification, longest_delays
from pliant.identify.uncertainty.bootstrap import Uncertainty, UncertaintySettings, uncertainty
from pliant.io.recordings import Recordings

FEW = UncertaintySettings(replicates=60, rounds=2, strides=4, checks=2, places=4)
"""A candidate costs as much as in the joint engine a hundred."""


def with_intervals(found: RobotIdentification, sure: Uncertainty) -> RobotIdentification:
    """The same, with each joint's intervals in the record of its actuator."""
    ends = zip(found.space.names, sure.low.tolist(), sure.high.tolist(), strict=True)
    boxes = {name: [low, high] for name, low, high in ends}
    open_ = tuple(dict.fromkeys([*found.open, *sure.words]))
    actuators = {
        joint: dataclasses.replace(
            actuator,
            identification={
                **actuator.identification,
                "intervals_90": {
                    n.removeprefix(f"{joint}."): box
                    for n, box in boxes.items()
                    if n.startswith(f"{joint}.")
                },
                "open": list(open_),
            },
        )
        for joint, actuator in found.robot.actuators.items()
    }
    robot = dataclasses.replace(found.robot, actuators=actuators)
    return dataclasses.replace(found, robot=robot, open=open_)


def robot_intervals(
    found: RobotIdentification,
    build: Build,
    *,
    uncertainty_settings: UncertaintySettings | None = None,
) -> Uncertainty:
    """Intervals of what was found, and what the logs leave open, in words.

    The joints of one log are left out together. A mass that is wrong in the model is in no
    interval: no residual knows of it.

    Args:
        found: what `fit_robot` returned. build: makes a simulation of a robot, as there.
        uncertainty_settings: replicates, seed.
    """
    logs = list(dict.fromkeys(entry.log for entry in found.fitted.entries))
    recordings = Recordings(logs, list(found.robot.actuators))
    simulation = build(found.robot, longest_delays(found.space))
    columns = [simulation.names.index(name) for name in found.space.names]
    base = simulation.values()

    def residuals(points: Floats) -> Floats:
        candidates = np.repeat(base[None], len(points), axis=0)
        candidates[:, columns] = found.space.from_cube(points)
        positions, _ = simulation.batch(candidates, recordings)
        return np.clip(np.nan_to_num(positions - recordings.measured, nan=LOST), -LOST, LOST)

    sizes = np.diff(recordings.starts)
    block_of = np.repeat(np.arange(len(sizes)), sizes)
    log_of = block_of // len(recordings.joints)
    return uncertainty(
        residuals,
        found.space.to_cube(found.values),
        found.space,
        block_of,
        recordings.time,
        groups=log_of if len(logs) > 1 else None,
        settings=uncertainty_settings or FEW,
    )
