"""Simulation of a joint under given commands: the whole motion, including motors and spring.

joint = JointEngine(pliant.load_actuator("qbmove_advanced"), plant="inertia")
trace = simulate(joint, time, equilibrium, preset, changes={"plant.inertia": 0.004})
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.engines.joint.engine import Floats, JointEngine
from pliant.engines.joint.interrupt import Stop, finished
from pliant.errors import PliantError
from pliant.lower.drive import FARTHEST


@dataclass(frozen=True, eq=False)
class Trace:
    """One joint at N instants, each before the step that begins there."""

    time: Floats
    """(N,) [s]"""
    position: Floats
    """(N,) of the link [rad]"""
    velocity: Floats
    """(N,) of the link [rad/s]"""
    state: Mapping[str, Floats]
    """(N,) each: the actuator's state by name, `rotor_1.theta` [rad] for one."""
    torque: Floats
    """(N,) of the actuator on the link [N m], friction not counted."""
    elastic_torque_1: Floats
    """(N,) dV/dth_1 [N m], which motor 1 resists."""
    elastic_torque_2: Floats
    """(N,) dV/dth_2, of a second motor or a stiffness adjuster."""
    stiffness: Floats
    """(N,) d2V/dq2 with the motors held [N m/rad]; the true derivative, 0 beyond a limit."""
    energy: Floats
    """(N,) of the springs [J]."""
    steps: int
    """Integration steps taken."""


# So many arguments: the recording and the conditions of one run, all but three by name.
def simulate(
    engine: JointEngine,
    time: ArrayLike,
    reference_1: ArrayLike,
    reference_2: ArrayLike = 0.0,
    *,
    torque: ArrayLike = 0.0,
    start: tuple[float, float] = (0.0, 0.0),
    changes: Mapping[str, float] | None = None,
) -> Trace:
    """Run `engine`'s actuator and plant from rest, motors at the link.

    Args:
        engine: the actuator on its plant; its settings give the longest step.
        time: (N,) increasing [s].
        reference_1, reference_2: (N,) or one number each: the commands, as the device takes them.
        torque: (N,) or one number, on the link from outside [N m].
        start: angle [rad] and speed [rad/s] of the link.
        changes: parameters by name, `plant.inertia` [kg m^2] for one.

    Raises:
        PliantError: times do not increase, or an array has another length.
    """
    t = np.ascontiguousarray(time, dtype=np.float64)
    if t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise PliantError("times do not increase", field="time", accepted="(N,) [s], N ≥ 2")
    given = {"reference_1": reference_1, "reference_2": reference_2, "torque": torque}
    arrays = [_along(t, name, values) for name, values in given.items()]
    names = engine.actuator.state
    motion, states, elastic = (np.full((len(t), n), np.nan) for n in (2, len(names), 5))

    loop = engine.loop("trace")

    def run(stop: Stop) -> int:
        return loop(
            t,
            *arrays,
            *start,
            engine.values(changes),
            engine.settings.max_step,
            stop,
            motion,
            states,
            elastic,
        )

    (steps,) = finished([run], (t[-1] - t[0]) / engine.settings.max_step)
    return Trace(
        t,
        motion[:, 0],
        motion[:, 1],
        dict(zip(names, states.T, strict=True)),
        elastic[:, 0],
        elastic[:, 1],
        elastic[:, 2],
        elastic[:, 3],
        elastic[:, 4],
        steps,
    )


def _along(time: Floats, name: str, values: ArrayLike) -> Floats:
    given = np.asarray(values, dtype=np.float64)
    if given.shape not in ((), time.shape) or not (np.abs(given) <= FARTHEST).all():
        raise PliantError(
            f"must be one number for each instant, of at most {FARTHEST:g}",
            field=name,
            found=f"shape {given.shape}, up to {np.max(np.abs(given), initial=0.0):g}",
            accepted=f"({len(time)},) or a number",
        )
    return np.ascontiguousarray(np.broadcast_to(given, time.shape))
