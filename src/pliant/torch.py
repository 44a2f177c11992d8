"""Actuators in torch: a module for many joints at once, with gradients.

servo = pliant.torch.Actuator("xl330_bam_m6", step=0.001)
state = servo.start(torch.zeros(4096, 12))
state, out = servo(state, goal, position, velocity)
"""

from typing import TYPE_CHECKING

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.engines.hosts.array_functions import Around, Output, State
    from pliant.engines.hosts.torch_actuator import Actuator

__all__ = ["Actuator", "Around", "Output", "State"]

# Imported on use: torch is an extra, and takes seconds to import.
__getattr__ = on_first_use(__name__)
