"""Candidates of a robot in the joint engine: each joint by itself, the others along their recording.

A joint whose neighbours are where they were recorded needs no robot in the loop: MuJoCo computes its inertia,
its load and the slope of the load once, and the joint engine does the rest, about a hundred times faster. Left
out are the joints' effect on each other's errors, force limits, and contacts: near a contact a sample counts as
correct until the joint has moved on.

A fit over several days simulates the same motions with many supplies, joint by joint. MuJoCo needs a second for
the part that depends only on the motion: `Along` caches it.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.led import LedBatch, LedLog
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.engines.mujoco.batch.pools import VOLTAGE
from pliant.engines.mujoco.batch.robot_model import robot_model
from pliant.engines.mujoco.batch.surroundings import Surroundings, plain_model, surroundings
from pliant.engines.spec.joints import takes_position
from pliant.identification.robot.space import COMMAND, OFFSET, RobotCandidate
from pliant.io.robot_log import Bools, Recordings, RobotLog, gain_courses

MOST = 128
"""Recordings that are kept, the most recent: 20 motions of six joints, each alone."""


class Along:
    """Cache of recordings' surroundings, keyed by the arrays of the motion; empty in a new process."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[RobotLog, Surroundings]] = OrderedDict()

    def __reduce__(self) -> tuple[type["Along"], tuple[()]]:
        return Along, ()

    def of(
        self, log: RobotLog, settings: Hashable, made: Callable[[RobotLog], Surroundings]
    ) -> Surroundings:
        """Surroundings along `log`, made by `made` if not cached.

        Args:
            settings: all else that decides what they are.
        """
        if log.piece_of is not None:
            whole, first = log.piece_of
            return self.of(whole, settings, made).part(slice(first, first + len(log.time)))
        # The cached log keeps its arrays alive, so that no others get their identity.
        key = (id(log.time), id(log.position), log.joints, settings)
        if key not in self._known:
            self._known[key] = log, made(log)
        self._known.move_to_end(key)
        found = self._known[key][1]
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found


STEP = 2e-3
"""[s] Smallest step; otherwise the model's, at which the best is polished."""
MOVED = 0.01
"""[rad, m] Distance from where a contact released a joint, after which friction no longer holds it there."""


@dataclass(frozen=True)
class LedBuild:
    """Simulations of a robot's joints one by one; another process can load it too.

    Attributes:
        path: MJCF or URDF. settings: of the simulations in MuJoCo.
        along: what was computed along recordings before.
    """

    path: Path
    settings: ManySettings
    along: Along = field(default_factory=Along, compare=False, repr=False)

    def __call__(self, robot: RobotCandidate, longest_delay: Mapping[str, float]) -> "LedJoints":
        """Candidates of `robot`; any delay will do."""
        return LedJoints(self.path, robot, self.settings, self.along)


