"""The torque, learned beside a mode that learns by its rate, and looked at for changed springs only.

A rate is too rough to tell a change by, and that of the paper's mode, on encoders, says nothing at all.
So the modes "rotatum" and "paper" take their changes from here.
"""

from collections.abc import Sequence

from pliant.arrays import Floats
from pliant.estimate.core import state as core
from pliant.estimate.core.entries import Core
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.joint import Joint
from pliant.estimate.layout import new_buffers
from pliant.estimate.settings import EstimatorSettings
from pliant.estimate.terms import recorded_terms, sample_terms


class ChangeWatch:
    """A compiled core in mode "torque", with nothing around it."""

    def __init__(
        self, dynamics: Dynamics, joints: Sequence[Joint], dt: float, settings: EstimatorSettings
    ) -> None:
        self._dynamics, self._dt = dynamics, dt
        self._core = Core(*new_buffers(joints, "torque", dt, settings))
        self.state = self._core.state
        self._terms = sample_terms(dynamics, "torque")

    def step(self, sample: Floats) -> Floats:
        """One sample, (n + m,), of finite positions; returns the rows of news, (6, n)."""
        state = self.state
        state.sample[:] = sample
        self._core.place()
        if state.counts[core.SEEN] >= core.WINDOW:
            self._terms(state.motion, state.given[:2])
            self._core.advance()
        return state.out[core.CHANGE :]

    def run(self, q: Floats, theta: Floats) -> Floats:
        """A whole recording, (N, n) and (N, m); returns the rows of news, (N, 6, n)."""
        terms = recorded_terms(self._dynamics, "torque", q, self._dt)
        return self._core.run(q, theta, *terms)[:, core.CHANGE :]
