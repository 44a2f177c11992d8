"""Actuators in Newton: a drive for `newton.actuators`, and friction inside the solver's step.

    from pliant.engines.newton import add_actuators, install

    add_actuators(builder, {"elbow": "xl330_bam_m6"})
    model = builder.finalize()
    solver = newton.solvers.SolverMuJoCo(model)
    install(solver, model)

Isaac Lab's adapter for Newton's actuators steps the drive too.
"""

from typing import TYPE_CHECKING, Any

from pliant.exports import on_first_use
from pliant.extras import need

if TYPE_CHECKING:
    from pliant.engines.newton.drive import PliantDrive, add_actuators
    from pliant.engines.newton.friction import install

__all__ = ["PliantDrive", "add_actuators", "install"]

_found = on_first_use(__name__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        need("newton", "newton", (1, 6))
    return _found(name)
