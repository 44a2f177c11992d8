"""A robot with its actuators, simulated and recorded."""

import time
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.cli.commands import Commands
from pliant.cli.robot_setup import RobotSetup
from pliant.cli.spent import EnergyRecord
from pliant.cli.terminal import Pace, Terminal
from pliant.engines.spec.cautions import Caution
from pliant.engines.spec.places import control_of
from pliant.engines.spec.unlogged import unlogged
from pliant.errors import PliantError
from pliant.examine.model import compiled

DURATION = 5.0
"""[s]"""
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
        spent: the electrical power of the joints that have an actuator.
        statement: what was attached and set. warnings: what works against it.
        seconds: that the loop took.
    """

    joints: dict[str, str]
    positions: Floats
    spent: EnergyRecord
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
        powers = [_quoted(f"{name}.power") for name in self.spent.joints]
        lines = [",".join(["time", *(_quoted(name) for name in self.joints), *powers])]
        for k, row in enumerate(self.positions):
            cells = [f"{k * self.timestep:.9g}", *(f"{x:.9g}" for x in row)]
            cells += ["" if np.isnan(x) else f"{x:.9g}" for x in self.spent.power[k]]
            lines.append(",".join(cells))
        return "\n".join(lines) + "\n"

    def as_plain(self) -> dict[str, Any]:
        """Plain values, for `--json`."""
        keys = ("unit", "first", "final", "low", "high")
        return {
            "joints": {n: dict(zip(keys, s, strict=True)) for n, s in self.summary().items()},
            "energy": self.spent.as_plain(),
            "attachment": self.statement,
            "warnings": [asdict(warning) for warning in self.warnings],
            "steps": self.steps,
            "timestep": self.timestep,
            "duration": self.simulated,
            "seconds": self.seconds,
        }


def record(
    setup: RobotSetup, commands: Commands, duration: float | None, terminal: Terminal
) -> SimulatedMotion:
    """Load the model, attach actuators, step, and record the joints.

    Raises:
        PliantError: the model or an actuator cannot be used, or the simulation diverges.
    """
    terminal.note("attaching the actuators (the first time, their laws are compiled) ...")
    spec, attachment, statement = setup.attached()
    commands.check([entry.joint for entry in attachment.joints])
    model = compiled(spec, setup.path)
    data = mujoco.MjData(model)
    joints, addresses = _joints(model)
    controls = [control_of(model, joint) for joint in commands.joints]
    steps = max(round((duration or max(commands.end, DURATION)) / model.opt.timestep), 1)
    if (steps + 1) * max(len(addresses), 1) > MOST:
        accepted = f"at most {MOST:g} positions: a shorter time, or larger steps"
        raise PliantError("is too long", field="--duration", found=steps, accepted=accepted)
    positions = np.empty((steps + 1, len(addresses)))
    positions[0] = data.qpos[addresses]
    spent = EnergyRecord(model, attachment, steps)
    spent.note(data)
    pace, began = Pace(terminal), time.perf_counter()
    with unlogged():  # `_check` reads the counters instead
        for k in range(steps):
            data.ctrl[controls] = commands.at(data.time)
            mujoco.mj_step(model, data)
            positions[k + 1] = data.qpos[addresses]
            spent.note(data)
            if k % CHUNK == 0:
                _check(data, k * model.opt.timestep)
                pace.say(f"simulating: {100 * k / steps:3.0f} %")
        _check(data, steps * model.opt.timestep)
    seconds = time.perf_counter() - began
    spent.finish()
    step, warnings = float(model.opt.timestep), attachment.warnings
    return SimulatedMotion(joints, positions, spent, step, statement, warnings, seconds)


def _joints(model: Any) -> tuple[dict[str, str], list[int]]:
    """Name to unit, and address in qpos, of the joints with one degree of freedom."""
    units = {int(mujoco.mjtJoint.mjJNT_HINGE): "rad", int(mujoco.mjtJoint.mjJNT_SLIDE): "m"}
    ids = [k for k in range(model.njnt) if int(model.jnt_type[k]) in units]
    names = {model.joint(k).name or f"joint {k}": units[int(model.jnt_type[k])] for k in ids}
    return names, [int(model.jnt_qposadr[k]) for k in ids]


def _check(data: Any, t: float) -> None:
    """MuJoCo resets a simulation that diverges and goes on; that is not to pass for a result."""
    kind: Any = getattr(mujoco, "mjtWarning")  # noqa: B009 - its type stubs lack it
    kinds = (kind.mjWARN_BADQPOS, kind.mjWARN_BADQVEL, kind.mjWARN_BADQACC, kind.mjWARN_BADCTRL)
    if any(data.warning[kind].number for kind in kinds) or not np.isfinite(data.qpos).all():
        raise PliantError(
            f"the simulation diverges before t = {t:.3f} s",
            field="--step",
            accepted="a smaller step",
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\n') else name
