"""Limits of commands and forces that a model's actuators have, in the unit of the new ones.

A range is in its actuator's unit: metres of a slide, N m of a motor, counts of a gripper. It is used
if it is a position, or a torque, on both sides; otherwise it is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.formers import asked_length, kind_of, limits_of, named, ratio_of
from pliant.engines.spec.joints import takes_position
from pliant.engines.spec.names import PREFIX
from pliant.errors import PliantError


@dataclass(frozen=True)
class Ranges:
    """Ranges of commands and of force of an actuator, in its own units; None: without a limit."""

    command: Floats | None = None
    force: Floats | None = None

    def limit(self, entry: mujoco.MjsActuator) -> None:
        """Give them to an actuator of a spec."""
        if self.command is not None:
            entry.ctrlrange, entry.ctrllimited = self.command, mujoco.mjtLimited.mjLIMITED_TRUE
        if self.force is not None:
            entry.forcerange, entry.forcelimited = self.force, mujoco.mjtLimited.mjLIMITED_TRUE


def ranges_of(
    former: mujoco.MjsActuator,
    actuator: Actuator,
    gear: float,
    joint: str,
    of_joints: Mapping[str, Floats],
) -> Ranges:
    """Those of `former`, or of a model's default, as those of `actuator` with this gear on the joint.

    Args:
        of_joints: joint to its range [rad, m], for a former that inherits it.
    """
    own = ratio_of(former)
    force = limits_of(former.forcelimited, former.forcerange)
    turned = None if force is None else np.sort(np.array(force) * own / gear)
    entry: Any = former
    inherited = float(entry.inheritrange)
    command = limits_of(former.ctrllimited, former.ctrlrange)
    if command is not None:
        return Ranges(_commands(former, np.array(command), actuator, own, gear, joint), turned)
    if inherited > 0.0 and joint in of_joints and _takes(actuator, "rad"):
        middle, half = of_joints[joint].mean(), 0.5 * np.ptp(of_joints[joint])
        reach = middle + inherited * half * np.array([-1.0, 1.0])
        return Ranges(np.sort(reach * gear), turned)
    return Ranges(None, turned)


# So many arguments: two actuators, their gears, and where.
def _commands(
    former: mujoco.MjsActuator,
    said: Floats,
    actuator: Actuator,
    own: float,
    gear: float,
    joint: str,
) -> Floats:
    kind = kind_of(former)
    if _takes(actuator, "rad"):
        lengths = said if kind.startswith(PREFIX) else asked_length(former, said)
        if lengths is not None:
            return np.sort(lengths / own * gear)
    if _takes(actuator, "N m") and kind == "motor":
        return np.sort(said * float(former.gainprm[0]) * own / gear)
    raise PliantError(
        f"the commands of {named(former)} are not {'positions' if _takes(actuator, 'rad') else 'of that kind'}",
        field=f"limits: joint {joint}",
        found="{:g} to {:g}".format(*said),
        accepted='limits="joint", the range of the joint itself; or none',
    )


def _takes(actuator: Actuator, unit: str) -> bool:
    controls = [law.module for law in actuator.laws.values() if law.kind == "control"]
    return (unit == "rad") == takes_position(actuator) and (
        unit == "rad" or all(unit == control.GOAL for control in controls)
    )
