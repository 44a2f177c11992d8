"""Limits of a robot's goals, and what must be true of its actuators before any is sent."""

from collections.abc import Sequence

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.hosts.leads import FARTHEST, Leads
from pliant.engines.spec.joints import takes_position
from pliant.errors import PliantError
from pliant.lower.plain import plain
from pliant.robots.certain_friction import certain_friction
from pliant.robots.inverse_load import InverseLoad
from pliant.robots.joint_groups import JointPlaces
from pliant.robots.mode import motor_numbers

FAST = 10.0
"""[rad/s] Of a goal, where the firmware does not say how fast it may be."""
SHARE = 0.25
"""Part of a servo's torque under which it is asked how certain its friction is."""


def position_told(actuator: Actuator) -> None:
    """Refuse an actuator that is told no position.

    Raises:
        PliantError: what it is told instead.
    """
    control = next((law for port, law in actuator.laws.items() if port.startswith("control")), None)
    if control is None or not takes_position(actuator):
        raise PliantError(
            f"{actuator.name} has no firmware that is told a position",
            field="actuator",
            found=f"control {control.name}" if control else f"topology {actuator.topology.name}",
            accepted="a servo, such as sts3215_so101, or a compliant actuator in mode 2, 3, 5 or 6",
        )


def delay_of(actuator: Actuator) -> float:
    """Delay [s] of the actuator's commands."""
    own = plain(actuator)
    return -own["issued"](0.0, own["load_parameters"](actuator.values.tolist(), 0))


def goal_limits(
    model: mujoco.MjModel,
    places: JointPlaces,
    leads: Leads,
    speed: float | None,
    current: float | None,
) -> Floats:
    """(5, J) as `Leads.limits`: the joints' ranges, the firmware's speed or `speed`, `current` as a torque.

    Raises:
        PliantError: a speed or current that is not above 0.
    """
    for name, value in (("speed", speed), ("current", current)):
        if value is not None and not value > 0.0:
            raise PliantError("out of range", field=name, found=value, accepted="above 0")
    found = np.zeros((5, len(places.joints)))
    most = _strongest(leads)
    for j, (joint, unit) in enumerate(zip(places.joints, places.actuators, strict=True)):
        known = model.joint(joint)
        ends = known.range * places.gear[j] if model.jnt_limited[known.id] else (-np.inf, np.inf)
        own = unit.value("control.speed_limit") if "control.speed_limit" in unit.fields else FAST
        found[:3, j] = min(ends), max(ends), min(own, FAST) if speed is None else speed
        if not motor_numbers(unit):
            found[3, j] = 0.0 if current is None else current * _torque_of_ampere(unit)
            found[4, j] = certain_friction(unit, SHARE * most[j])
    return found


def holdable(joints: Sequence[str], poses: Floats, load: InverseLoad, leads: Leads) -> None:
    """Refuse poses (N, J) in turns of the actuators that a servo cannot hold.

    Raises:
        PliantError: joint, torque of its worst pose, and what its servo has.
    """
    rest = np.zeros(len(joints))
    needed = np.abs([load.torque(pose, rest, rest) for pose in poses]).max(axis=0)
    most = _strongest(leads)
    for j in map(int, np.flatnonzero((needed > most) & (most > 0.0))):
        raise PliantError(
            "its servo cannot hold it there, with the payload",
            field=f"joint {joints[j]}",
            found=f"{needed[j]:.3g} N m",
            accepted=f"up to {most[j]:.3g} N m",
        )


def _strongest(leads: Leads) -> Floats:
    """(J,) [N m] of the servos at rest; 0 of other actuators."""
    rest = np.zeros(leads.kept.shape[1])
    motor, _ = leads.answers(rest, rest + FARTHEST, rest)
    return np.abs(motor)


def _torque_of_ampere(unit: Actuator) -> float:
    """[N m] of the motor behind the gear for 1 A."""
    own = plain(unit)
    p = own["load_parameters"](unit.values.tolist(), 0)
    return 1.0 / own["current"](own["start"](0.0, p), 1.0, p)
