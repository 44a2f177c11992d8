"""Many candidates of one robot on all its recordings, as simulations of one MuJoCo model.

    1. each candidate and log is a simulation with parameters of its own
    2. commands hold until the next sample, torque is off where it was
    3. positions at the log's samples come out

A candidate is (P,) numbers in the order of `names`: "<joint>.<parameter>" of each actuator,
"<joint>.position_offset" [rad, m], what to add to the encoder's position to get the model's,
"<joint>.command_offset" [rad, m], what to add to a recorded command, and "mass.<body>", a factor of
the body's mass and inertia.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.pools import (
    VOLTAGE,
    LogInputs,
    Pool,
    at,
    held,
    log_inputs,
    pool,
    silent,
    stretches,
)
from pliant.engines.mujoco.batch.robot_model import robot_model
from pliant.engines.spec.placing import Wishes
from pliant.io.robot_log import Recordings, RobotLog
from pliant.io.table import AMBIENT

ARMATURE, OFFSET = "own.armature", "position_offset"
COMMAND = "command_offset"
ROOM = 2**23
"""Numbers that are kept at a time."""


@dataclass(frozen=True, kw_only=True)
class ManySettings:
    """Settings of robot simulations.

    Attributes:
        timestep: [s] of MuJoCo; None: the model's own.
        supply: "nominal" is the actuator's, "measured" the log's where it has one.
        threads: 0 takes all processors.
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
        wishes: how actuators are put on the model: options of `pliant.attach`.
    """

    timestep: float | None = None
    supply: Literal["nominal", "measured"] = "nominal"
    threads: int = 0
    hold: bool = True
    wishes: Wishes = field(default_factory=Wishes)


class ManyRobots:
    """A robot's model with actuators; see the module.

    Raises:
        PliantError: the model, a joint or a body cannot be used; see `robot_model`.
    """

    def __init__(
        self,
        path: Path,
        actuators: Mapping[str, Actuator],
        *,
        led: Sequence[str] = (),
        masses: Mapping[str, float] | None = None,
        offsets: Mapping[str, float] | None = None,
        longest_delay: Mapping[str, float] | None = None,
        settings: ManySettings | None = None,
    ) -> None:
        self.settings = settings or ManySettings()
        self.actuators = dict(actuators)
        self.robot = robot_model(
            path,
            actuators,
            led,
            timestep=self.settings.timestep,
            longest_delay=longest_delay,
            wishes=self.settings.wishes,
        )
        known = {f"{j}.{n}": x.value for j, a in actuators.items() for n, x in a.numbers.items()}
        ordered = {f"{j}.{n}": known[f"{j}.{n}"] for j, a in actuators.items() for n in a.fields}
        moved = [f"{joint}.{offset}" for offset in (OFFSET, COMMAND) for joint in actuators]
        shifts = {name: (offsets or {}).get(name, 0.0) for name in moved}
        scales = {f"mass.{body}": scale for body, scale in (masses or {}).items()}
        self._bodies = [self.robot.body(body) for body in masses or {}]
        self._values = ordered | shifts | scales
        self.names = list(self._values)
        self._actuator = {j: self.robot.actuator(j) for j in [*self.robot.joints, *led]}
        self._pools: dict[int, Pool] = {}

    @property
    def timestep(self) -> float:
        """MuJoCo's step [s]."""
        return float(self.robot.model.opt.timestep)

    def values(self) -> Floats:
        """(P,) numbers of the robot as it was given."""
        return np.array(list(self._values.values()))

    def batch(self, values: Floats, logs: Recordings) -> tuple[Floats, int]:
        """Run every candidate (C, P) on every log.

        Returns:
            (C, M) positions [rad, m] at the samples of `logs`, as the encoders show them, and how
            many steps that took.
        """
        inputs = [self._inputs(log) for log in logs.logs]
        steps = max(len(one.control) for one in inputs)
        most = max(1, ROOM // (len(inputs) * steps * len(self.robot.joints)))
        parts = [
            self._shown(values[k : k + most], inputs, logs, steps)
            for k in range(0, len(values), most)
        ]
        return np.concatenate(parts), steps * len(inputs) * len(values)

    def follow(self, log: RobotLog, sim: Pool) -> None:
        """Run the robot as it was given on one log in `sim`, which tells what it goes through."""
        one = self._inputs(log)
        self._run(self.values()[None], [one], len(one.control), sim)

    def _inputs(self, log: RobotLog) -> LogInputs:
        measured = self.settings.supply == "measured"
        return log_inputs(log, self.robot, measured=measured, hold=self.settings.hold)

    def _shown(
        self, values: Floats, inputs: list[LogInputs], logs: Recordings, steps: int
    ) -> Floats:
        """(C, M) of some candidates."""
        runs = self._run(values, inputs, steps, self._pool(len(values) * len(inputs)))
        out = np.empty((len(values), len(logs.measured)))
        for block, (log, joint) in enumerate(logs.blocks):
            number = next(k for k, other in enumerate(logs.logs) if other is log)
            place = slice(logs.starts[block], logs.starts[block + 1])
            samples = np.minimum(log.time / self.timestep, steps)
            low = np.minimum(samples.astype(np.int64), steps - 1)
            line = runs[:, number, :, self.robot.joints.index(joint)]
            part = samples - low
            out[:, place] = line[:, low] * (1.0 - part) + line[:, low + 1] * part
        return out

    def _run(self, values: Floats, inputs: list[LogInputs], steps: int, sims: Pool) -> Floats:
        """(C, L, steps + 1, J) positions as the encoders show them."""
        robot, count = self.robot, len(values) * len(inputs)
        each = np.repeat(values, len(inputs), axis=0)  # simulation = candidate, log
        self._write(sims, each, inputs)
        shift, told = self._shifts(each, OFFSET), self._shifts(each, COMMAND)
        places = [robot.qpos(joint) for joint in robot.joints]
        first = np.tile([one.first for one in inputs], (len(values), 1))
        first[:, places] += shift
        sims.start(first, np.tile([one.speed for one in inputs], (len(values), 1)))
        told = (shift + told) * [robot.of_goal(joint) for joint in robot.joints]
        runs = np.empty((count, steps + 1, len(places)))
        runs[:, 0] = first[:, places]
        for begin, end in stretches(inputs, steps, self.timestep):
            control = np.stack([held(one.control, begin, end) for one in inputs])
            control = np.tile(control, (len(values), 1, 1))
            for k, joint in enumerate(robot.joints):
                control_law = self.actuators[joint].laws["control"].module
                if getattr(control_law, "GOAL", "") == "rad":
                    control[:, :, self._actuator[joint]] += told[:, None, k]
            self._switch(sims, inputs, begin, len(values))
            with silent():
                runs[:, begin + 1 : end + 1] = sims.run(control)[:, :, places]
        runs -= shift[:, None]
        return runs.reshape(len(values), len(inputs), steps + 1, len(places))

    def _pool(self, count: int) -> Pool:
        if count not in self._pools:
            self._pools = {count: pool(self.robot.model, count, self.settings.threads)}
        return self._pools[count]

    def _write(self, sims: Pool, each: Floats, inputs: list[LogInputs]) -> None:
        """Give each simulation its parameters, with the supply and the temperatures of its recording."""
        robot, model, n = self.robot, self.robot.model, len(each)
        repeats = n // len(inputs)
        ratio = np.tile([one.ratio for one in inputs], repeats)
        user = np.repeat(model.actuator_user[None], n, axis=0)
        armature = np.repeat(model.dof_armature[None], n, axis=0)
        begin = 0
        for joint, actuator in self.actuators.items():
            width = len(actuator.fields)
            mine = each[:, begin : begin + width]
            user[:, self._actuator[joint], :width] = mine
            if VOLTAGE in actuator.fields:
                column = list(actuator.fields).index(VOLTAGE)
                user[:, self._actuator[joint], column] *= ratio
            if AMBIENT in actuator.fields:
                warmth = np.tile([one.warmth[joint] for one in inputs], repeats)
                column = list(actuator.fields).index(AMBIENT)
                read = ~np.isnan(warmth)
                user[read, self._actuator[joint], column] = warmth[read]
            if ARMATURE in actuator.fields and actuator.topology.module.HAS_BUDGET:
                own = mine[:, list(actuator.fields).index(ARMATURE)]
                armature[:, robot.dof(joint)] = own * robot.gear(joint) ** 2
            begin += width
        self._user = user
        sims.write("actuator_user", user)
        sims.write("dof_armature", armature)
        if self._bodies:
            scale = np.ones((n, len(model.body_mass)))
            scale[:, self._bodies] = each[:, -len(self._bodies) :]
            sims.write("body_mass", model.body_mass * scale)
            sims.write("body_inertia", model.body_inertia * scale[..., None])
        sims.settle()

    def _shifts(self, each: Floats, kind: str) -> Floats:
        """(n, J) offsets of a kind."""
        at = [self.names.index(f"{joint}.{kind}") for joint in self.robot.joints]
        return each[:, at]

    def _switch(self, sims: Pool, inputs: list[LogInputs], step: int, repeats: int) -> None:
        """Set what is no control: torque off, and parameters that change."""
        if any(one.off.any() for one in inputs):
            off = [at(one.off, step) for one in inputs]
            sims.write("opt.disableactuator", np.tile(off, repeats))
        if not any(one.courses for one in inputs):
            return
        for k, one in enumerate(inputs):
            for (joint, name), course in one.courses.items():
                place = self._actuator[joint], list(self.actuators[joint].fields).index(name)
                self._user[k :: len(inputs), *place] = at(course, step)
        sims.write("actuator_user", self._user)
