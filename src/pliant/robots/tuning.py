"""Tune gains, profile and limits of a robot's servos on a grid around their files' values, by the rule of `chosen`.

    trials = ServoTrials("robot.toml")
    trials.follow(time, positions)
    tuning = tune(trials)
    tuning.values("elbow")              # {"control.kp": 32.0, ...}

1. every candidate is tried on all joints at once, over all draws
2. each joint takes its own best candidate
3. these are tried together; a joint that is then worse than with its file's numbers reverts to them
4. the limit of duty, current or torque is lowered as far as that changes nothing
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.assemble.actuator import PROPORTIONAL
from pliant.errors import PliantError
from pliant.robots.servo_trials import COUNT, CYCLING, NEAR, Measured, ServoTrials

P = (1.0, 0.5, 0.5**0.5, 2.0**0.5, 2.0, 2.0**1.5, 4.0)
D, PROFILE = (1.0, 2.0, 4.0), (1.0, 0.5)
"""Factors of the file's numbers; the first candidate is the file itself."""
LIMIT, SLOWER = (0.71, 0.5), 1.01
"""Factors tried on the limit; and the ratio of distance after a step, or of motion error, that counts as the same."""
DERIVATIVE, LIMITED = ("derivative_gain", "kd", "k_d"), ("acceleration_limit", "speed_limit")
ENDLESS = 1e3
"""Value from which a profile limit counts as unlimited."""
SAME = 0.5 * COUNT
"""[rad] Largest excess over the file's figures that counts as no worse."""
Factors = tuple[float, float, float]
"""Factors of P, D and profile."""


@dataclass(frozen=True)
class Tuned:
    """Parameters of a servo that are tuned: P, and, if it has them, D, a profile limit and an output limit."""

    names: tuple[str, str | None, str | None, str | None]
    whole: bool
    """The P-gain is a register's count"""

    def factors(
        self, actuator: Actuator, candidate: Factors, limit: float = 1.0
    ) -> dict[str, float]:
        """Parameter to its factor, within the law's range; P as a whole count where it is one."""
        found: dict[str, float] = {}
        for name, factor in zip(self.names, (*candidate, limit), strict=True):
            if name is not None and factor != 1.0:
                own, field = actuator.value(name), actuator.fields[name]
                value = own * factor
                if self.whole and name == self.names[0]:
                    value = max(round(value), 1)
                found[name] = min(max(value, field.low), field.high) / own
        return found


def tuned(joint: str, actuator: Actuator) -> Tuned:
    """Parameters of a servo's firmware that can be tuned.

    Raises:
        PliantError: its control has no P-gain.
    """
    here = {n.partition(".")[2]: n for n in actuator.fields if n.startswith("control.")}
    p = next((here[n] for n in PROPORTIONAL if n in here and actuator.value(here[n]) > 0.0), None)
    if p is None:
        accepted = f"a control with {' or '.join(PROPORTIONAL)} above 0"
        found = f"{actuator.name}, control {actuator.laws['control'].name}"
        raise PliantError(
            "has no gain to tune", field=f"joint {joint}", found=found, accepted=accepted
        )
    d = next((here[n] for n in DERIVATIVE if n in here and actuator.value(here[n]) > 0.0), None)
    limit = next(
        (here[n] for n in LIMITED if n in here and actuator.value(here[n]) < ENDLESS), None
    )
    return Tuned((p, d, limit, here.get("limit")), actuator.fields[p].unit == "1")


@dataclass(frozen=True, eq=False)
class Tuning:
    """Candidates that were tried, and those that are recommended.

    Attributes:
        joints, actuators: of the robot. tried: each candidate's factors of P, D and profile, and the result with
            all joints using it; the first is the files' own numbers.
        choice: index of each joint's candidate. limits: factor on each joint's limit.
        together: result with all of these.
    """

    joints: tuple[str, ...]
    actuators: tuple[Actuator, ...]
    tried: tuple[tuple[Factors, Measured], ...]
    choice: tuple[int, ...]
    limits: tuple[float, ...]
    together: Measured

    @property
    def own(self) -> Measured:
        """With the files' own numbers."""
        return self.tried[0][1]

    def changes(self) -> list[dict[str, float]]:
        """List, for each joint, parameter to the recommended factor."""
        wanted = [self.tried[k][0] for k in self.choice]
        return changes(self.joints, self.actuators, wanted, self.limits)

    def values(self, joint: str, candidate: int | None = None) -> dict[str, float]:
        """Parameter to its recommended value [SI], or that of a candidate; of those that are tuned."""
        j = self.joints.index(joint)
        unit, k = self.actuators[j], self.choice[j] if candidate is None else candidate
        what = tuned(joint, unit)
        factors = what.factors(unit, self.tried[k][0], self.limits[j] if candidate is None else 1.0)
        return {n: unit.value(n) * factors.get(n, 1.0) for n in what.names if n is not None}


