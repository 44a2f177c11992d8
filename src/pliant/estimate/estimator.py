"""Stiffness of compliant joints from link and motor encoders and the rigid-body model alone.

    est = StiffnessEstimator(dynamics, [Joint(kind="avsa")], dt=0.005)
    now = est.step(q, theta)
    now.sigma, now.sigma_std, now.status

Limitation: a model that is 20 % too heavy gives a stiffness that is 20 % too high, and nothing in the data
reveals it. Hysteresis, backlash and temperature are left out.

Changes of a spring: the rate of the torque is too rough to detect one, and with encoders that of the paper's mode
contains nothing useful. So the modes "rotatum" and "paper" use a parallel `ChangeWatch` of the torque.
"""

import warnings
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate.core import state as core
from pliant.estimate.core.entries import Core
from pliant.estimate.dynamics import Dynamics, recorded_terms, sample_terms
from pliant.estimate.estimates import (
    COVERS,
    EVENTS,
    MODEL_LIMIT,
    Estimate,
    SpeedComparison,
    Status,
    StiffnessChange,
    StiffnessWarning,
    refuse_shape,
    refuse_time,
    refuse_value,
    tell,
)
from pliant.estimate.layout import joint_of_channel, new_buffers, stiffness_rows
from pliant.estimate.settings import EstimatorSettings, Joint, Mode
from pliant.io.encoder_file import JITTER, EncoderLog

__all__ = [
    "COVERS",
    "MODEL_LIMIT",
    "Estimate",
    "Status",
    "StiffnessChange",
    "StiffnessEstimator",
    "StiffnessWarning",
]


class ChangeWatch:
    """A bare compiled core in mode "torque"."""

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


