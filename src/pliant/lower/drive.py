"""One step of an engine for the actuator alone: its own sub-steps, and the mean torque.

Every engine that runs an actuator does it through this loop, so that the same actuator gives the
same motion everywhere. The joint is taken to move on at its present speed within the step.
"""

from typing import Any

topology: Any


def drive(
    s: Any, goal: float, q: float, v: float, supply: float, on: float, p: Any, h: float,
    substeps: int,
) -> tuple[Any, float]:  # fmt: skip
    """State after h [s] and the actuator's mean torque [N m] on the joint, without friction."""
    dt = h / substeps
    tau = 0.0
    for k in range(substeps):
        x = q + k * dt * v
        s = topology.step(s, goal, x, v, supply, on, p, dt)
        tau += topology.torque(s, goal, x, v, supply, on, p)
    return s, tau / substeps
