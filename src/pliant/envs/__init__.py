"""Gymnasium environments whose joints behave like measured ones, on the C engine.

    env = gymnasium.make("pliant.envs:pliant/ServoReach-v0")

Importing this package registers them. It has no laws or engine of its own.
"""

# ruff: noqa: E402 - a missing extra is named before anything here needs it
from pliant.extras import need

need("gymnasium", "gym")

from typing import Any

import gymnasium

from pliant.envs.arms import ARMS, Arm
from pliant.envs.reach import ReachEnv, ReachVectorEnv
from pliant.envs.wrap import ActuatedEnv, with_actuators

__all__ = ["ARMS", "ActuatedEnv", "Arm", "ReachEnv", "ReachVectorEnv", "with_actuators"]

_NATIVE: Any = gymnasium  # `register` is only partly typed

for _arm in ARMS:
    if f"pliant/{_arm}-v0" not in gymnasium.registry:
        _NATIVE.register(
            f"pliant/{_arm}-v0",
            entry_point="pliant.envs.reach:ReachEnv",
            vector_entry_point="pliant.envs.reach:ReachVectorEnv",
            max_episode_steps=150,
            kwargs={"arm": _arm},
        )
if "pliant/Ant-v0" not in gymnasium.registry:
    _NATIVE.register("pliant/Ant-v0", entry_point="pliant.envs.wrap:ant", max_episode_steps=1000)