def changes(
    joints: Sequence[str],
    actuators: Sequence[Actuator],
    wanted: Sequence[Factors],
    limits: Sequence[float] | None = None,
) -> list[dict[str, float]]:
    """List, for each joint, parameter to its factor."""
    every = zip(joints, actuators, wanted, limits or [1.0] * len(joints), strict=True)
    return [
        tuned(joint, unit).factors(unit, factors, limit) for joint, unit, factors, limit in every
    ]


def tune(trials: ServoTrials, said: Callable[[int, int], None] | None = None) -> Tuning:
    """Try the grid, and choose.

    Args:
        trials: that simulate. said: called with the number of trials done and the total.

    Raises:
        PliantError: a servo has no gain to tune, or the simulation diverges.
    """
    joints, units = trials.joints, trials.actuators
    done: dict[str, Measured] = {}
    tried: list[tuple[Factors, Measured]] = []
    grid = list(product(P, D, PROFILE))
    for k, factors in enumerate(grid):
        what = changes(joints, units, [factors] * len(joints))
        if str(what) not in done:  # without D or profile, some are the same
            done[str(what)] = trials.run(what)
            tried.append((factors, done[str(what)]))
        if said is not None:
            said(k + 1, len(grid) + 1 + len(LIMIT))
    own = tried[0][1]
    choice = [chosen([one for _, one in tried], j) for j in range(len(joints))]
    while True:
        together = trials.run(changes(joints, units, [tried[k][0] for k in choice]))
        back = [j for j, k in enumerate(choice) if k and rank(together, own, j)[:2] > (0, False)]
        if not back:
            break
        for j in back:
            choice[j] = 0
    wanted = [tried[k][0] for k in choice]
    limits, best = lowered(trials, wanted, together)
    return Tuning(joints, units, tuple(tried), tuple(choice), tuple(limits), best)


def lowered(
    trials: ServoTrials, wanted: Sequence[Factors], together: Measured
) -> tuple[list[float], Measured]:
    """Smallest factor on each joint's limit that keeps the result `together` the same, and the result with these."""
    joints, units = trials.joints, trials.actuators
    limits, best = [1.0] * len(joints), together
    for before, factor in zip((1.0, *LIMIT), LIMIT, strict=False):
        lower = [factor if one == before else one for one in limits]
        while lower != limits:
            found = trials.run(changes(joints, units, wanted, lower))
            back = [
                j for j, x in enumerate(lower) if x != limits[j] and not same(found, together, j)
            ]
            if not back:
                limits, best = lower, found
            for j in back:
                lower[j] = limits[j]
    return limits, best


def same(one: Measured, other: Measured, j: int) -> bool:
    """Whether joint j is no worse, in motion and at rest."""
    slower = any(
        (getattr(one, n)[:, j] > SLOWER * getattr(other, n)[:, j] + 1e-6).any()
        for n in ("left", "error")
    )
    return not slower and rank(one, other, j)[:3] <= rank(other, other, j)[:3]


def chosen(tried: Sequence[Measured], j: int) -> int:
    """Number of the best candidate for joint j.

    Criteria in order: fewest draws with a limit cycle; settling gap and overshoot no worse than the first's, in
    mean and maximum; no overshoot above 5 mrad in any draw; smallest distance from the goal after a step,
    integrated over time.
    """
    return min(range(len(tried)), key=lambda k: rank(tried[k], tried[0], j))


def rank(one: Measured, own: Measured, j: int) -> tuple[int, bool, bool, float]:
    """Draws with a limit cycle; gap or overshoot worse than `own`; overshoot; distance left [rad s]."""
    worse = False
    for mine, first in ((one.gap, own.gap), (one.overshoot, own.overshoot)):
        a, b = mine[:, j], first[:, j]
        worse |= bool(a.mean() > b.mean() + SAME or a.max() > b.max() + SAME)
    beyond = bool(one.overshoot[:, j].max() > NEAR)
    return cycles(one)[j], worse, beyond, float(one.left[:, j].mean())


def cycles(one: Measured) -> list[int]:
    """Count, for each joint, the draws that still move back and forth at rest."""
    counted: Floats = (one.cycling > CYCLING).sum(axis=0)
    return [int(n) for n in counted]


def figures(one: Measured, j: int) -> Mapping[str, float]:
    """Means over the draws of joint j, and the highest, in SI units, as tables and JSON have them."""
    return {
        "gap": float(one.gap[:, j].mean()),
        "highest_gap": float(one.gap[:, j].max()),
        "overshoot": float(one.overshoot[:, j].mean()),
        "highest_overshoot": float(one.overshoot[:, j].max()),
        "settling_time": float(one.settling[:, j].mean()),
        "error_integral": float(one.left[:, j].mean()),
        "motion_error": float(one.error[:, j].mean()),
        "limit_cycles": float(np.sum(one.cycling[:, j] > CYCLING)),
        "heat": float(one.heat[:, j].mean()),
        "highest_current": float(one.current[:, j].max()),
    }
