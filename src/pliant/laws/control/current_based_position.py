"""Position loop of a bus servo that commands a current loop (Dynamixel, operating mode 5).

    i_goal = clip(gain kp (goal - q) - derivative_gain v, +-limit),  limit: registers Goal Current, Current Limit
    di = (i_goal - i) dt / tau_s                           the current loop, a PI controller of the winding

Source: ROBOTIS e-manual, XL330-M288, operating mode and its block diagram: the position controller outputs
a goal current within Goal Current(102), which a current controller turns into a PWM. `gain` was measured on an
XL330: 2.525e-3 A per unit of kp and rad, derived (4096 / 2 pi) / (256 1000) (Rhoban/bam issue 14). There, P alone
oscillates; with a D gain it does not, and neither does mode 3 at the same P: the current loop removes the damping
by back-EMF that a duty has. A PI controller whose zero cancels the winding's pole makes the closed loop a
first-order lag, which is modeled here.

Left out: integral and feed-forward gains, profiles, the firmware's sampling. An XL330 reports the current of its
supply, not of the winding; an XC330 gives no torque below 16.5 mA (efunn/aow-bike-sim, docs/measurements).
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    gain: Annotated[float, "A/rad", (1e-6, 1e3)]  # output per unit of kp and error
    kp: Annotated[float, "1", (0.0, 1e5)]  # the register's proportional gain
    derivative_gain: Annotated[float, "A s/rad", (0.0, 1e3)]  # output per speed
    tau_s: Annotated[float, "s", (1e-5, 0.1)]  # time constant of the current loop
    limit: Annotated[float, "A", (1e-3, 1e3)]  # largest current


class S(NamedTuple):
    current: Annotated[float, "A"]  # current that the current loop has reached


GOAL = "rad"
COMMAND = "A"


def start(q: float, p: P) -> S:
    return S(0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    wanted = p.gain * p.kp * (goal - q) - p.derivative_gain * v
    asked = min(max(wanted, -p.limit), p.limit)
    share = min(h / p.tau_s, 1.0)
    return S((1.0 - share) * s.current + share * asked)


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return s.current
