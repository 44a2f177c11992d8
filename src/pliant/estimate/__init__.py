"""Joint stiffness from encoders and the model of the robot, without force sensors.

    robot = load_dynamics("arm.urdf")
    estimator = StiffnessEstimator(robot, [Joint(kind="avsa")] * robot.n, dt=0.005)
    now = estimator.step(q, theta)                      # now.sigma, now.sigma_std, now.status

Everything is imported on first use: compilers and engines are loaded only when needed.
"""

from typing import TYPE_CHECKING

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.estimate.cartesian import EndPoint, cartesian_stiffness
    from pliant.estimate.characterise import fit_torque_characteristic
    from pliant.estimate.dynamics import Dynamics, Pendulum, load_dynamics
    from pliant.estimate.estimates import Estimate, Status, StiffnessChange, StiffnessWarning
    from pliant.estimate.estimator import StiffnessEstimator
    from pliant.estimate.live import LiveStiffness
    from pliant.estimate.model_error import ModelError, model_errors
    from pliant.estimate.offline import estimate_log
    from pliant.estimate.settings import EstimatorSettings, Joint
    from pliant.io.encoder_file import EncoderLog, read_joint_log


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
    "estimate_log",
    "fit_torque_characteristic",
    "load_dynamics",
    "model_errors",
    "read_joint_log",
]

__getattr__ = on_first_use(__name__)


def __dir__() -> list[str]:
    return __all__
