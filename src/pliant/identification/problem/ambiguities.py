"""Doubts known before a fit: parameters that its logs cannot separate, and motions that no log contains.

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
    "the age of recorded positions is not given: timing.delay absorbs it",
)


def ambiguities(
    actuator: Actuator, space: Space, logs: Sequence[Log], sample_age: float = 0.0
) -> Iterator[Doubt]:
    """Parameters of which `logs` determine only a combination, or nothing.

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
            "the torque was never off: back-EMF (k_t^2 / R) and viscous friction have the same effect, "
            "and only their sum is known",
        )
    if torque and "control.gain" in searched:
        yield Doubt(
            "scale alike",
            ("control.gain", torque[0]),
            f"control.gain and {torque[0]} both scale the torque: they can be separated only where "
            "the command is at its limit",
        )
    if len({log.gain for log in logs}) == 1 and "control.kp" in actuator.fields:
        text = f"one gain ({logs[0].gain:g}): how the joint behaves at another is not tested"
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
"""Share of the samples from which a condition counts as seen."""
MOVING = 0.02
"""Share of the no-load speed above which a joint counts as moving, to detect reversals."""


def unexcited(actuator: Actuator, logs: Sequence[Log]) -> Iterator[Doubt]:
    """Doubts about operating conditions of an actuator that these logs do not cover.

    All of them for an actuator driven by voltage; only the largest torque for a drive that commands
    torque or current; none for others.

    Args:
        actuator: with the starting values of the fit. logs: that are fitted.
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
            f"full command was not reached, at most {100 * most:.0f} % of its torque: stall torque and "
            "no-load speed are extrapolated",
        )
    elif float(np.mean((duty > FULL) & (speed < SLOW * free))) < SEEN:
        text = "the logs have no standstill at full command: the stall torque is extrapolated"
        yield Doubt("standstill", ("motor.k_t", "motor.R"), text)
    top = float(np.quantile(speed, 1.0 - SEEN)) / free
    if top < FAST:
        text = f"speeds reach only {100 * top:.0f} % of the no-load speed, which is extrapolated"
        yield Doubt("high speed", ("motor.k_t", "friction.K_v"), text)
    for load in _without_reversal(logs, speeds, MOVING * free):
        yield Doubt(
            "reversal", (), f"the joint never reversed with {load}: its friction there is a guess"
        )


def _in_newton_metres(actuator: Actuator) -> bool:
    """Whether its controller commands a torque and limits it in N m."""
    limit = actuator.numbers.get("control.limit")
    return limit is not None and limit.unit == "N m"


def _limit_unseen(actuator: Actuator, logs: Sequence[Log]) -> Iterator[Doubt]:
    """Doubt about the torque limit, which a heavier load may reach though the fitted ones did not.

    A limit in N m is that of the drive. One in A is often a convention: only the torque is reported for it.
    """
    if "control.limit" not in actuator.fields:
        return
    duty = np.concatenate([_at_full(actuator, log, _speed(log)) for log in logs])
    if float(np.mean(duty > FULL)) >= SEEN:
        return
    most = float(np.quantile(duty, 1.0 - SEEN))
    if _in_newton_metres(actuator):
        text = (
            f"the torque limit was not reached, at most {100 * most:.0f} % of {actuator.value('control.limit'):g} N m "
            "was commanded: if the drive's limit is lower, heavier loads are predicted wrongly"
        )
    else:
        asked = most * _torque_at_full(actuator)
        text = (
            f"the torque limit was not reached, at most {asked:.3g} N m was commanded: the motor's larger "
            "torques are not known, nor the speed at which they end"
        )
    yield Doubt("limit of torque", ("control.limit",), text)


def _torque_at_full(actuator: Actuator) -> float:
    """[N m] Torque of the motor at standstill, at full command."""
    f = plain(actuator)
    p = f["load_parameters"](list(actuator.values), 0)
    return abs(float(f["torque"](f["start"](FAR, p), FAR, 0.0, 0.0, 0.0, f["voltage"](p), 1.0, p)))


def _speed(log: Log) -> Floats:
    """(N,) [rad/s] Speed of the recorded position, over five samples: over one it shows encoder steps."""
    smooth = np.convolve(np.pad(log.position, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    return np.gradient(smooth, log.time)


def _at_full(actuator: Actuator, log: Log, speed: Floats) -> Floats:
    """Commanded torque as a fraction of that at full command, for some samples of a log; 0 with torque off.

    The controller is taken as if its profile had reached the goal.
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
        # At standstill, so that back-EMF does not reduce the commanded torque.
        asked = f["torque"](f["start"](goal, p), goal, 0.0, q, 0.0, supply, 1.0, p)
        far = FAR if asked >= 0.0 else -FAR
        most = f["torque"](f["start"](far, p), far, 0.0, q, 0.0, supply, 1.0, p)
        found.append(abs(asked / most) if most and v == v else 0.0)
    return np.array(found)


def _without_reversal(logs: Sequence[Log], speeds: Sequence[Floats], moving: float) -> list[str]:
    """Loads with which the joint never reversed."""
    turned: dict[str, bool] = {}
    for log, speed in zip(logs, speeds, strict=True):
        signs = np.sign(speed[np.abs(speed) > moving])
        load = f"{log.mass:g} kg at {log.length:g} m"
        turned[load] = turned.get(load, False) or bool(np.any(np.diff(signs) != 0.0))
    return [load for load, seen in turned.items() if not seen]
