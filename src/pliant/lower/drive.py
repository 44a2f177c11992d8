"""One step of an engine for the actuator alone: its own sub-steps, and the mean torque.

Every engine that runs an actuator does it through this loop, so that the same actuator gives the
same motion everywhere. Warp asks for `float(…)` of an integer, and for `0.0 * h` where a loop
changes a number that begins as a constant.
"""

from math import ceil, sqrt
from typing import Any

topology: Any

PART = 0.2
"""A sub-step is at most this part of the stability limit 2 / omega (compliant_actuators: 2.6)."""
EXPLICIT = 1.0
"""Up to this (h omega)^2 of joint against spring the engine moves the joint, and loses no energy to
the step; beyond it, the actuator does in its own sub-steps."""
FINEST = 100
"""At most so many sub-steps."""
FARTHEST = 1e10
"""Largest command in any unit: mjMAXVAL, beyond which MuJoCo calls one bad. Up to it a law's own limits hold."""


def acting(command: float, otherwise: float) -> float:
    """The command, or `otherwise` for what is none: not finite, or beyond all numbers of MuJoCo."""
    return command if -FARTHEST <= command <= FARTHEST else otherwise


def substeps_for(h: float, fastest: float) -> int:
    """Sub-steps in a step of h [s] for an actuator whose fastest rate is `fastest` [rad/s]."""
    return int(max(1.0, ceil(h * fastest / (2.0 * PART))))


# So many arguments: those of `topology.step`, and compiled code takes numbers one by one.
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

    Within the step the joint moves on at speed v.
    """
    dt = h / float(substeps)
    tau = 0.0 * h
    for k in range(substeps):
        x = q + float(k) * dt * v
        s = topology.step(s, goal, preset, x, v, supply, on, p, dt)
        tau += topology.torque(s, goal, preset, x, v, supply, on, p)
    return s, tau / float(substeps)


def pace_along(s: Any, q: float, v: float, mobility: float, p: Any, h: float) -> float:
    """(h omega)^2 of the joint against its spring, where it is or will be, or h times its decay."""
    stiffness = max(abs(topology.reached(s, q, p)), abs(topology.reached(s, q + h * v, p)))
    return max(h * h * mobility * stiffness, h * mobility * topology.damping(p))


# So many arguments: those of `topology.step`, and compiled code takes numbers one by one.
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
    """As `drive`, where the spring is too stiff for the engine's step to move the joint.

    The joint moves in the sub-steps too, under the other torques on it [N m] and with its mobility
    [1/(kg m^2)]. Its speed behind the step is that of the last sub-step where the engine's step
    resolves the motion. Where it does not, the joint is damped critically against the spring's
    other end, and its speed is the mean of the sub-steps: with that the engine's semi-implicit step
    ends where they do, and no spring is too stiff. The torque is the one that gives this speed.
    Where the spring's other end slips, no spring is stretched further: the speed is the last one.
    Where joints with such springs move together, the mobility is that of their readiest motion:
    with mu, the joint's own as a part of it, a stiff step has determinant 1 - mu and trace
    2 (1 - mu), which is stable up to mu = 4/3.

    Choices stand in its lines, for targets that compute both sides; those compute this function
    where `drive` applies too, and then it has no sub-steps.
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


# So many arguments: those of `topology.step`, and compiled code takes numbers one by one.
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
    """`drive_along` where the spring is too stiff for the engine's step, otherwise `drive`."""
    pace = 0.0
    if topology.IS_ELASTIC and mobility > 0.0:
        pace = pace_along(s, q, v, mobility, p, h)
    tau = 0.0 * h
    if topology.IS_ELASTIC and pace > EXPLICIT:
        s, tau = drive_along(s, goal, preset, q, v, others, mobility, pace, supply, on, p, h)
    else:
        s, tau = drive(s, goal, preset, q, v, supply, on, p, h, substeps)
    return s, tau
