"""Joint friction that holds: the settings with which a loaded joint stands still in MuJoCo.

MuJoCo resists motion of a DoF with a force between ±frictionloss that follows, inside that
range, a soft velocity constraint: (1 - d) a + d (-b v) is the acceleration it lets through.
Two numbers decide. The rate b, from `solreffriction`: with b = 1/h a semi-implicit step ends
at rest exactly, which is the stop-torque rule. The impedance d, from `solimpfriction`, at
most 0.9999: what remains is a creep of v = h (1 - d) a, where a is the acceleration that
friction withstands.

`friction_rows.hold` sets the same in every step, with 1 - d down to 1e-6, for actuators that
have a callback; `slip_needed` says how far. The recipe here also holds for joints without a
callback, and for `discrete`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco

from pliant.engines.spec.joints import checked_joint
from pliant.engines.spec.messages import Caution
from pliant.words import counted

__all__ = ["PLACEHOLDER", "SOLIMP", "Sticking", "rate_of", "row_needed", "slip_needed", "stick"]

SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""The largest impedance that MuJoCo allows (mjMAXIMP)."""

_DISCRETE_RATE = 1e7  # 1/s; `discrete` integrates the row implicitly: any rate far above 1/h
_STIFFNESS = 1.0  # unused by friction rows, but both parts of solref must be negative
PLACEHOLDER = 1e-6
"""[N m] Friction of a joint that has none: a row exists only where there is friction."""
_LEAST_SLIP = 1e-6  # below, the solver's own residue is the larger
_FEW_ITERATIONS = 10
_LINE_SEARCH = 50  # MuJoCo's own; with 20, robots that touch themselves diverged (UR3, Talos)
_DISCRETE = 4  # mjINT_DISCRETE; the name exists from MuJoCo 3.13 on


@dataclass(frozen=True)
class Sticking:
    """Settings that `stick` made, and properties of the model that conflict with them."""

    joints: tuple[str, ...]
    solref: tuple[float, float]
    solimp: tuple[float, float, float, float, float]
    reason: str
    warnings: tuple[Caution, ...]

    def __repr__(self) -> str:
        return f"<Sticking: {counted(len(self.joints), 'joint')}>"

    def __str__(self) -> str:
        return "\n".join((self.reason, *(f"warning: {text}" for text in self.warnings)))


def stick(spec: mujoco.MjSpec, joints: Iterable[str]) -> Sticking:
    """Make the dry friction of `joints` hold them still, and say how.

    Sets `solref_friction`, `solimp_friction` and, where it is zero, a tiny `frictionloss`,
    for the spec's own timestep and integrator. Options of the model are left as they are.

    Raises:
        PliantError: a joint is not in the model, or has more than one DoF.
    """
    names = tuple(joints)
    found = [checked_joint(spec, name) for name in names]
    timestep, integrator = float(spec.option.timestep), int(spec.option.integrator)
    solref = rate_of(timestep, integrator)
    for joint in found:
        joint.solref_friction[:] = solref
        joint.solimp_friction[:] = SOLIMP
        _give_row(joint)
    return Sticking(
        joints=names,
        solref=solref,
        solimp=SOLIMP,
        reason=_reason(names, solref, timestep, integrator),
        warnings=tuple(_against(spec)),
    )


def rate_of(timestep: float, integrator: int) -> tuple[float, float]:
    """The `solreffriction` at which a joint within its budget is at rest after one step."""
    rate = _DISCRETE_RATE if integrator == _DISCRETE else 1.0 / timestep
    return (-_STIFFNESS, -rate)


def row_needed(frictionloss: float) -> float:
    """The `frictionloss` of a joint that must have a row: its own, or a tiny one."""
    return frictionloss or PLACEHOLDER


def slip_needed(timestep: float, acceleration: float, creep: float) -> float:
    """The slip (1 - impedance) that keeps the creep of a held joint below `creep`.

    Args:
        timestep: of the model (s).
        acceleration: the largest that friction withstands, breakaway torque over the inertia
            that moves (rad/s²).
        creep: allowed (rad/s).

    Returns:
        Between 1e-6 and 1e-4, for `friction_rows.hold`. At 1e-4 `stick` alone suffices.
    """
    widest = 1.0 - SOLIMP[0]
    if timestep * acceleration * widest <= creep:
        return widest
    return max(_LEAST_SLIP, creep / (timestep * acceleration))


def _give_row(joint: mujoco.MjsJoint) -> None:
    joint.frictionloss = row_needed(joint.frictionloss)


def _reason(
    names: tuple[str, ...], solref: tuple[float, float], timestep: float, integrator: int
) -> str:
    rate = (
        "a rate far above 1/timestep, which the discrete integrator takes implicitly"
        if integrator == _DISCRETE
        else f"the rate 1/timestep of {timestep:g} s"
    )
    return (
        f"friction of {', '.join(names)}: solreffriction=({solref[0]:g}, {solref[1]:g}), {rate},"
        f" so that a joint within its friction budget is at rest after one step;"
        f" solimpfriction=({SOLIMP[0]:g}, …), the stiffest MuJoCo allows."
    )


def _against(spec: mujoco.MjSpec) -> Iterable[Caution]:
    """Warnings about options of the user's model that impair this recipe."""
    option = spec.option
    if option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        yield Caution(
            "integrator",
            "integrator RK4 averages four solves of the friction: it brakes late (measured on a"
            " stop of 100 steps: 2 %, of 40 steps: 7.5 %); use implicitfast",
        )
    if option.solver == mujoco.mjtSolver.mjSOL_PGS:
        yield Caution(
            "solver",
            "solver PGS cannot be stiffened in each step: creep stays at h (1 - d) a; use Newton",
        )
    if option.solver == mujoco.mjtSolver.mjSOL_CG:
        yield Caution(
            "solver", "solver CG may stop before rows this stiff have converged; use Newton"
        )
    if option.iterations < _FEW_ITERATIONS:
        yield Caution(
            "iterations",
            f"iterations={option.iterations} may end before the friction holds; use 100",
            numbers={"iterations": option.iterations},
        )
    if option.ls_iterations < _LINE_SEARCH and option.solver == mujoco.mjtSolver.mjSOL_NEWTON:
        yield Caution(
            "iterations",
            f"ls_iterations={option.ls_iterations} may end before rows this stiff have converged, "
            f"and joints in contact then run away; use {_LINE_SEARCH}",
            numbers={"ls_iterations": option.ls_iterations},
        )
    if option.disableflags & mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS:
        yield Caution("flag", "the flag frictionloss is disabled: no joint has any dry friction")
    if option.disableflags & mujoco.mjtDisableBit.mjDSBL_CONSTRAINT:
        yield Caution("flag", "the flag constraint is disabled: no joint has any dry friction")
