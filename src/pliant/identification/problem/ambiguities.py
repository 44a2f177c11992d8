"""Parameters that no fit to these logs can separate, known before there is one."""

from collections.abc import Iterator, Sequence

from pliant.assemble import Actuator
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.excitation import unexcited
from pliant.identification.problem.space import Space
from pliant.io.log import Log

AGE = Doubt(
    "sample age",
    ("timing.delay",),
    "the age of a recorded position is not given (--reading sample_age=...): timing.delay holds it too",
)


def ambiguities(
    actuator: Actuator, space: Space, logs: Sequence[Log], sample_age: float = 0.0
) -> Iterator[Doubt]:
    """Parameters that the motion of `logs` shows only together, or not at all.

    Args:
        actuator: the laws. space: what is searched. logs: to fit. sample_age: [s] as given.
    """
    searched = frozenset(space.names)
    loads = {(log.mass, log.length) for log in logs}
    if len(loads) == 1:
        mass, length = next(iter(loads))
        yield Doubt(
            "one load",
            ("motor.k_t",),
            f"one mass at one length ({mass:g} kg, {length:g} m): torque constant and "
            "load-dependent friction cannot be separated",
        )
    torque = sorted(searched & {"motor.k_t", "motor.R"})
    by_voltage = "motor" in actuator.laws and actuator.laws["motor"].name == "dc_voltage"
    always_on = all(bool(log.enabled.all()) for log in logs)
    if torque and by_voltage and "friction.K_v" in searched and always_on:
        yield Doubt(
            "brake alike",
            (*torque, "friction.K_v"),
            "the torque was never off: back-EMF (k_t^2 / R) and viscous friction brake alike, and "
            "only their sum is known",
        )
    if torque and "control.gain" in searched:
        yield Doubt(
            "scale alike",
            ("control.gain", torque[0]),
            f"control.gain and {torque[0]} scale the torque alike: they can be separated only where "
            "the command is at its limit",
        )
    if len({log.gain for log in logs}) == 1 and "control.kp" in actuator.fields:
        text = f"one gain ({logs[0].gain:g}): what the joint does at another is not judged"
        yield Doubt("one gain", (), text)
    yield from unexcited(actuator, logs)
    if "timing.delay" in searched and sample_age == 0.0:
        yield AGE
