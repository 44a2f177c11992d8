"""A recording of a robot: as it was measured (grey), and as its actuators simulate it, open loop.

Turning a parameter simulates the whole recording again, all joints together in the robot's own model.
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.messages import unlogged
from pliant.errors import check_known
from pliant.examine.model import compiled
from pliant.io.robot_log import RobotLog
from pliant.report.explained import explained, in_words
from pliant.robots.identify import robot_rig
from pliant.robots.robot_file import RecordedRobot
from pliant.view.commands import Joint
from pliant.view.knobs import parameter_knob
from pliant.view.replayed import Played
from pliant.words import mrad

__all__ = ["ReplayedRobot"]

MEASURED = "measured/"
"""Before the names of the bodies that follow the recording."""
GREY = (0.55, 0.6, 0.65, 0.45)


class ReplayedRobot(Played):
    """A robot's recording as a `Scene`: measured and simulated in one place.

    Joints that are not recorded stay in the first pose.

    Raises:
        PliantError: the model is refused, or model and recording do not fit.
    """

    def __init__(self, robot: RecordedRobot, log: RobotLog) -> None:
        super().__init__(log.time)
        self.title = f"{log.name}, {robot.model.name}"
        self._log, self._actuators = log, dict(robot.actuators)
        settings = ManySettings(timestep=robot.timestep, wishes=robot.wishes)
        rig = robot_rig(robot.model, self._actuators, [log], settings=settings)
        self._rig = rig.holding(robot.offsets) if robot.offsets else rig
        self.model = _drawn(robot)
        self._ids = {joint: int(self.model.joint(joint).id) for joint in log.joints}
        self._simulate(self._actuators)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that have an actuator."""
        return tuple(self._joint(name, actuator) for name, actuator in self._actuators.items())

    @property
    def errors(self) -> Mapping[str, float]:
        """Joint to the mean absolute error [rad, m] of its simulation."""
        return {name: one.mae for name, one in self._run.items()}

    def _joint(self, name: str, actuator: Actuator) -> Joint:
        slides = int(self.model.jnt_type[self._ids[name]]) == int(mujoco.mjtJoint.mjJNT_SLIDE)
        knobs = tuple(parameter_knob(actuator, field) for field in actuator.fields)
        unit = "mm" if slides else "mrad"
        run = self._run[name]
        error = f"{mrad(run.mae)} {unit} from the recording: {in_words(run)}"
        return Joint(name, f"{actuator.title}: {error}", slides, (), knobs)

    def _turn(self, joint: str, name: str, value: float) -> None:
        check_known(joint, list(self._actuators), "no such joint")
        now = self._actuators[joint].with_values({name: value}, "turned", "assumed")
        self._simulate({**self._actuators, joint: now})

    def _simulate(self, actuators: Mapping[str, Actuator]) -> None:
        found = explained(self._rig.with_actuators(actuators), [self._log])
        self._actuators = dict(actuators)
        self._run = {one.joint: one for one in found}
        self.whole = self._frames(self._columns(), self._pose)

    def _pose(self, k: int, qpos: Floats) -> None:
        for joint, identifier in self._ids.items():
            measured = float(self._log.position[k, self._log.column(joint)])
            run = self._run.get(joint)
            qpos[self.model.jnt_qposadr[self.model.joint(MEASURED + joint).id]] = measured
            shown = measured if run is None else float(run.entry.simulated[k])
            qpos[self.model.jnt_qposadr[identifier]] = shown

    def _columns(self) -> dict[str, Floats]:
        """Name of every reading to its (N, n) values along the recording."""
        log, names = self._log, list(self._actuators)
        own = [log.column(name) for name in names]
        runs = [self._run[name] for name in names]
        position = np.column_stack([one.entry.simulated for one in runs])
        most = np.column_stack([one.most for one in runs])
        most = np.where(np.isfinite(most), most, np.nan)
        found = {
            "goal": log.goal[:, own],
            "measured": log.position[:, own],
            "position": position,
            "error": position - log.position[:, own],
            "velocity": np.gradient(position, log.time, axis=0),
            "torque": np.column_stack([one.torque for one in runs]),
        }
        found["motor_torque"] = np.where(np.isnan(most), np.nan, found["torque"])
        # Known in the direction of the torque alone.
        found["torque_high"] = np.where(found["torque"] >= 0.0, most, np.nan)
        found["torque_low"] = np.where(found["torque"] < 0.0, -most, np.nan)
        if log.supply is not None:
            found["supply"] = np.repeat(log.supply[:, None], len(own), axis=1)
        return found


def _drawn(robot: RecordedRobot) -> mujoco.MjModel:
    """The robot twice: as it is simulated, and transparent as it was measured. For drawing alone."""
    simulated, measured = (_bare(robot) for _ in range(2))
    for geom in measured.geoms:
        geom.material, geom.rgba = "", GREY
    for fixed in [*measured.worldbody.geoms, *measured.worldbody.lights, *measured.cameras]:
        measured.delete(fixed)  # of the surroundings one is enough
    with unlogged():
        simulated.attach(measured, prefix=MEASURED, frame=simulated.worldbody.add_frame())
    return compiled(simulated, robot.model)


def _bare(robot: RecordedRobot) -> Any:
    """The model without what only a simulation needs, which may not be there twice."""
    spec, _ = load_measured(robot.model, replace=robot.wishes.replace)
    for kind in ("keys", "sensors", "actuators", "equalities", "tendons", "excludes", "pairs"):
        for one in list(getattr(spec, kind)):
            spec.delete(one)
    return spec
