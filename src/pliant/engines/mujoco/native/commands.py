"""Commands of a plugin actuator, for native callbacks: the delayed first and the second command.

`<plugin … delay="0.005" nsample="4"/>` makes MuJoCo keep the last commands of the actuator
in `mjData.history`, but `mjData.ctrl`, which a plugin reads, stays undelayed. MuJoCo's own
`mj_readCtrl` changed its signature between 3.11 and 3.17, so the buffer is read here. Its
layout is the same in all versions: user value, cursor of the newest sample, `nsample`
times in ring order, `nsample` values. `mj_resetData` fills it with zeros, and it is part of
`mjSTATE_FULLPHYSICS`, of copies, `rollout` and `Batch`.

The actuator of the second command is recognised by its form and its joint, so it is found at any place: actuators
may have been added or deleted after `attach`, and models merged.
"""

from math import nan

from pliant.engines.mujoco.native.structs import MjData, MjModel
from pliant.engines.spec.slots import FORM, SECOND_FORM


def delayed_command(model: MjModel, data: MjData, actuator: int, delay: float) -> float:
    """The first control of `actuator` as it was `delay` seconds ago.

    Between samples it is what `interp` says: 0 holds the older one, otherwise linear. A
    delay of a fraction of a step thus counts. Unlike `mj_readCtrl`, the present command is
    a sample too, so that delays below one step work.

    Left out: cubic interpolation (treated as linear); delays longer than
    (nsample - 1) timesteps give the oldest sample; the model's own `actuator_delay`, which
    only makes MuJoCo keep the history.
    """
    present = data.ctrl[model.actuator_ctrladr[actuator]]
    count = model.actuator_history[actuator, 0]
    return present if delay <= 0.0 or count <= 0 else _kept(model, data, actuator, delay, present)


def lost_history(model: MjModel, actuator: int) -> bool:
    """Whether the history that the model says it keeps would lie outside its buffer."""
    count = model.actuator_history[actuator, 0]
    start = model.actuator_historyadr[actuator]
    return count > 0 and (start < 0 or start + 2 + 2 * count > model.nhistory)


def _kept(model: MjModel, data: MjData, actuator: int, delay: float, present: float) -> float:
    """The command that the history, which MuJoCo keeps, has for `delay` seconds ago."""
    if lost_history(model, actuator):
        return nan
    count = model.actuator_history[actuator, 0]
    linear = model.actuator_history[actuator, 1] != 0
    buffer = data.history[model.actuator_historyadr[actuator] :]
    newest = int(buffer[1])
    wanted = data.time - delay + 1e-10  # a sample due by rounding counts
    later_time, later = data.time, present
    for back in range(count):
        slot = (newest - back + count) % count
        time, value = buffer[2 + slot], buffer[2 + count + slot]
        if time <= wanted:
            if not linear or later_time <= time:
                return value
            part = max(wanted - 2e-10 - time, 0.0) / (later_time - time)
            return value + (later - value) * part
        later_time, later = time, value
    return later


NO_SECOND = -1


def second_command(model: MjModel, actuator: int, behind: float) -> int:
    """The actuator of the second command of `actuator`, or `NO_SECOND`.

    The search begins `behind` places after it, where `attach` put it, and ends there as a rule.
    """
    guess = actuator + behind
    if 0.0 <= guess < model.nactuator and _is_second(model, actuator, int(guess)):
        return int(guess)
    return _sought(model, actuator)


def _sought(model: MjModel, actuator: int) -> int:
    for other in range(model.nactuator):
        if _is_second(model, actuator, other):
            return other
    return NO_SECOND


def _is_second(model: MjModel, actuator: int, other: int) -> bool:
    return (
        model.actuator_dynprm[other, FORM] == SECOND_FORM
        and model.actuator_trnid[other, 0] == model.actuator_trnid[actuator, 0]
        and model.actuator_trntype[other] == model.actuator_trntype[actuator]
        and model.actuator_plugin[other] < 0
    )
