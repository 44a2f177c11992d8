"""The engine MuJoCo Warp: attached actuators in thousands of worlds, on a GPU or the CPU.

Editing of specs comes from `engines.spec`; the C engine is not used here. Light to import: Warp is
loaded when something is installed.
"""

from typing import TYPE_CHECKING, Any

from pliant.engines.mujoco_warp.attach import attach
from pliant.exports import on_first_use
from pliant.extras import need

if TYPE_CHECKING:
    from pliant.engines.mujoco_warp.actuators import WarpActuators
    from pliant.engines.mujoco_warp.installation import install

__all__ = ["WarpActuators", "attach", "install"]

_found = on_first_use(__name__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        need("warp", "warp")
        need("mujoco_warp", "warp", (3, 11))
    return _found(name)
