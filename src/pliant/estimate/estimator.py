"""Stiffness of compliant joints from link and motor encoders and the rigid-body model alone.

    est = StiffnessEstimator(dynamics, [Joint(kind="avsa")], dt=0.005)
    now = est.step(q, theta)
    now.sigma, now.sigma_std, now.status

What it cannot know: the standard deviation covers noise only. A model that is 20 % too heavy gives
a stiffness that is 20 % too high, and nothing in the data says so. Hysteresis, backlash and
temperature are left out.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.estimate import core
from pliant.estimate.doubts import StiffnessWarning, tell
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.encoder_log import JITTER, EncoderLog
from pliant.estimate.estimates import COVERS, Estimate, Status
from pliant.estimate.joint import Joint
from pliant.estimate.layout import frozen_options, joint_of_channel, new_state, stiffness_rows
from pliant.estimate.motor_speed import SpeedComparison
from pliant.estimate.settings import EstimatorSettings, Mode

Array = NDArray[np.float64]

__all__ = ["COVERS", "Estimate", "Status", "StiffnessEstimator", "StiffnessWarning"]


class StiffnessEstimator:
    """Learns the springs of n joints online and gives their stiffness at every sample.

    Args:
        dynamics: the rigid-body model, of n joints.
        joints: what each is, in the order of the model's joints.
        dt: time between samples [s].
        mode: "torque" regresses the torque and is the default. "rotatum" regresses its rate in weak
            form: constant torques and Coulomb friction cancel, widths from 12 are needed. "paper"
            is the published method, which is biased beyond use on quantised encoders.
        settings: how it learns.

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
                "the model has another number of joints", field="joints",
                found=f"{len(self.joints)} joints",
                accepted=f"{dynamics.n}: {', '.join(dynamics.names)}",
            )  # fmt: skip
        self._channels = joint_of_channel(self.joints, dynamics.names)
        self._options = frozen_options(mode, dt, self.settings)
        self._state = new_state(self.joints, mode, dt, self.settings)
        self._time: float | None = None
        self._warned: set[tuple[int, int]] = set()
        self._speeds: SpeedComparison | None = None
        self._n, self._m = dynamics.n, len(self._channels)
        if mode == "paper":
            warnings.warn(
                "mode 'paper' differences positions three times: on quantised encoders its "
                "stiffness is biased beyond use; mode 'torque' is not",
                StiffnessWarning, stacklevel=2,
            )  # fmt: skip

    @property
    def lag(self) -> float:
        """[s] How long ago that is which is learned from, and which `rotatum` belongs to."""
        if self.mode == "paper":
            return 3.0 * self.dt
        return (2.0 + (self._state.kernels.shape[1] - 1) / 2.0) * self.dt

    def step(
        self, q: Array, theta: Array, dtheta: Array | None = None, t: float | None = None
    ) -> Estimate:
        """One sample.

        Args:
            q: (n,) link positions [rad].
            theta: (m,) motor positions, joint by joint (`Joint.motors`) [rad].
            dtheta: (m,) motor speeds [rad/s], where drives report them. Only compared with `theta`:
                speeds that are not differenced as the positions are spoil the estimate.
            t: time stamp [s]; where given, steps that are not `dt` are refused.

        Raises:
            PliantError: a missing channel, a value that is no number, or a time that does not
                follow the last by dt. The estimator is then as it was before.
        """
        q, theta = np.asarray(q, np.float64), np.asarray(theta, np.float64)
        if q.shape != (self._n,) or theta.shape != (self._m,):
            self._refuse_shape(q, theta)
        if t is not None:
            self._check_time(t)
        if dtheta is not None:
            self._compare_speed(theta, np.asarray(dtheta, np.float64))
        state, options = self._state, self._options
        if not core.place(
            state.raw, state.motion, state.counts, options.mode, options.dt, q, theta
        ):
            self._refuse_value(q, theta)
        self._time = t
        doubt = False
        if state.counts[0] >= core.WINDOW:
            doubt = core.advance(state, options, *self._terms(state.motion))
        numbers = state.out.copy()
        if doubt:
            tell(numbers, self.dynamics.names, self._warned)
        return Estimate(numbers, state.parameters.copy())

    def fit(self, log: EncoderLog) -> Estimate:
        """A whole recording, as `step` would take it sample by sample, (N, n) estimates.

        Raises:
            PliantError: the log has other channels or another time step.
        """
        if log.q.shape[1] != self._n or log.theta.shape[1] != self._m:
            self._refuse_shape(log.q[0], log.theta[0])
        if abs(log.dt - self.dt) > JITTER * self.dt:
            raise PliantError(
                "the log has another time step", field="dt", found=log.dt, accepted=f"{self.dt:g}"
            )
        self.interrupt()
        momentum, rest = self._recorded_terms(log.q)
        out = np.empty((len(log.q), *self._state.out.shape))
        core.run(self._state, self._options, log.q, log.theta, momentum, rest, out)
        for joint in range(self._n):
            suspicious = np.unique(out[:, core.FLAGS, joint])
            for flags in suspicious[suspicious > 0]:
                row = int(np.flatnonzero(out[:, core.FLAGS, joint] == flags)[0])
                tell(out[row], self.dynamics.names, self._warned)
        return Estimate(out, self._state.parameters.copy())

    def stiffness(self, q: Array, theta: Array) -> Array:
        """(…, n) stiffness [N m/rad] at any positions (…, n), (…, m), by what is known now."""
        rows = stiffness_rows(self._state, np.asarray(q), np.asarray(theta))
        return np.einsum("...ib,ib->...i", rows, self._state.parameters[:, : rows.shape[-1]])

    def freeze(self) -> None:
        """Learn nothing until `resume`."""
        self._state.counts[2] = 1

    def resume(self) -> None:
        """Learn again."""
        self._state.counts[2] = 0

    def interrupt(self) -> None:
        """Samples are missing: fill the window anew. What was learned stays."""
        self._state.counts[0] = 0
        self._time = self._speeds = None

    def reset(self, joint: int | str | None = None) -> None:
        """Forget what was learned of one joint, by index or name, or of all."""
        fresh = new_state(self.joints, self.mode, self.dt, self.settings)
        names = list(self.dynamics.names)
        if isinstance(joint, str) and joint not in names:
            raise PliantError("no such joint", found=joint, accepted=names)
        chosen = range(self._n) if joint is None else [
            names.index(joint) if isinstance(joint, str) else range(self._n)[joint]
        ]  # fmt: skip
        for i in chosen:
            for name in ("info", "parameters", "memory", "table"):
                getattr(self._state, name)[i] = getattr(fresh, name)[i]
            self._warned = {pair for pair in self._warned if pair[0] != i}

    def state_dict(self) -> dict[str, Any]:
        """Everything that was learned, and the window, as arrays and numbers."""
        saved = {name: getattr(self._state, name).copy() for name in _CHANGING}
        return {"joints": [repr(joint) for joint in self.joints], "dt": self.dt,
                "mode": self.mode, "time": self._time, **saved}  # fmt: skip

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on from `state_dict`.

        Raises:
            PliantError: it belongs to other joints, another mode or time step, or is damaged.
        """
        own = self.state_dict()
        for name, value in own.items():
            if name == "time":
                continue
            there: Any = saved.get(name)
            here: Any = value
            if name in _CHANGING:
                there, here = np.shape(there), np.shape(value)
            if there != here:
                raise PliantError(
                    "the saved state is of another estimator", field=name, found=there,
                    accepted=str(here),
                )  # fmt: skip
        for name in _CHANGING:
            getattr(self._state, name)[...] = saved[name]
        self._time = saved.get("time")

    def _terms(self, motion: Array) -> tuple[Array, Array]:
        """Momentum M v and G - C^T v at the centre, or in paper mode the rate of -ID and zero."""
        d, (q, v, a, jerk) = self.dynamics, motion
        if self.mode == "paper":
            return -d.rotatum(q, v, a, jerk), np.zeros(self._n)
        return d.mass(q) @ v, d.gravity(q) - d.coriolis(q, v).T @ v

    def _recorded_terms(self, q: Array) -> tuple[Array, Array]:
        """(N, n) `_terms` of every sample of a recording; zero before there is a window."""
        out = np.zeros((2, *q.shape))
        motion = np.zeros((4, *q.shape))
        if self.mode == "paper":
            motion[0, 3:] = q[:-3]
            for order, taps in enumerate(_DIFFERENCES, start=1):
                part = sum(c * q[i : len(q) - 3 + i] for i, c in enumerate(taps))
                motion[order, 3:] = part / self.dt**order
        else:
            motion[0, 2:] = q[:-2]
            outer, inner = q[4:] - q[:-4], q[3:-1] - q[1:-3]
            motion[1, 4:] = (8.0 * inner - outer) / (12.0 * self.dt)
        at_once = "motion_rotatum" if self.mode == "paper" else "motion_terms"
        whole = getattr(self.dynamics, at_once, None)
        if whole is not None and self.mode == "paper":
            out[0] = -whole(*motion)
            return out[0], out[1]
        if whole is not None:
            out[0], out[1] = whole(motion[0], motion[1])
            return out[0], out[1]
        for k in range(core.WINDOW - 1, len(q)):
            out[0, k], out[1, k] = self._terms(motion[:, k])
        return out[0], out[1]

    def _check_time(self, t: float) -> None:
        last = self._time
        if not np.isfinite(t) or (last is not None and abs(t - last - self.dt) > JITTER * self.dt):
            raise PliantError(
                "time is not uniform", field="t",
                found=f"{t!r} after {last!r}", accepted=f"steps of {self.dt:g} s; after a gap call"
                " interrupt()",
            )  # fmt: skip

    def _compare_speed(self, theta: Array, dtheta: Array) -> None:
        if dtheta.shape != (self._m,) or not np.isfinite(dtheta).all():
            raise PliantError(
                "motor speeds are not one number per motor channel", field="dtheta",
                found=dtheta.tolist(), accepted=f"{self._m} numbers: {', '.join(self._channels)}",
            )  # fmt: skip
        self._speeds = self._speeds or SpeedComparison(self._m, self.dt)
        for channel in self._speeds.add(theta, dtheta):
            if (channel, _SPEED) not in self._warned:
                self._warned.add((channel, _SPEED))
                warnings.warn(
                    f"{self._channels[channel]}: the reported speed is not the rate of the "
                    "reported position: exchanged channels, another unit or sign, or the other "
                    "side of the gear", StiffnessWarning, stacklevel=3,
                )  # fmt: skip

    def _refuse_shape(self, q: Array, theta: Array) -> None:
        if q.shape != (self._n,):
            raise PliantError(
                "not one link position per joint", field="q", found=f"shape {q.shape}",
                accepted=f"({self._n},): {', '.join(self.dynamics.names)}",
            )  # fmt: skip
        missing = self._channels[theta.size :]
        missing_text = f"motor channel missing: {', '.join(missing)}"
        raise PliantError(
            missing_text if missing else "too many motor channels",
            field="theta", found=f"shape {theta.shape}",
            accepted=f"({self._m},): {', '.join(self._channels)}",
        )  # fmt: skip

    def _refuse_value(self, q: Array, theta: Array) -> None:
        names = [*(f"{name}.q" for name in self.dynamics.names), *self._channels]
        values = np.concatenate([q, theta])
        bad = [name for name, value in zip(names, values, strict=True) if not np.isfinite(value)]
        if bad:
            raise PliantError(
                "is not a number", field=", ".join(bad), accepted="finite positions [rad]; without"
                " a sample leave the step out and call interrupt()",
            )  # fmt: skip


_CHANGING = ("raw", "history", "info", "parameters", "memory", "table", "counts", "out")
_SPEED = -1
"""Stands for the comparison of speeds among the doubts already told."""
_DIFFERENCES = ((-1, 1, 0, 0), (1, -2, 1, 0), (-1, 3, -3, 1))
"""Of four samples, oldest first, for speed, acceleration and jerk of the delayed observer."""