class LedJoints:
    """A robot's joints with actuators, each by itself; see the module."""

    def __init__(
        self,
        path: Path,
        robot: RobotCandidate,
        settings: ManySettings,
        along: Along | None = None,
    ) -> None:
        self._along = along or Along()
        self._robot, self._measured = robot, settings.supply == "measured"
        wishes = settings.wishes
        self._model = plain_model(
            path,
            [*robot.actuators, *robot.led],
            robot.masses,
            exclude_base_collision=wishes.exclude_base_collision,
        )
        step = max(STEP, settings.timestep or float(self._model.opt.timestep))
        joint = JointSettings(max_step=step, hold=robot.hold and settings.hold)
        self._engines = {
            name: JointEngine(actuator, plant="led", settings=joint)
            for name, actuator in robot.actuators.items()
        }
        self._travel = {j: wishes.transmission.get(j, 1.0) for j in robot.actuators}
        self._limits = _command_limits(path, robot, settings) if wishes.limits else {}
        self._laid: tuple[Recordings, dict[str, LedBatch], dict[str, Bools]] | None = None
        own = {j: [f"{j}.{name}" for name in a.fields] for j, a in robot.actuators.items()}
        self.names = [
            *(name for names in own.values() for name in names),
            *(f"{joint}.{offset}" for offset in (OFFSET, COMMAND) for joint in own),
            *(f"mass.{body}" for body in robot.masses),
        ]
        self._columns = {
            joint: [
                self.names.index(name)
                for name in (*names, f"{joint}.{OFFSET}", f"{joint}.{COMMAND}")
            ]
            for joint, names in own.items()
        }

    def values(self) -> Floats:
        """(P,) numbers of the robot as it was given."""
        robot = self._robot
        known = {f"mass.{body}": factor for body, factor in robot.masses.items()}
        for joint, actuator in robot.actuators.items():
            known |= {f"{joint}.{n}": x.value for n, x in actuator.numbers.items()}
        known |= robot.offsets
        return np.array([known.get(name, 0.0) for name in self.names])

    def batch(self, values: Floats, logs: Recordings) -> tuple[Floats, int]:
        """Run every candidate (C, P) on every log; see `ManyRobots.batch`.

        A joint is simulated once for all candidates that do not differ in it.
        """
        batches, kept = self._prepared(logs)
        out, total = np.empty((len(values), len(logs.measured))), 0
        for joint, engine in self._engines.items():
            own = np.array(values[:, self._columns[joint]])
            own[:, -2:] /= self._travel[joint]  # offsets are the joint's, the engine's the motor's
            different, which = np.unique(own, axis=0, return_inverse=True)
            positions, steps = engine.batch(np.ascontiguousarray(different), batches[joint])
            total += steps
            shown = np.where(kept[joint], positions, batches[joint].measured)[which.ravel()]
            _scatter(out, self._travel[joint] * shown, logs, joint)
        return out, total

    def _prepared(self, logs: Recordings) -> tuple[dict[str, LedBatch], dict[str, Bools]]:
        if self._laid is None or self._laid[0] is not logs:
            robot = self._robot
            body = (*robot.masses.items(),), (*robot.offsets.items(),)
            settings = ((*robot.actuators,), robot.led, *body)

            def made(log: RobotLog) -> Surroundings:
                return surroundings(self._model, log, [*robot.actuators], robot.led, robot.offsets)

            along = [self._along.of(log, settings, made) for log in logs.logs]
            pairs = list(zip(logs.logs, along, strict=True))
            batches = {
                joint: LedBatch([self._log(log, joint, one) for log, one in pairs], engine)
                for joint, engine in self._engines.items()
            }
            kept = {
                joint: np.concatenate([_free(log, joint, one) for log, one in pairs])
                for joint in self._engines
            }
            self._laid = logs, batches, kept
        return self._laid[1:]

    def _log(self, log: RobotLog, joint: str, along: Surroundings) -> LedLog:
        k, travel = log.column(joint), self._travel[joint]
        # Limits apply to the command with its offset, which is not known yet; it is a few mrad.
        goal = np.clip(log.goal[:, k], *self._limits.get(joint, (-np.inf, np.inf)))
        actuator = self._robot.actuators[joint]
        angle, supply = takes_position(actuator), log.supply if self._measured else None
        if not self._measured and log.supply_ratio != 1.0:
            supply = np.full(len(log.time), log.supply_ratio * actuator.value(VOLTAGE))
        return LedLog(
            time=log.time,
            position=log.position[:, k] / travel,
            goal=goal / travel if angle else goal,
            enabled=log.enabled[:, k].astype(np.float64),
            supply=supply,
            around=along.around[joint] * [travel**2, travel, travel**2],  # by the motor's angle
            speed=float(np.nan_to_num(log.speed[0, k])) / travel,
            warmth=log.warmth(joint),
            courses=gain_courses(log, joint, {n: f.unit for n, f in actuator.fields.items()}),
        )


def _command_limits(
    path: Path, robot: RobotCandidate, settings: ManySettings
) -> dict[str, tuple[float, float]]:
    """Map of joint to the range of its recorded commands."""
    made = robot_model(path, robot.actuators, robot.led, wishes=settings.wishes)
    found: dict[str, tuple[float, float]] = {}
    for entry in made.attachment.joints:
        if entry.command_range is not None:
            ends = np.array(entry.command_range) / made.of_goal(entry.joint)
            found[entry.joint] = float(ends.min()), float(ends.max())
    return found


def _scatter(out: Floats, shown: Floats, logs: Recordings, joint: str) -> None:
    """Indices of one joint's positions among those of all."""
    begin = 0
    for block, (log, name) in enumerate(logs.blocks):
        if name == joint:
            place = slice(logs.starts[block], logs.starts[block + 1])
            out[:, place] = shown[:, begin : begin + len(log.time)]
            begin += len(log.time)


def _free(log: RobotLog, joint: str, along: Surroundings) -> Bools:
    """(N,) whether no contact holds a joint, now or since it last moved."""
    line, free = log.position[:, log.column(joint)], ~along.touching
    left: float | None = None
    for n in range(len(free)):
        if along.touching[n]:
            left = float(line[n])
        elif left is not None:
            free[n] = abs(line[n] - left) > MOVED
            left = None if free[n] else left
    return free
