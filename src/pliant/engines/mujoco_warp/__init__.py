"""The engine MuJoCo Warp: attached actuators in thousands of worlds, on a GPU or the CPU.

What editing a spec needs comes from `engines.spec`; nothing of the C engine is known here. Light to
import: Warp is loaded when something is installed.
"""

from typing import TYPE_CHECKING

from pliant.engines.mujoco_warp.attach import attach
from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.engines.mujoco_warp.actuators import WarpActuators
    from pliant.engines.mujoco_warp.installation import install

__all__ = ["WarpActuators", "attach", "install"]


__getattr__ = on_first_use(__name__)
