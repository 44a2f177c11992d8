"""Limits of a robot's goals, its certain friction at rest, and checks before any goal is sent."""

from collections.abc import Sequence

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.hosts.leads import FARTHEST, Leads
from pliant.engines.spec.joints import takes_position
from pliant.errors import PliantError
from pliant.lower.law import parameters_of, plain
from pliant.robots.inverse_load import InverseLoad
from pliant.robots.joint_groups import JointPlaces
from pliant.robots.mode import motor_numbers

LOW = 0.1
"""Quantile of the friction budgets that is taken as certain."""
UNKNOWN = 0.5
"""Fraction taken as certain if a file does not state how well its friction is known."""
DRAWS = 64


def certain_friction(actuator: Actuator, load: float) -> float:
    """Fraction of the friction budget at rest, 0 to 1, that nine in ten of the allowed sets reach.

    The sets are those that the file carries, or else draws from its standard deviations.

    Args:
        load: torque [N m] on the gear; tried with either sign, and without it.
    """
    own = plain(actuator)
    sets = allowed_numbers(actuator)
    if len(sets) < 2:
        return UNKNOWN
    part = 1.0
    for tau in (-load, 0.0, load):
        budgets = [
            own["budget"](0.0, tau, -tau, own["load_parameters"](row.tolist(), 0))
            for row in (actuator.values, *sets)
        ]
        if budgets[0] > 0.0:
            part = min(part, float(np.quantile(budgets[1:], LOW)) / budgets[0])
    return part


def allowed_numbers(actuator: Actuator, seed: int = 1) -> Floats:
    """(K, P) parameter sets that its file allows; only its own numbers if the file states no uncertainty."""
    names, ensemble = list(actuator.fields), actuator.ensemble
    if ensemble is not None:
        rows = np.tile(actuator.values, (len(ensemble.values), 1))
        for name, column in ensemble.columns(names).items():
            rows[:, names.index(name)] = column
        return rows
    numbers, ranges = [actuator.numbers[name] for name in names], actuator.fields.values()
    std = np.array([number.std or 0.0 for number in numbers])
    if not std.any():
        return actuator.values[None]
    pairs = list(zip(numbers, ranges, strict=True))
    low = [field.low if number.low is None else number.low for number, field in pairs]
    high = [field.high if number.high is None else number.high for number, field in pairs]
    drawn = np.random.default_rng(seed).normal(actuator.values, std, (DRAWS, len(std)))
    return np.where(std > 0.0, np.clip(drawn, low, high), actuator.values)


FAST = 10.0
"""[rad/s] Speed limit of a goal if the firmware has none."""
SHARE = 0.25
"""Fraction of a servo's torque as the load for which the certainty of its friction is evaluated."""


def position_told(actuator: Actuator) -> None:
    """Refuse an actuator that does not take a position."""
    control = next((law for port, law in actuator.laws.items() if port.startswith("control")), None)
    if control is None or not takes_position(actuator):
        raise PliantError(
            f"{actuator.name} does not take a position",
            field="actuator",
            found=f"control {control.name}" if control else f"topology {actuator.topology.name}",
            accepted="a servo, such as sts3215_so101, or a compliant actuator in mode 2, 3, 5 or 6",
        )


def goal_limits(
    model: mujoco.MjModel,
    places: JointPlaces,
    leads: Leads,
    speed: float | None,
    current: float | None,
) -> Floats:
    """(5, J) as `Leads.limits`: the joints' ranges, the firmware's speed or `speed`, `current` as a torque."""
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
    """Refuse poses (N, J) in turns of the actuators that a servo cannot hold."""
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
    p = parameters_of(unit)
    return 1.0 / own["current"](own["start"](0.0, p), 1.0, p)
