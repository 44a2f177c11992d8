"""A robot on legs: Gymnasium's Ant, whose MJCF that package ships, with servos one can buy."""

from collections.abc import Mapping
from typing import Any

import gymnasium

from pliant.assemble import Actuator
from pliant.envs.randomise import Draws
from pliant.envs.wrap import ActuatedEnv, with_actuators

TIMESTEP = 0.0025
"""[s] Twenty of them for an action, which is as long as Gymnasium's."""


def ant(
    actuators: str | Actuator | Mapping[str, Actuator | str] = "mx106_bam_m6",
    draws: Draws | None = None,
    **options: Any,
) -> ActuatedEnv:
    """`Ant-v5` with goal positions of its eight joints as actions.

    Args:
        actuators: joint (hip_1, ankle_1, ...) to actuator, or one for all; by default an
            MX-106.
        draws: joint to parameter to values of which each reset takes one row.
        options: of Gymnasium's environment. Actions cost nothing, being positions.

    Raises:
        PliantError: no such joint, actuator or parameter.
    """
    settings: dict[str, Any] = {"ctrl_cost_weight": 0.0, **options}
    made = gymnasium.make("Ant-v5", disable_env_checker=True, **settings)
    return with_actuators(made.unwrapped, actuators, timestep=TIMESTEP, draws=draws)
