"""Joint stiffness from encoders and the model of the robot, without force sensors.

    robot = load_dynamics("arm.urdf")
    estimator = StiffnessEstimator(robot, [Joint(kind="avsa")] * robot.n, dt=0.005)
    now = estimator.step(q, theta)                      # now.sigma, now.sigma_std, now.status

Everything is imported on first use: no compiler and no engine is loaded before it is needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant.estimate.cartesian import cartesian_stiffness
    from pliant.estimate.characterise import fit_torque_characteristic
    from pliant.estimate.doubts import StiffnessWarning
    from pliant.estimate.dynamics import Dynamics, load_dynamics
    from pliant.estimate.encoder_file import read_joint_log
    from pliant.estimate.encoder_log import EncoderLog
    from pliant.estimate.end_point import EndPoint
    from pliant.estimate.estimates import Estimate, Status
    from pliant.estimate.estimator import StiffnessEstimator
    from pliant.estimate.joint import Joint
    from pliant.estimate.live import LiveStiffness
    from pliant.estimate.observer import delayed_uio, kalman_jerk, savitzky_golay
    from pliant.estimate.offline import estimate_log
    from pliant.estimate.pendulum import Pendulum
    from pliant.estimate.settings import EstimatorSettings

_HOMES = {
    "Dynamics": "dynamics",
    "EncoderLog": "encoder_log",
    "EndPoint": "end_point",
    "Estimate": "estimates",
    "EstimatorSettings": "settings",
    "Joint": "joint",
    "LiveStiffness": "live",
    "Pendulum": "pendulum",
    "Status": "estimates",
    "StiffnessEstimator": "estimator",
    "StiffnessWarning": "doubts",
    "cartesian_stiffness": "cartesian",
    "delayed_uio": "observer",
    "estimate_log": "offline",
    "fit_torque_characteristic": "characterise",
    "kalman_jerk": "observer",
    "load_dynamics": "dynamics",
    "read_joint_log": "encoder_file",
    "savitzky_golay": "observer",
}

__all__ = [
    "Dynamics",
    "EncoderLog",
    "EndPoint",
    "Estimate",
    "EstimatorSettings",
    "Joint",
    "LiveStiffness",
    "Pendulum",
    "Status",
    "StiffnessEstimator",
    "StiffnessWarning",
    "cartesian_stiffness",
    "delayed_uio",
    "estimate_log",
    "fit_torque_characteristic",
    "kalman_jerk",
    "load_dynamics",
    "read_joint_log",
    "savitzky_golay",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pliant.estimate' has no attribute {name!r}")
    return getattr(import_module(f"pliant.estimate.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
