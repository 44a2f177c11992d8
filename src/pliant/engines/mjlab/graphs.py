"""The simulation's CUDA graphs, captured with the actuators in them.

mjlab captures its step when `Simulation` is made, before the actuators can be hung into the model.
What was captured then runs without them, and says nothing.
"""

from typing import Any

from pliant.engines.mjlab.actuator import PliantActuator
from pliant.errors import PliantError


def capture(env: Any) -> None:
    """Capture the step again, with the actuators. Nothing to do on the CPU.

    Args:
        env: an environment of mjlab, or its `Simulation`.
    """
    simulation = getattr(getattr(env, "unwrapped", env), "sim", env)
    simulation.create_graph()


def groups(env: Any, entity_name: str) -> list[PliantActuator]:
    """The groups of actuators of Pliant in an entity.

    Raises:
        PliantError: it has none.
    """
    found = [a for a in env.scene[entity_name].actuators if isinstance(a, PliantActuator)]
    if not found:
        raise PliantError("has no actuators of Pliant", field=f"entity {entity_name}")
    return found
