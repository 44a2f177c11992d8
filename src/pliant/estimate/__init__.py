"""Joint stiffness from encoders and the model of the robot, without force sensors.

    robot = load_dynamics("arm.urdf")
    estimator = StiffnessEstimator(robot, [Joint(kind="avsa")] * robot.n, dt=0.005)
    now = estimator.step(q, theta)                      # now.sigma, now.sigma_std, now.status

Everything is imported on first use: no compiler and no engine is loaded before it is needed.
"""

from typing import TYPE_CHECKING

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.estimate.cartesian import cartesian_stiffness
    from pliant.estimate.characterise import fit_torque_characteristic
    from pliant.estimate.doubts import StiffnessWarning
    from pliant.estimate.dynamics import Dynamics, load_dynamics
    from pliant.estimate.end_point import EndPoint
    from pliant.estimate.estimates import Estimate, Status, StiffnessChange
    from pliant.estimate.estimator import StiffnessEstimator
    from pliant.estimate.joint import Joint
    from pliant.estimate.live import LiveStiffness
    from pliant.estimate.model_error import ModelError, model_errors
    from pliant.estimate.observer import delayed_uio, kalman_jerk, savitzky_golay
    from pliant.estimate.offline import estimate_log
    from pliant.estimate.pendulum import Pendulum
    from pliant.estimate.settings import EstimatorSettings
    from pliant.io.encoder_file import EncoderLog, read_joint_log

_HOMES = {
    "Dynamics": "pliant.estimate.dynamics",
    "EncoderLog": "pliant.io.encoder_file",
    "EndPoint": "pliant.estimate.end_point",
    "Estimate": "pliant.estimate.estimates",
    "EstimatorSettings": "pliant.estimate.settings",
    "Joint": "pliant.estimate.joint",
    "LiveStiffness": "pliant.estimate.live",
    "ModelError": "pliant.estimate.model_error",
    "Pendulum": "pliant.estimate.pendulum",
    "Status": "pliant.estimate.estimates",
    "StiffnessChange": "pliant.estimate.estimates",
    "StiffnessEstimator": "pliant.estimate.estimator",
    "StiffnessWarning": "pliant.estimate.doubts",
    "cartesian_stiffness": "pliant.estimate.cartesian",
    "delayed_uio": "pliant.estimate.observer",
    "estimate_log": "pliant.estimate.offline",
    "fit_torque_characteristic": "pliant.estimate.characterise",
    "kalman_jerk": "pliant.estimate.observer",
    "load_dynamics": "pliant.estimate.dynamics",
    "model_errors": "pliant.estimate.model_error",
    "read_joint_log": "pliant.io.encoder_file",
    "savitzky_golay": "pliant.estimate.observer",
}

__all__ = [
    "Dynamics",
    "EncoderLog",
    "EndPoint",
    "Estimate",
    "EstimatorSettings",
    "Joint",
    "LiveStiffness",
    "ModelError",
    "Pendulum",
    "Status",
    "StiffnessChange",
    "StiffnessEstimator",
    "StiffnessWarning",
    "cartesian_stiffness",
    "delayed_uio",
    "estimate_log",
    "fit_torque_characteristic",
    "kalman_jerk",
    "load_dynamics",
    "model_errors",
    "read_joint_log",
    "savitzky_golay",
]

__getattr__ = on_first_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
