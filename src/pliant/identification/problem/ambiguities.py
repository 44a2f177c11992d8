"""Doubts known before there is a fit: numbers that its logs cannot separate, and motions that no log shows.

Fits that are equally good on logs without saturation predict stall torques that differ by half.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.posterior import FAR, Figures
from pliant.identification.problem.space import Space
from pliant.io.log import Log
from pliant.lower.law import plain

AGE = Doubt(
    "sample age",
    ("timing.delay",),
    "the age of a recorded position is not given: timing.delay holds it too",
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


EACH = 8
"""One sample in so many is examined."""
FULL = 0.98
"""Share of the torque at full command above which the command counts as at its limit."""
SLOW, FAST = 0.05, 0.5
"""Shares of the no-load speed below which a joint stands still, and above which it is fast."""
SEEN = 0.005
"""Share of the samples that counts as seen."""
MOVING = 0.02
"""Share of the no-load speed above which a joint moves, for its reversals."""


def unexcited(actuator: Actuator, logs: Sequence[Log]) -> Iterator[Doubt]:
    """Doubts about what these logs do not show of an actuator.

    Of one driven by a voltage all of them, of a drive that commands torque or current how much of it was
    asked for, of others none.

    Args:
        actuator: with the numbers that the fit begins at. logs: that are fitted.
    """
    if any(log.driven != "goal" for log in logs):
        return
    if _in_newton_metres(actuator) or "motor.R" not in actuator.fields:
        yield from _limit_unseen(actuator, logs)
    if "motor.R" not in actuator.fields:
        return
    voltage = actuator.value("own.voltage")
    free = Figures(actuator).of(
        actuator.values, Fact("no_load_speed", 1.0, "rad/s", "", voltage=voltage)
    )
    if not free > 0.0:
        return
    speeds = [_speed(log) for log in logs]
    full = [_at_full(actuator, log, speed) for log, speed in zip(logs, speeds, strict=True)]
    duty = np.concatenate(full)
    speed = np.concatenate([np.abs(one[::EACH]) for one in speeds])
    if float(np.mean(duty > FULL)) < SEEN:
        most = float(np.quantile(duty, 1.0 - SEEN))
        yield Doubt(
            "full duty",
            ("motor.k_t", "motor.R"),
            f"full command was not seen, {100 * most:.0f} % of its torque at most: stall torque and "
            "no-load speed are extrapolated",
        )
    elif float(np.mean((duty > FULL) & (speed < SLOW * free))) < SEEN:
        text = "standstill at full command was not seen: the stall torque is extrapolated"
        yield Doubt("standstill", ("motor.k_t", "motor.R"), text)
    top = float(np.quantile(speed, 1.0 - SEEN)) / free
    if top < FAST:
        text = f"no speed above {100 * top:.0f} % of the no-load speed was seen: it is extrapolated"
        yield Doubt("high speed", ("motor.k_t", "friction.K_v"), text)
    for load in _without_reversal(logs, speeds, MOVING * free):
        yield Doubt(
            "reversal", (), f"no reversal was seen at {load}: its friction is a guess there"
        )


def _in_newton_metres(actuator: Actuator) -> bool:
    """Whether its controller commands a torque, within a limit of that."""
    limit = actuator.numbers.get("control.limit")
    return limit is not None and limit.unit == "N m"


def _limit_unseen(actuator: Actuator, logs: Sequence[Log]) -> Iterator[Doubt]:
    """A heavier load reaches the limit where the fitted ones did not.

    A limit in N m is that of the drive. One in A is as often a convention: of it the torque is told.
    """
    if "control.limit" not in actuator.fields:
        return
    duty = np.concatenate([_at_full(actuator, log, _speed(log)) for log in logs])
    if float(np.mean(duty > FULL)) >= SEEN:
        return
    most = float(np.quantile(duty, 1.0 - SEEN))
    if _in_newton_metres(actuator):
        text = (
            f"the limit of torque was not seen, {100 * most:.0f} % of {actuator.value('control.limit'):g} N m "
            "was commanded at most: where the drive limits more, heavier loads are predicted wrongly"
        )
    else:
        asked = most * _torque_at_full(actuator)
        text = (
            f"the limit of torque was not seen, {asked:.3g} N m was commanded at most: what the motor "
            "gives beyond is not known, nor at which speed it ends"
        )
    yield Doubt("limit of torque", ("control.limit",), text)


def _torque_at_full(actuator: Actuator) -> float:
    """[N m] of the motor at standstill, at full command."""
    f = plain(actuator)
    p = f["load_parameters"](list(actuator.values), 0)
    return abs(float(f["torque"](f["start"](FAR, p), FAR, 0.0, 0.0, 0.0, f["voltage"](p), 1.0, p)))


def _speed(log: Log) -> Floats:
    """(N,) [rad/s] of the recorded position, over five samples: one is the encoder's step."""
    smooth = np.convolve(np.pad(log.position, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    return np.gradient(smooth, log.time)


def _at_full(actuator: Actuator, log: Log, speed: Floats) -> Floats:
    """Part of the torque at full command, for some samples of a log; 0 with the torque off.

    The command is that of a controller whose profile has arrived at the goal.
    """
    f = plain(actuator)
    numbers = actuator.values.copy()
    names = list(actuator.fields)
    if "control.kp" in names and log.gain > 0.0:
        numbers[names.index("control.kp")] = log.gain
    p = f["load_parameters"](list(numbers), 0)
    supply = log.supply or f["voltage"](p)
    found: list[float] = []
    for k in range(0, len(log.time), EACH):
        goal, q, v = float(log.goal[k]), float(log.position[k]), float(speed[k])
        if not log.enabled[k]:
            found.append(0.0)
            continue
        # At standstill, so that back-EMF does not hide how much was commanded.
        asked = f["torque"](f["start"](goal, p), goal, 0.0, q, 0.0, supply, 1.0, p)
        far = FAR if asked >= 0.0 else -FAR
        most = f["torque"](f["start"](far, p), far, 0.0, q, 0.0, supply, 1.0, p)
        found.append(abs(asked / most) if most and v == v else 0.0)
    return np.array(found)


def _without_reversal(logs: Sequence[Log], speeds: Sequence[Floats], moving: float) -> list[str]:
    """Loads at which the joint never turned round."""
    turned: dict[str, bool] = {}
    for log, speed in zip(logs, speeds, strict=True):
        signs = np.sign(speed[np.abs(speed) > moving])
        load = f"{log.mass:g} kg at {log.length:g} m"
        turned[load] = turned.get(load, False) or bool(np.any(np.diff(signs) != 0.0))
    return [load for load, seen in turned.items() if not seen]
