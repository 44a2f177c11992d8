"""A robot with its actuators, simulated and recorded."""

import time
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.cli.commands import Commands
from pliant.cli.robot_setup import RobotSetup
from pliant.cli.terminal import Pace, Terminal
from pliant.csv_rows import csv_text
from pliant.engines.spec.messages import Caution, unlogged
from pliant.engines.spec.readings import control_of
from pliant.errors import PliantError
from pliant.examine.model import compiled
from pliant.robots.power import Energy
from pliant.robots.robot_energies import EnergyRecord
from pliant.robots.simulate import DURATION, check_sound, joints_of

MOST = 1e8
"""Positions that are recorded: 0.8 GB."""
CHUNK = 500
"""Steps between two looks at the clock."""


@dataclass(frozen=True, eq=False)
class SimulatedMotion:
    """Simulated motion of the joints.

    Attributes:
        joints: name to unit of those with one degree of freedom.
        positions: (N, J) [rad or m] after each step, the first row before.
        spent: powers and energy of the joints that have an actuator.
        cost_of_transport: energy from the supply over weight times distance travelled by a floating base.
        statement: what was attached and set. warnings: settings of the model that conflict with it.
        seconds: wall time of the loop.
    """

    joints: dict[str, str]
    positions: Floats
    spent: EnergyRecord
    cost_of_transport: float | None
    timestep: float
    statement: str
    warnings: tuple[Caution, ...]
    seconds: float

    @property
    def steps(self) -> int:
        """Integration steps."""
        return len(self.positions) - 1

    @property
    def simulated(self) -> float:
        """Simulated time [s]."""
        return self.steps * self.timestep

    def summary(self) -> dict[str, tuple[str, float, float, float, float]]:
        """Joint to unit, first, final, lowest and highest position."""
        return {
            name: (unit, float(x[0]), float(x[-1]), float(x.min()), float(x.max()))
            for (name, unit), x in zip(self.joints.items(), self.positions.T, strict=True)
        }

    def csv(self) -> str:
        """The recording as a table."""
        spent = self.spent.columns()
        powers = np.column_stack(list(spent.values())) if spent else np.empty((self.steps + 1, 0))
        time = self.timestep * np.arange(len(self.positions))
        rows = np.column_stack([time, self.positions, powers]).tolist()
        return csv_text(["time", *self.joints, *spent], rows)

    def as_plain(self) -> dict[str, Any]:
        """Plain values, for `--json`."""
        keys = ("unit", "first", "final", "low", "high")
        return {
            "joints": {n: dict(zip(keys, s, strict=True)) for n, s in self.summary().items()},
            "energy": self.spent.as_plain(),
            "cost_of_transport": self.cost_of_transport,
            "attachment": self.statement,
            "warnings": [asdict(warning) for warning in self.warnings],
            "steps": self.steps,
            "timestep": self.timestep,
            "duration": self.simulated,
            "seconds": self.seconds,
        }


def record(
    setup: RobotSetup,
    commands: Commands,
    duration: float | None,
    terminal: Terminal,
    *,
    powers: bool = True,
) -> SimulatedMotion:
    """Load the model, attach actuators, step, and record the joints, and their powers if wanted.

    Raises:
        PliantError: the model or an actuator cannot be used, or the simulation diverges.
    """
    terminal.note("attaching the actuators (the first time, their laws are compiled) ...")
    spec, attachment, statement = setup.attached()
    commands.check([entry.joint for entry in attachment.joints])
    model = compiled(spec, setup.path)
    data = mujoco.MjData(model)
    joints, addresses = joints_of(model)
    controls = [control_of(model, joint) for joint in commands.joints]
    steps = max(round((duration or max(commands.end, DURATION)) / model.opt.timestep), 1)
    if (steps + 1) * max(len(addresses), 1) > MOST:
        accepted = f"at most {MOST:g} positions: a shorter time, or larger steps"
        raise PliantError("is too long", field="--duration", found=steps, accepted=accepted)
    positions = np.empty((steps + 1, len(addresses)))
    positions[0] = data.qpos[addresses]
    spent = EnergyRecord(model, attachment, steps, keep=powers)
    travel = Travel(model, data)
    spent.note(data)
    pace, began = Pace(terminal), time.perf_counter()
    with unlogged():  # `check_sound` reads the counters instead
        for k in range(steps):
            data.ctrl[controls] = commands.at(data.time)
            mujoco.mj_step(model, data)
            positions[k + 1] = data.qpos[addresses]
            spent.note(data)
            if k % CHUNK == 0:
                check_sound(data, k * model.opt.timestep)
                pace.say(f"simulating: {100 * k / steps:3.0f} %")
        check_sound(data, steps * model.opt.timestep)
    seconds = time.perf_counter() - began
    spent.finish()
    return SimulatedMotion(
        joints=joints,
        positions=positions,
        spent=spent,
        cost_of_transport=travel.cost(data, spent.energy),
        timestep=float(model.opt.timestep),
        statement=statement,
        warnings=attachment.warnings,
        seconds=seconds,
    )


class Travel:
    """Distance travelled by a floating-base robot, from the present state of `data`."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
        anything: Any = model  # its type stubs lack some
        driven = [int(anything.body_rootid[b]) for b in _driven(model)]
        bodies = [int(b) for b in model.jnt_bodyid[free] if int(b) in driven]
        self._body = bodies[0] if bodies else None
        masses: Floats = anything.body_subtreemass
        self._mass = 0.0 if self._body is None else float(masses[self._body])
        self._gravity = float(np.linalg.norm(model.opt.gravity))
        self._start = self._place(data)

    def _place(self, data: mujoco.MjData) -> Floats:
        return np.zeros(3) if self._body is None else np.array(data.subtree_com[self._body])

    def cost(self, data: mujoco.MjData, energy: Energy | None) -> float | None:
        """Energy from the supply over weight times distance; None for a robot that does not travel."""
        distance = float(np.linalg.norm((self._place(data) - self._start)[:2]))
        if self._body is None or energy is None or distance < NOWHERE or self._gravity == 0.0:
            return None
        return energy.cost_of_transport(self._mass, distance, gravity=self._gravity)


NOWHERE = 1e-3
"""[m]"""


def _driven(model: mujoco.MjModel) -> set[int]:
    """Bodies that an actuator moves by a joint."""
    on_joint = model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT
    return {int(model.jnt_bodyid[j]) for j in model.actuator_trnid[on_joint, 0]}
