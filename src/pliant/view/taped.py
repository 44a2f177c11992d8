"""An experiment's robot, simulated again under the commands that the experiment gives it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco
import numpy as np

from pliant.engines.mujoco.batch.trials import Tape, watched
from pliant.errors import PliantError
from pliant.experiments.index import recipe
from pliant.robots.robot import Robot, RobotInfo
from pliant.view.commands import Command, Reference, Timestep
from pliant.view.simulated import Simulated

__all__ = ["Taped", "experiment"]


class Taped(Simulated):
    """A robot that follows a tape of commands; what else can be turned can be turned."""

    def __init__(self, tape: Tape, title: str) -> None:
        self._tape = tape
        self.duration = len(tape.control) * float(tape.model.opt.timestep)
        super().__init__(lambda _: _robot(tape), title)

    def advance(self, steps: int) -> None:
        """Take steps, each under its own row of the tape; the last row holds."""
        control = self._tape.control
        for _ in range(steps):
            self.robot.data.ctrl[:] = control[min(self.steps, len(control) - 1)]
            super().advance(1)

    def apply(self, command: Command) -> None:
        """Change something that the experiment does not command.

        Raises:
            PliantError: see `Simulated`.
        """
        if isinstance(command, Reference | Timestep):
            raise PliantError("the experiment commands this itself", field=type(command).__name__)
        super().apply(command)

    def _began(self) -> None:
        data = self.robot.data
        if data.time == 0.0:
            data.qpos[:] = self._tape.qpos
        super()._began()
        self.steps = round(float(data.time) / self.timestep)


def experiment(name: str) -> Taped:
    """The last robot that an experiment moves in MuJoCo.

    Raises:
        PliantError: there is no such experiment, or it moves none.
    """
    module = recipe(name)
    with TemporaryDirectory() as folder, watched() as tapes:
        module.run(None, Path(folder))
    if not tapes:
        raise PliantError(
            "this experiment has no robot to show",
            field="--experiment",
            found=name,
            accepted="one with a robot in MuJoCo, such as ilc, snake, two_link_step",
        )
    return Taped(tapes[-1], module.TITLE)


def _robot(tape: Tape) -> Robot:
    data = mujoco.MjData(tape.model)
    data.qpos[:] = tape.qpos
    data.ctrl[:] = np.asarray(tape.control[0])
    return Robot(tape.model, RobotInfo(attachment=tape.attached), data)
