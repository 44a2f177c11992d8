"""Stiffness estimates of a running robot, from JointState messages of its links and motors.

    live = TopicStiffness(load_dynamics("arm.urdf"), {"elbow_motor": "theta_elbow", "elbow": "q_elbow"})
    estimate = live.taken(message)                              # None until the window is full

One topic carries the positions of links and motors. The first messages determine the time between two of them;
if one is missing, the window is refilled, and everything learned is kept.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.errors import PliantError
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.estimator import Estimate, StiffnessEstimator
from pliant.estimate.settings import EstimatorSettings, Joint, Mode
from pliant.io.encoder_file import LINK, motor_channels
from pliant.ros.channel import stamp
from pliant.ros.messages import message

__all__ = ["TopicStiffness"]

FIRST = 20
"""Number of messages from whose times the interval is determined."""
JITTER = 0.3
"""Fraction of that interval by which a message may be early or late."""


class TopicStiffness:
    """Estimator fed by messages.

    Args:
        dynamics: of the links. rename: a joint's name in the messages to q_JOINT, theta_JOINT, ...
        mode, settings: of the estimator.

    Attributes:
        missed: gaps between messages.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        rename: Mapping[str, str],
        mode: Mode = "torque",
        settings: EstimatorSettings | None = None,
    ) -> None:
        self._dynamics, self._rename, self._settings = dynamics, dict(rename), settings
        self._mode: Mode = mode
        self._times: list[float] = []
        self._estimator: StiffnessEstimator | None = None
        self.missed = 0

    def taken(self, sample: Any) -> Estimate | None:
        """The estimate after one JointState; a message no newer than the last changes nothing.

        Raises:
            PliantError: a link or a motor is not in the message, or a position is not finite.
        """
        time = sample.header.stamp.sec + 1e-9 * sample.header.stamp.nanosec
        if self._times and time <= self._times[-1]:
            return None
        names = [self._rename.get(str(name), str(name)) for name in sample.name]
        positions = dict(zip(names, sample.position, strict=False))
        links = [LINK + name for name in self._dynamics.names]
        for link in links:
            if link not in positions:
                raise PliantError("is not in the messages", field=link, accepted=list(positions))
        kinds, motors = motor_channels(positions, self._dynamics.names)
        q, theta = (np.array([positions[x] for x in part]) for part in (links, motors))
        if not (np.isfinite(q).all() and np.isfinite(theta).all()):
            raise PliantError("is not a number", field="position", accepted="finite values")
        last = self._times[-1] if self._times else time
        self._times = [*self._times[-FIRST:], time]
        if self._estimator is None:
            if len(self._times) <= FIRST:
                return None
            joints = [Joint(kind=kind) for kind in kinds.values()]
            dt = float(np.median(np.diff(self._times)))
            self._estimator = StiffnessEstimator(
                self._dynamics, joints, dt, mode=self._mode, settings=self._settings
            )
        elif abs(time - last - self._estimator.dt) > JITTER * self._estimator.dt:
            self.missed += 1
            self._estimator.interrupt()
        return self._estimator.step(q, theta)

    def said(self, estimate: Estimate) -> Any:
        """The estimate as a JointStiffness; the deflection is not in it."""
        nan = [float("nan")] * len(self._dynamics.names)
        return message(
            "pliant_msgs/msg/JointStiffness",
            header=message("std_msgs/msg/Header", stamp=stamp(self._times[-1])),
            name=list(self._dynamics.names),
            stiffness=estimate.sigma.tolist(),
            deflection=nan,
            elastic_torque=estimate.tau_e.tolist(),
        )
