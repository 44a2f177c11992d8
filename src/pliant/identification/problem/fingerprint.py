"""Digests of what decides how a fit goes."""

import numpy as np

from pliant.assemble import Actuator
from pliant.identification.problem.simulation import AnyLog
from pliant.identification.search.checkpoint import digest
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog


def actuator_digest(actuator: Actuator) -> str:
    """Digest of its file and of the source of its laws: the file only names a law of one's own."""
    laws = [part.path.read_bytes() for part in (actuator.topology, *actuator.laws.values())]
    return digest(actuator_text(actuator).encode(), *laws)


def contents_digest(log: AnyLog) -> str:
    """Digest of all that a fit sees of a log: a repair, or a constant given, changes it.

    Raises:
        TypeError: it is no log of a joint or a robot.
    """
    match log:
        case RobotLog():
            given = repr(log.joints)
            given += "" if log.supply_ratio == 1.0 else f" {log.supply_ratio!r}"
            given += (
                f" {[log.warmth(j) for j in log.joints]}" if "temperature" in log.others else ""
            )
            channels = (log.speed, log.supply)
        case Log():
            given = f"{log.mass!r} {log.length!r} {log.arm_mass!r} {log.gain!r} {log.supply!r}"
            for more in (log.zero, log.derivative_gain, log.warmth):
                given += "" if more is None else f" {more!r}"
            channels = (log.voltage, log.velocity, log.torque)
        case _:
            raise TypeError(type(log))
    known = [log.time, log.position, log.goal, log.enabled.astype(float)]
    known += [channel for channel in channels if channel is not None]
    return digest(given.encode(), *(np.ascontiguousarray(part).tobytes() for part in known))