class StiffnessEstimator:
    """Learns the springs of n joints online and gives their stiffness at every sample.

    Args:
        dynamics: the rigid-body model, of n joints.
        joints: kind and springs of each, in the order of the model's joints.
        dt: time between samples [s].
        mode: "torque" regresses the torque and is the default. "rotatum" regresses its rate in weak
            form: constant torques and Coulomb friction cancel, but a width of at least 12 is needed.
            "paper" is the published method on smoothed positions; as published
            (`smooth_first=False`) it is biased beyond use on quantised encoders.
        settings: of the method.

    Raises:
        PliantError: the model has another number of joints.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        joints: Sequence[Joint],
        dt: float,
        *,
        mode: Mode = "torque",
        settings: EstimatorSettings | None = None,
    ) -> None:
        self.dynamics, self.joints, self.dt = dynamics, tuple(joints), dt
        self.mode: Mode = mode
        self.settings = settings or EstimatorSettings()
        if dynamics.n != len(self.joints):
            raise PliantError(
                "the model has another number of joints",
                field="joints",
                found=f"{len(self.joints)} joints",
                accepted=f"{dynamics.n}: {', '.join(dynamics.names)}",
            )
        self._channels = joint_of_channel(self.joints, dynamics.names)
        self._core = Core(*new_buffers(self.joints, mode, dt, self.settings))
        self._state = self._core.state
        self._terms = sample_terms(dynamics, mode)
        self._watch = (
            None if mode == "torque" else ChangeWatch(dynamics, self.joints, dt, self.settings)
        )
        self._time: float | None = None
        self._clock = -dt
        self.changes: list[StiffnessChange] = []
        """Every change of a spring that was detected, in order."""
        self._told = np.zeros(dynamics.n, np.int64)
        self._told_speeds: set[int] = set()
        self._speeds: SpeedComparison | None = None
        self._n, self._m = dynamics.n, len(self._channels)
        self._links, self._motors = self._state.sample[: self._n], self._state.sample[self._n :]
        if mode == "paper" and not self.settings.smooth_first:
            warnings.warn(
                "mode 'paper' without smoothing differences raw positions three times: on quantised "
                "encoders its stiffness is biased beyond use",
                StiffnessWarning,
                stacklevel=2,
            )

    @property
    def _states(self) -> list[core.EstimatorState]:
        """The core of this mode, and its parallel watch."""
        return [self._state, *([] if self._watch is None else [self._watch.state])]

    @property
    def lag(self) -> float:
        """[s] Age of the sample being learned from, to which `rotatum` belongs."""
        if self.mode == "paper" and not self.settings.smooth_first:
            return 3.0 * self.dt
        before = 0.0 if self.mode == "paper" else 2.0
        return (before + (self._state.kernels.shape[1] - 1) / 2.0) * self.dt

    def step(
        self, q: Floats, theta: Floats, dtheta: Floats | None = None, t: float | None = None
    ) -> Estimate:
        """One sample.

        Args:
            q: (n,) link positions [rad].
            theta: (m,) motor positions, joint by joint (`Joint.motors`) [rad].
            dtheta: (m,) motor speeds [rad/s], if drives report them. Only compared with `theta`: speeds
                that are not differenced like the positions would corrupt the estimate.
            t: time stamp [s]; if given, steps other than `dt` are refused.

        Raises:
            PliantError: a missing channel, a value that is not a number, or a time that does not
                follow the last by dt. The estimator is then unchanged.
        """
        q, theta, state = np.asarray(q), np.asarray(theta), self._state
        if q.shape != self._links.shape or theta.shape != self._motors.shape:
            refuse_shape(q, theta, self.dynamics.names, self._channels)
        if t is not None:
            self._check_time(t)
        if dtheta is not None:
            self._compare_speed(theta, np.asarray(dtheta, np.float64))
        self._links[:], self._motors[:] = q, theta
        if not self._core.place():
            refuse_value(state.sample, self.dynamics.names, self._channels)
        self._time, doubt = t, False
        if self._watch is not None:
            state.given[2:] = self._watch.step(state.sample)
        self._clock = self._clock + self.dt if t is None else t
        if state.counts[core.SEEN] >= core.WINDOW:
            self._terms(state.motion, state.given[:2])
            doubt = self._core.advance()
        numbers = state.out.copy()
        if doubt:
            self._tell(numbers, self._clock)
        return Estimate(numbers, state.parameters.copy())

    def fit(self, log: EncoderLog) -> Estimate:
        """(N, n) estimates for a whole recording, equal to calling `step` for each sample.

        Raises:
            PliantError: the log has other channels or another time step.
        """
        if log.q.shape[1] != self._n or log.theta.shape[1] != self._m:
            refuse_shape(log.q[0], log.theta[0], self.dynamics.names, self._channels)
        if abs(log.dt - self.dt) > JITTER * self.dt:
            raise PliantError(
                "the log has another time step", field="dt", found=log.dt, accepted=f"{self.dt:g}"
            )
        self.interrupt()
        smoothed = self.settings.smooth_first
        momentum, rest = recorded_terms(
            self.dynamics, self.mode, self._smoothed(log.q), self.dt, smoothed=smoothed
        )
        news = [] if self._watch is None else [self._watch.run(log.q, log.theta)]
        out = self._core.run(log.q, log.theta, momentum, rest, *news)
        flags = out[:, core.FLAGS].astype(np.int64)
        new = flags.copy()
        new[1:] &= ~np.bitwise_or.accumulate(flags)[:-1] | EVENTS
        for row in np.flatnonzero(new.any(axis=1)).tolist():
            self._tell(out[row], float(log.time[row]))
        self._clock = float(log.time[-1])
        return Estimate(out, self._state.parameters.copy())

    def _smoothed(self, q: Floats) -> Floats:
        """(N, n) positions, smoothed as in the core if it smooths before differencing."""
        if self.mode != "paper" or not self.settings.smooth_first:
            return q
        kernel = self._state.kernels[core.MEAN]
        before = np.repeat(q[:1], len(kernel) - 1, axis=0)
        columns = np.concatenate([before, q]).T
        smooth: list[Floats] = [np.convolve(column, kernel[::-1], "valid") for column in columns]
        return np.stack(smooth, axis=1)

    def stiffness(self, q: Floats, theta: Floats) -> Floats:
        """(…, n) stiffness [N m/rad] at any positions (…, n), (…, m), by the present estimate."""
        rows = stiffness_rows(self._state, np.asarray(q), np.asarray(theta))
        return np.einsum("...ib,ib->...i", rows, self._state.parameters[:, : rows.shape[-1]])

    def freeze(self) -> None:
        """Learn nothing until `resume`."""
        for state in self._states:
            state.counts[core.STOPPED] = 1

    def resume(self) -> None:
        """Learn again."""
        for state in self._states:
            state.counts[core.STOPPED] = 0

    def interrupt(self) -> None:
        """Refill the window after missing samples. Everything learned is kept."""
        for state in self._states:
            state.counts[core.SEEN] = 0
        self._time = self._speeds = None

    def reset(self, joint: int | str | None = None) -> None:
        """Forget everything learned about one joint, by index or name, or about all.

        Raises:
            PliantError: there is no such joint.
        """
        names = list(self.dynamics.names)
        if isinstance(joint, str) and joint not in names:
            raise PliantError("no such joint", found=joint, accepted=names)
        chosen = (
            list(range(self._n))
            if joint is None
            else [names.index(joint) if isinstance(joint, str) else range(self._n)[joint]]
        )
        modes: list[Mode] = [self.mode, "torque"]
        for mode, state in zip(modes, self._states, strict=False):
            fresh = core.views(*new_buffers(self.joints, mode, self.dt, self.settings))
            for name in _LEARNED:
                getattr(state, name)[chosen] = getattr(fresh, name)[chosen]
        self._told[chosen] = 0

    def state_dict(self) -> dict[str, Any]:
        """Everything that was learned, and the window, as arrays and numbers."""
        saved = {key: getattr(state, name).copy() for key, state, name in self._kept()}
        return {
            "joints": [repr(joint) for joint in self.joints],
            "dt": self.dt,
            "mode": self.mode,
            "time": self._time,
            **saved,
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from the state that `state_dict` returned.

        Raises:
            PliantError: it belongs to other joints, another mode or time step, or is damaged.
        """
        own, keys = self.state_dict(), {key for key, _, _ in self._kept()}
        for name, value in own.items():
            if name == "time":
                continue
            there: Any = saved.get(name)
            here: Any = value
            if name in keys:
                there, here = np.shape(there), np.shape(here)
            if there != here:
                raise PliantError(
                    "the saved state belongs to another estimator",
                    field=name,
                    found=there,
                    accepted=str(here),
                )
        for key, state, name in self._kept():
            getattr(state, name)[...] = saved[key]
        self._time = saved.get("time")

    def _kept(self) -> list[tuple[str, core.EstimatorState, str]]:
        """Key of every saved array, whose it is, and its name there."""
        heads = ["", "watch."]
        return [
            (head + name, state, name)
            for head, state in zip(heads, self._states, strict=False)
            for name in _CHANGING
        ]

    def _tell(self, numbers: Floats, time: float) -> None:
        """Warn of what is flagged, and keep the changes."""
        for joint in np.flatnonzero(numbers[core.FLAGS].astype(np.int64) & core.CHANGED).tolist():
            self.changes.append(
                StiffnessChange(
                    joint=self.dynamics.names[joint],
                    part=float(numbers[core.CHANGE, joint]),
                    std=float(numbers[core.CHANGE_STD, joint]),
                    began=time - float(numbers[core.CHANGE_AGE, joint]),
                    told=time,
                )
            )
        tell(numbers, self.dynamics.names, self._told, time)

    def _check_time(self, t: float) -> None:
        last = self._time
        if not isfinite(t) or (last is not None and abs(t - last - self.dt) > JITTER * self.dt):
            refuse_time(t, last, self.dt)

    def _compare_speed(self, theta: Floats, dtheta: Floats) -> None:
        if dtheta.shape != (self._m,) or not np.isfinite(dtheta).all():
            raise PliantError(
                "wrong number of motor speeds",
                field="dtheta",
                found=dtheta.tolist(),
                accepted=f"{self._m} numbers: {', '.join(self._channels)}",
            )
        self._speeds = self._speeds or SpeedComparison(self._m, self.dt)
        for channel in self._speeds.add(theta, dtheta):
            if channel not in self._told_speeds:
                self._told_speeds.add(channel)
                warnings.warn(
                    f"{self._channels[channel]}: the reported speed is not the rate of the "
                    "reported position: exchanged channels, another unit or sign, or the other "
                    "side of the gear",
                    StiffnessWarning,
                    stacklevel=3,
                )


_LEARNED = (
    "info",
    "trial",
    "parameters",
    "before",
    "recent",
    "pending",
    "old",
    "fresh",
    "sizes",
    "memory",
    "table",
    "trained",
    "residuals",
    "lasting",
    "sums",
)
_CHANGING = ("raw", "encoder", "history", *_LEARNED, "counts", "out")
