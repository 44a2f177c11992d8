"""One step of an engine for the actuator alone: its own sub-steps, and the mean torque.

Every engine that runs an actuator does it through this loop, so that the same actuator gives the
same motion everywhere.
"""

from typing import Any

topology: Any


def drive(
    s: Any, goal: float, preset: float, q: float, v: float, supply: float, on: float, p: Any,
    h: float, substeps: int,
) -> tuple[Any, float]:  # fmt: skip
    """State after h [s] and the actuator's mean torque [N m] on the joint, without friction.

    Within the step the joint moves on at speed v.
    """
    dt = h / substeps
    tau = 0.0
    for k in range(substeps):
        x = q + k * dt * v
        s = topology.step(s, goal, preset, x, v, supply, on, p, dt)
        tau += topology.torque(s, goal, preset, x, v, supply, on, p)
    return s, tau / substeps


def drive_along(
    s: Any, goal: float, preset: float, q: float, v: float, others: float, mobility: float,
    supply: float, on: float, p: Any, h: float, substeps: int,
) -> tuple[Any, float]:  # fmt: skip
    """As `drive`, where the spring is too stiff for the engine's step to move the joint.

    The joint moves in the sub-steps too, under the other torques on it [N m] and with its mobility
    [1/(kg m^2)]. The torque is the one that takes the engine's semi-implicit step to where that
    ends: the position is right, the speed the mean of the step. No spring is then too stiff.
    """
    dt = h / substeps
    x = q
    w = v
    for _ in range(substeps):
        s = topology.step(s, goal, preset, x, w, supply, on, p, dt)
        w += dt * mobility * (topology.torque(s, goal, preset, x, w, supply, on, p) + others)
        x += dt * w
    return s, ((x - q) / h - v) / (h * mobility) - others
