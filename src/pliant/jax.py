"""Actuators in JAX: pure functions that can be differentiated, vectorised and compiled.

servo = pliant.jax.actuator("xl330_bam_m6", step=0.001)
state = servo.start(servo.parameters, 0.0)
state, out = servo.step(servo.parameters, state, goal=0.5, position=0.0, velocity=0.0)
"""

from pliant.engines.hosts.array_functions import Around, Output, State
from pliant.engines.hosts.jax_actuator import JaxActuator, MjxJoints, actuator, mjx_joints, mjx_step

__all__ = [
    "Around",
    "JaxActuator",
    "MjxJoints",
    "Output",
    "State",
    "actuator",
    "mjx_joints",
    "mjx_step",
]
