"""Parameters that motions of a robot cannot separate, known before the fit."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pliant.assemble import Actuator
from pliant.identification.problem.ambiguities import AGE
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.space import Space
from pliant.identification.robot.space import DELAY, MASS
from pliant.io.robot_log import RobotLog

STROKE = 0.3
"""[rad] A joint that moves less says little of its friction."""
SCALES = ("motor.k_t", "motor.R", "control.gain", "motor.scale")
"""Numbers that scale a joint's torque."""


def ambiguities(
    actuators: Mapping[str, Actuator], space: Space, logs: Sequence[RobotLog], sample_age: float
) -> Iterator[Doubt]:
    """Parameters that `logs` show only together, or hardly.

    Args:
        actuators: joint to actuator. space: what is searched. logs: to fit.
        sample_age: [s] as given.
    """
    yield from _masses(space)
    for joint, actuator in actuators.items():
        yield from _of_joint(joint, actuator, space, logs)
    delays = tuple(name for name in space.names if name.endswith(f".{DELAY}"))
    if delays and sample_age == 0.0:
        yield Doubt("sample age", delays, AGE.text.replace(DELAY, ", ".join(delays)))


def _of_joint(
    joint: str, actuator: Actuator, space: Space, logs: Sequence[RobotLog]
) -> Iterator[Doubt]:
    searched = [n.removeprefix(f"{joint}.") for n in space.names if n.startswith(f"{joint}.")]
    commands = np.concatenate([np.diff(log.goal[:, log.column(joint)]) for log in logs])
    if DELAY in searched and not commands.any():
        yield Doubt(
            "constant command",
            (f"{joint}.{DELAY}",),
            f"{joint}: its command never changes in these logs, which say nothing of {DELAY}",
        )
    friction = tuple(f"{joint}.{name}" for name in searched if name.startswith("friction."))
    stroke = max(float(np.ptp(log.position[:, log.column(joint)])) for log in logs)
    if stroke < STROKE and friction:
        yield Doubt(
            "short stroke",
            friction,
            f"{joint} moves by {stroke:.2g} rad at most: its friction at other speeds is not known",
        )
    always = all(log.enabled[:, log.column(joint)].all() for log in logs)
    voltage = "motor" in actuator.laws and actuator.laws["motor"].name == "dc_voltage"
    if always and voltage and {"friction.K_v", "motor.R"} <= set(searched):
        yield Doubt(
            "brake alike",
            (f"{joint}.motor.R", f"{joint}.friction.K_v"),
            f"{joint}: the torque was never off, and back-EMF (k_t^2 / R) and viscous friction "
            "brake alike: only their sum is known",
        )


def _masses(space: Space) -> Iterator[Doubt]:
    """Torque and mass: motion knows only their ratio."""
    free = tuple(n for n in space.names if n.split(".", 1)[-1] in SCALES)
    fitted = tuple(name for name in space.names if name.startswith(MASS))
    if not free:
        return
    if not fitted:
        yield Doubt(
            "masses",
            free,
            "the model's masses are taken as they are: if all of them are wrong by a factor, "
            "torque, friction and rotor inertia are wrong by the same, and no motion shows it",
        )
        return
    listed = ", ".join(name.removeprefix(MASS) for name in fitted)
    yield Doubt(
        "masses",
        (*fitted, *free),
        f"the factor of mass ({listed}) is known only against the masses that are held; with "
        f"{free[0]} and friction free it is barely known where gravity on that body is most of "
        "the load: weigh it instead",
    )
