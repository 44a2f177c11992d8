"""One step of an engine for the actuator alone: its own sub-steps, and the mean torque.

Every engine runs an actuator through this loop, so that the same actuator gives the same motion
everywhere. Warp requires `float(…)` of an integer, and `0.0 * h` for a number that a loop changes
and that begins as a constant.
"""

from math import ceil, sqrt
from typing import Any

topology: Any

PART = 0.2
"""Largest sub-step as a fraction of the stability limit 2 / omega (compliant_actuators: 2.6)."""
EXPLICIT = 1.0
"""Largest (h omega)^2 of joint against spring with which the engine moves the joint, without loss of energy to
the step; above it, the actuator moves it in its own sub-steps."""
FINEST = 100
"""Largest number of sub-steps."""
FARTHEST = 1e10
"""Largest command in any unit: mjMAXVAL, above which MuJoCo rejects it. Below, a law's own limits apply."""


def acting(command: float, otherwise: float) -> float:
    """The command, or `otherwise` if it is not finite or exceeds MuJoCo's largest number."""
    return command if -FARTHEST <= command <= FARTHEST else otherwise


def substeps_for(h: float, fastest: float) -> int:
    """Sub-steps in a step of h [s] for an actuator whose fastest rate is `fastest` [rad/s]."""
    return int(max(1.0, ceil(h * fastest / (2.0 * PART))))


# Many arguments: those of `topology.step`, as compiled code takes numbers one by one.
def drive(
    s: Any,
    goal: float,
    preset: float,
    q: float,
    v: float,
    supply: float,
    on: float,
    p: Any,
    h: float,
    substeps: int,
) -> tuple[Any, float]:
    """State after h [s] and the actuator's mean torque [N m] on the joint, without friction.

    Within the step the joint keeps moving at speed v.
    """
    dt = h / float(substeps)
    tau = 0.0 * h
    for k in range(substeps):
        x = q + float(k) * dt * v
        s = topology.step(s, goal, preset, x, v, supply, on, p, dt)
        tau += topology.torque(s, goal, preset, x, v, supply, on, p)
    return s, tau / float(substeps)


def pace_along(s: Any, q: float, v: float, mobility: float, p: Any, h: float) -> float:
    """(h omega)^2 of the joint against its spring, now or within the step, or h times its decay rate if larger."""
    stiffness = max(abs(topology.reached(s, q, p)), abs(topology.reached(s, q + h * v, p)))
    return max(h * h * mobility * stiffness, h * mobility * topology.damping(p))


# Many arguments: those of `topology.step`, as compiled code takes numbers one by one.
def drive_along(
    s: Any,
    goal: float,
    preset: float,
    q: float,
    v: float,
    others: float,
    mobility: float,
    pace: float,
    supply: float,
    on: float,
    p: Any,
    h: float,
) -> tuple[Any, float]:
    """Like `drive`, for springs too stiff for the engine's step to move the joint.

    The joint moves in the sub-steps too, under the other torques on it [N m] and with its mobility
    [1/(kg m^2)]. If the engine's step resolves the motion, its speed after the step is that of the
    last sub-step. If not, the joint is critically damped against the spring's other end, and its
    speed is the mean over the sub-steps: with that, the engine's semi-implicit step ends where they
    do, and no spring is too stiff. The torque is the one that gives this speed. If the spring's
    other end slips, the spring is stretched no further: the speed is that of the last sub-step. If
    joints with such springs move together, the mobility is that of their most mobile combination:
    with mu, the joint's own as a fraction of it, a stiff step has determinant 1 - mu and trace
    2 (1 - mu), which is stable up to mu = 4/3.

    It uses inline conditionals, for targets that compute both sides; those compute this function even
    if `drive` applies, and then it has no sub-steps.
    """
    fastest = h * topology.fastest(p)
    along = max(sqrt(pace), h * mobility * topology.damping(p))
    finest = min(ceil(sqrt(fastest * fastest + along * along) / (2.0 * PART)), float(FINEST))
    substeps = int(finest) if pace > EXPLICIT else 0
    resolved = 1.0 / (1.0 + 0.25 * pace * pace)
    decay = (1.0 - resolved) * 2.0 * sqrt(pace) / h
    dt = h / finest
    x = float(q)
    w = float(v)
    for _ in range(substeps):
        s = topology.step(s, goal, preset, x, w, supply, on, p, dt)
        pull = topology.torque(s, goal, preset, x, w, supply, on, p)
        most = topology.most(s, w, p)
        braked = 0.0 if topology.slips(s) > 0.0 else decay * (w - topology.carried(s))
        braked = min(max(braked, mobility * (pull - most)), mobility * (pull + most))
        w += dt * (mobility * (pull + others) - braked)
        x += dt * w
    resolved = 1.0 if topology.slips(s) > 0.0 else resolved
    speed = resolved * w + (1.0 - resolved) * (x - q) / h
    most = topology.most(s, w, p)
    return s, min(max((speed - v) / (h * mobility) - others, -most), most)


# Many arguments: those of `topology.step`, as compiled code takes numbers one by one.
def drive_either(
    s: Any,
    goal: float,
    preset: float,
    q: float,
    v: float,
    others: float,
    mobility: float,
    supply: float,
    on: float,
    p: Any,
    h: float,
    substeps: int,
) -> tuple[Any, float]:
    """`drive_along` if the spring is too stiff for the engine's step, otherwise `drive`."""
    pace = 0.0
    if topology.IS_ELASTIC and mobility > 0.0:
        pace = pace_along(s, q, v, mobility, p, h)
    tau = 0.0 * h
    if topology.IS_ELASTIC and pace > EXPLICIT:
        s, tau = drive_along(s, goal, preset, q, v, others, mobility, pace, supply, on, p, h)
    else:
        s, tau = drive(s, goal, preset, q, v, supply, on, p, h, substeps)
    return s, tau
