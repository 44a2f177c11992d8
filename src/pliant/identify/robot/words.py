"""What motions of a robot leave open, in words."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.identify.problem.space import Space
from pliant.identify.robot.space import MASS
from pliant.io.robot_log import RobotLog

STROKE = 0.3
"""[rad] A joint that moves less says little of its friction."""
SCALES = ("motor.k_t", "motor.R", "control.gain", "motor.scale")
"""Numbers that scale a joint's torque."""


def words_of(
    actuators: Mapping[str, Actuator], space: Space, values: Floats, logs: Sequence[RobotLog]
) -> Iterator[str]:
    """What cannot be told from `logs`, or was not.

    Args:
        actuators: joint to actuator. space, values: what was searched, and (D,) found.
        logs: those that were fitted.
    """
    yield from space.at_bounds(values)
    yield from _masses(actuators, space)
    for joint, actuator in actuators.items():
        searched = {n.removeprefix(f"{joint}.") for n in space.names if n.startswith(f"{joint}.")}
        stroke = max(float(np.ptp(log.position[:, log.column(joint)])) for log in logs)
        if stroke < STROKE and any(name.startswith("friction.") for name in searched):
            yield (
                f"{joint} moves by {stroke:.2g} rad at most: what its friction is at other "
                "speeds cannot be told"
            )
        always = all(log.enabled[:, log.column(joint)].all() for log in logs)
        voltage = actuator.laws["motor"].name == "dc_voltage"
        if always and voltage and {"friction.K_v", "motor.R"} <= searched:
            yield (
                f"{joint}: the torque was never off, and back-EMF (k_t^2 / R) and viscous "
                "friction brake alike: only their sum is known"
            )


def _masses(actuators: Mapping[str, Actuator], space: Space) -> Iterator[str]:
    """Torque and mass: motion knows only their ratio."""
    free = [n for n in space.names if n.split(".", 1)[-1] in SCALES]
    fitted = [name.removeprefix(MASS) for name in space.names if name.startswith(MASS)]
    if not free:
        return
    if not fitted:
        yield (
            "the model's masses are taken as they are: if all of them are wrong by a factor, "
            "torque, friction and rotor inertia are wrong by the same, and no motion shows it"
        )
        return
    listed = ", ".join(fitted)
    yield (
        f"the factor of mass ({listed}) is known only against the masses that are held; with "
        f"{free[0]} and friction free it is barely known where gravity on that body is most of "
        "the load: weigh it instead"
    )
