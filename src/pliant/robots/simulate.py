"""A robot with its actuators under constant commands, for a first look: `pliant simulate` in Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.readings import control_of
from pliant.errors import PliantError
from pliant.robots.attach import attach

DURATION = 5.0
"""[s]"""


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated motion.

    Attributes:
        time: (N,) [s], from 0 on, a row for each step of the model.
        positions: joint to its (N,) positions [rad, m], of all hinges and slides.
        attachment: what was attached and set.
    """

    time: Floats
    positions: Mapping[str, Floats]
    attachment: Attachment


def simulate(
    model: str | Path | mujoco.MjSpec,
    actuators: Mapping[str, Actuator | str | Path] | None = None,
    *,
    goal: Mapping[str, float] | None = None,
    duration: float = DURATION,
    **options: Any,
) -> Simulated:
    """Attach actuators, and simulate the robot from its reference pose with plain `mj_step`.

    Args:
        model: an MJCF or URDF file, or a spec, to which the actuators are then attached.
        actuators: joint to actuator, as of `attach`; none for a model that names them itself.
        goal: joint to its command, in the unit of its actuator; 0 without one.
        duration: [s].
        options: as of `attach`: replace, transmission, limits …

    Raises:
        PliantError: the model or an actuator cannot be used, a goal is that of a joint without an
            actuator, or the simulation diverges.
    """
    if not 0.0 < duration < 1e6:
        raise PliantError("out of range", field="duration", found=duration, accepted="above 0 [s]")
    spec, attachment = (model, None) if isinstance(model, mujoco.MjSpec) else load_model(model)
    if actuators or attachment is None:
        attachment = attach(spec, actuators or {}, **options)
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    for joint, command in (goal or {}).items():
        attachment[joint]  # refuses one without an actuator, with the names of those that have one
        data.ctrl[control_of(compiled, joint)] = command
    joints, addresses = joints_of(compiled)
    steps = max(round(duration / compiled.opt.timestep), 1)
    rows = np.empty((steps + 1, len(addresses)))
    rows[0] = data.qpos[addresses]
    with unlogged():  # `check_sound` reads the counters instead
        for k in range(steps):
            mujoco.mj_step(compiled, data)
            rows[k + 1] = data.qpos[addresses]
    check_sound(data, steps * compiled.opt.timestep)
    time = float(compiled.opt.timestep) * np.arange(steps + 1, dtype=np.float64)
    return Simulated(time, dict(zip(joints, rows.T, strict=True)), attachment)


def joints_of(model: Any) -> tuple[dict[str, str], list[int]]:
    """Name to unit, and address in qpos, of the joints with one degree of freedom."""
    units = {int(mujoco.mjtJoint.mjJNT_HINGE): "rad", int(mujoco.mjtJoint.mjJNT_SLIDE): "m"}
    ids = [k for k in range(model.njnt) if int(model.jnt_type[k]) in units]
    names = {model.joint(k).name or f"joint {k}": units[int(model.jnt_type[k])] for k in ids}
    return names, [int(model.jnt_qposadr[k]) for k in ids]


def check_sound(data: Any, t: float) -> None:
    """Refuse a simulation that diverged: MuJoCo resets it and goes on, which is no result."""
    kind: Any = getattr(mujoco, "mjtWarning")  # noqa: B009 - its type stubs lack it
    kinds = (kind.mjWARN_BADQPOS, kind.mjWARN_BADQVEL, kind.mjWARN_BADQACC, kind.mjWARN_BADCTRL)
    if any(data.warning[kind].number for kind in kinds) or not np.isfinite(data.qpos).all():
        raise PliantError(
            f"the simulation diverges before t = {t:.3f} s",
            field="--step",
            accepted="a smaller step",
        )
