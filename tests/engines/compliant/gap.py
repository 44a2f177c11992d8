"""A servo with play as four differential equations and their events, for a tight integrator.

Only numbers come from Pliant. Modes: +-1 teeth in contact, +-2 teeth that touch and do not push
(damping would make them pull), 0 in the gap.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass
class Gap:
    """q, v of the link and theta, omega of the rotor; friction of the rotor is viscous alone."""

    k: float
    d: float
    gap: float
    J: float
    D: float
    link: float
    k_t: float
    R: float
    U: float
    kp: float
    """duty per error [1/rad]"""
    limit: float
    at_joint: bool

    def depth(self, y, side):
        return side * (y[0] - y[2]) - 0.5 * self.gap

    def force(self, y, side):
        """[N m] Of the teeth on that side, were they glued."""
        return self.k * self.depth(y, side) + self.d * side * (y[1] - y[3])

    def rates(self, t, y, mode, goal, push):
        transmitted = mode * self.force(y, mode) if abs(mode) == 1 else 0.0
        e = goal - (y[0] if self.at_joint else y[2])
        duty = min(max(self.kp * e, -self.limit), self.limit)
        tau_m = self.k_t * (duty * self.U - self.k_t * y[3]) / self.R
        return [
            y[1],
            (push - transmitted) / self.link,
            y[3],
            (tau_m + transmitted - self.D * y[3]) / self.J,
        ]

    def events(self, mode):
        """(function of y, direction, next mode) of each way out of `mode`."""
        side = np.sign(mode)
        if mode == 0:
            return [(lambda y, s=s: self.depth(y, s), 1.0, s) for s in (1, -1)]
        if abs(mode) == 1:
            return [(lambda y: self.force(y, side), -1.0, 2 * side)]
        return [
            (lambda y: self.depth(y, side), -1.0, 0),
            (lambda y: self.force(y, side), 1.0, side),
        ]

    def solve(self, y, commands, hold, samples):
        """(N, 4) motion under (goal, push) that hold for `hold`, and how many impacts there were."""
        found, mode, impacts = [np.array(y)], 0, 0
        at = np.linspace(0.0, hold, samples + 1)[1:]
        for goal, push in commands:
            t, rows = 0.0, np.full((samples, 4), np.nan)
            while t < hold - 1e-13:
                ways = self.events(mode)
                watched = []
                for way, direction, _ in ways:

                    def watch(t, y, *_, way=way):
                        return way(y)

                    watch.terminal, watch.direction = True, direction
                    watched.append(watch)
                run = solve_ivp(
                    self.rates, (t, hold), y, "DOP853", args=(mode, goal, push), events=watched,
                    dense_output=True, rtol=1e-9, atol=1e-12, max_step=1e-3,
                )  # fmt: skip
                inside = (at > t) & (at <= run.t[-1] + 1e-13)
                if inside.any():
                    rows[inside] = run.sol(at[inside]).T
                t, y = run.t[-1], run.y[:, -1].copy()
                left = [k for k, times in enumerate(run.t_events) if len(times)]
                if left:
                    impacts += mode == 0
                    mode = ways[left[0]][2]
            found.extend(rows)
        return np.array(found), impacts
