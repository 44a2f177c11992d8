"""The estimator over a whole recording: the same core, sample by sample, without look-ahead.

Only the scales that normalise the regression come from the recording as a whole.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.estimator import (
    Estimate,
    Status,
    StiffnessChange,
    StiffnessEstimator,
    StiffnessWarning,
)
from pliant.estimate.settings import EstimatorSettings, Joint, Mode
from pliant.io.encoder_file import EncoderLog, JointLog, Kind

SMOOTH = 21
"""Samples over which a polynomial gives the motion that the torque scale is read from."""
ROWS = 500
"""Samples that the torque scale is read from."""
LEAST_TORQUE = 1e-9
"""[N m] Torque scale of a model without any torque."""
FRICTION = {
    "torque": (
        ("viscous friction", "N m s/rad"),
        ("Coulomb friction", "N m"),
        ("constant torque", "N m"),
    ),
    "rotatum": (("viscous friction", "N m s/rad"),),
    "paper": (("viscous friction", "N m s/rad"),),
}
"""Friction learned beside the springs, by mode."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StiffnessRun:
    """Stiffness of all joints from one recording.

    Attributes:
        path: of the log.
        mode: of the estimator.
        names, joints: of the robot, in its order.
        log: the recording.
        estimate: (N, n) estimates.
        lag: [s] age of the sample being learned from; sigma has no lag.
        settings: of the method.
        changes: of springs, in order.
        warnings: doubts about the estimate, one sentence each.
    """

    path: Path
    mode: Mode
    names: tuple[str, ...]
    joints: tuple[Joint, ...]
    log: EncoderLog
    estimate: Estimate
    lag: float
    settings: EstimatorSettings
    changes: tuple[StiffnessChange, ...]
    warnings: tuple[str, ...]

    @property
    def method(self) -> str:
        """The mode in words."""
        if self.mode != "paper":
            return f"mode {self.mode}"
        how = "positions smoothed first, unlike" if self.settings.smooth_first else "as in"
        return f"mode paper, {how} the publication"

    def parameters(self, joint: int) -> list[tuple[str, float, str]]:
        """Name, value and unit of the final estimates of one joint, in physical units."""
        own = self.joints[joint]
        found = self.estimate.parameters[joint] * own.torque_scale
        rows: list[tuple[str, float, str]] = []
        for term, value in zip(own.terms, found, strict=False):
            scale = own.deflection_scale**term.power * own.adjuster_scale**term.adjuster_power
            rows.append((term.name, float(value / scale), _unit(term.power)))
        most = max(len(one.terms) for one in self.joints)
        if self.settings.friction:
            rows += [
                (name, float(value), unit)
                for (name, unit), value in zip(FRICTION[self.mode], found[most:], strict=False)
            ]
        return rows

    def shares(self, joint: int) -> dict[str, float]:
        """Map of status in words to its share of all samples, for those that occur."""
        codes = self.estimate.codes[:, joint]
        found = {one.text: np.count_nonzero(codes == int(one)) / len(codes) for one in Status}
        return {text: share for text, share in found.items() if share > 0.0}


def estimate_log(
    recording: JointLog,
    dynamics: Dynamics,
    *,
    mode: Mode = "torque",
    settings: EstimatorSettings | None = None,
) -> StiffnessRun:
    """Estimate the stiffness along a recording.

    Args:
        recording: from `read_joint_log`, with the joints of `dynamics` in their order.
        dynamics: of the robot.
        mode: of the estimator.
        settings: of the estimator.

    Raises:
        PliantError: the model has another number of joints.
    """
    log = recording.log
    joints = scaled_joints(tuple(recording.joints.values()), log, dynamics)
    chosen = settings or EstimatorSettings()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", StiffnessWarning)
        estimator = StiffnessEstimator(dynamics, joints, log.dt, mode=mode, settings=chosen)
        estimate = estimator.fit(log)
    texts = [str(one.message) for one in said if issubclass(one.category, StiffnessWarning)]
    return StiffnessRun(
        path=recording.path,
        mode=mode,
        names=dynamics.names,
        joints=joints,
        log=log,
        estimate=estimate,
        lag=estimator.lag,
        settings=chosen,
        changes=tuple(estimator.changes),
        warnings=(*recording.warnings, *dict.fromkeys(texts)),
    )


def estimated(
    log: EncoderLog,
    dynamics: Dynamics,
    joints: tuple[Joint, ...],
    mode: Mode,
    settings: EstimatorSettings,
) -> Estimate:
    """(N, n) estimates along a log."""
    return StiffnessEstimator(dynamics, joints, log.dt, mode=mode, settings=settings).fit(log)


def scaled_joints(
    kinds: tuple[Kind, ...], log: EncoderLog, dynamics: Dynamics
) -> tuple[Joint, ...]:
    """Joints whose scales are the largest deflection, adjuster position and torque of a log."""
    torque = _largest_torque(log, dynamics)
    joints: list[Joint] = []
    first = 0
    for k, kind in enumerate(kinds):
        own = Joint(kind=kind)
        motors = log.theta[:, first : first + len(own.motors)]
        first += len(own.motors)
        springs = motors[:, :1] if kind == "svsa" else motors
        phi = float(np.abs(log.q[:, k : k + 1] - springs).max())
        adjuster = float(np.abs(motors[:, 1]).max()) if kind == "svsa" else 0.0
        joints.append(
            Joint(
                kind=kind,
                phi_scale=phi or None,
                adjuster_scale=adjuster or 1.0,
                torque_scale=float(torque[k]),
            )
        )
    return tuple(joints)


def _largest_torque(log: EncoderLog, dynamics: Dynamics) -> Floats:
    """(n,) [N m] Of the model along the smoothed motion."""
    count = len(log.q)
    if log.q.shape[1] != dynamics.n or count <= SMOOTH:
        return np.full(int(log.q.shape[1]), 1.0)
    rows = np.unique(np.linspace(SMOOTH, count - 1, ROWS).astype(int))
    near = np.arange(SMOOTH) - SMOOTH // 2
    middle = np.minimum(rows, count - 1 - SMOOTH // 2)
    cubic = np.linalg.pinv(np.vander(near, 4, increasing=True)) @ log.q[middle[:, None] + near]
    (c0, c1, c2, c3), x = cubic.transpose(1, 0, 2), (rows - middle)[:, None]
    q = c0 + x * (c1 + x * (c2 + x * c3))
    v = (c1 + x * (2.0 * c2 + 3.0 * x * c3)) / log.dt
    a = (2.0 * c2 + 6.0 * x * c3) / log.dt**2
    torque = [dynamics.inverse(q[k], v[k], a[k]) for k in range(len(rows))]
    found: Floats = np.array(torque)
    largest: Floats = np.abs(found).max(axis=0)
    return np.where(largest > LEAST_TORQUE, largest, LEAST_TORQUE)


def _unit(power: int) -> str:
    return "N m/rad" if power == 1 else f"N m/rad^{power}"
