"""The actuators' friction inside the step of Newton's MuJoCo solver."""

from typing import Any

import numpy as np
import warp as wp

from pliant.assemble import Actuator
from pliant.engines.mujoco_warp.rows import DISCRETE, FrictionRows
from pliant.engines.newton.drive import PliantDrive
from pliant.engines.spec.joints import inertias_in
from pliant.engines.spec.steps import CREEP, steps_of
from pliant.engines.spec.sticking import slip_needed
from pliant.errors import PliantError


def install(solver: Any, model: Any) -> "Friction":
    """Let the solver's steps apply the friction of all `PliantDrive`s of a model.

    Call it before a CUDA graph is captured: `Friction.check_running` detects a graph captured earlier.

    Args:
        solver: a `newton.solvers.SolverMuJoCo` on MuJoCo Warp. model: what the builder finalised.

    Raises:
        PliantError: the model has no such drive, the solver is another one, its callback is taken,
            a joint has no friction row, or a spring is too stiff for the timestep.
    """
    m, d = getattr(solver, "mjw_model", None), getattr(solver, "mjw_data", None)
    if m is None or d is None:
        raise PliantError(
            "is not a solver on MuJoCo Warp",
            field="solver",
            found=type(solver).__name__,
            accepted="newton.solvers.SolverMuJoCo(model), not use_mujoco_cpu",
        )
    actuators = [a for a in model.actuators if isinstance(a.drive, PliantDrive)]
    if not actuators:
        raise PliantError("the model has no actuators of Pliant", accepted="add_actuators first")
    if m.callback.control is not None:
        raise PliantError(
            "the model's callback is taken",
            field="callback.control",
            found=getattr(m.callback.control, "__qualname__", str(m.callback.control)),
            accepted="None; call that function from another of the model's callbacks",
        )
    friction = Friction(solver, m, d, actuators)
    m.callback.control = friction
    return friction


class Friction:
    """The solver's callback: budgets of all actuators, then their friction rows."""

    def __init__(self, solver: Any, m: Any, d: Any, actuators: list[Any]) -> None:
        self._timestep = float(m.opt.timestep.numpy()[0])
        dofs: list[int] = []
        rows = m.dof_frictionloss.numpy()
        to_newton = solver.mjc_dof_to_newton_dof.numpy()
        self._drives: list[tuple[PliantDrive, Any]] = []
        for actuator in actuators:
            place = np.array(
                [_found(to_newton, int(k)) for k in actuator.indices.numpy()], np.int32
            )
            drive: PliantDrive = actuator.drive
            for world, dof in place:
                if (
                    drive.kind.actuator.topology.module.HAS_BUDGET
                    and rows[world % len(rows), dof] <= 0.0
                ):
                    raise PliantError(
                        "has no friction row in the solver",
                        field=f"degree of freedom {dof}",
                        accepted="add_actuators before the builder is finalised",
                    )
            dofs += place[:, 1].tolist()
            drive.steps.assign(_steps(solver.mj_model, drive, place[:, 1], self._timestep))
            drive.installed = True
            self._drives.append((drive, wp.array(place, dtype=int)))
        discrete = int(m.opt.integrator) == DISCRETE
        self._rows = FrictionRows(d.nworld, m.nv, dofs, discrete=discrete)

    def __call__(self, m: Any, d: Any) -> None:
        """Run inside each step."""
        rows = self._rows
        rows.gather(m, d)
        for drive, place in self._drives:
            wp.launch(
                drive.resist,
                dim=place.shape[0],
                inputs=[
                    self._timestep,
                    place,
                    drive.parameters,
                    drive.steps,
                    drive.after,
                    drive.torque,
                    d.qvel,
                    d.qfrc_passive,
                    d.qfrc_bias,
                    d.qfrc_applied,
                    rows.wrench,
                    d.qfrc_constraint,
                    d.efc.force,
                    rows.row,
                ],
                outputs=[drive.load, rows.budget, rows.grip, d.qacc_warmstart, rows.ran],
            )
            if not drive.kind.actuator.topology.module.HAS_BUDGET:
                _settle(drive, place, d)
        rows.write(m, d)

    def check_running(self) -> None:
        """Refuse to go on if no step since the last call, or `install`, has run this.

        Raises:
            PliantError: a graph that was captured before `install` runs without it.
        """
        found, remedy = (
            "a graph captured before `install`",
            "capture the graph again after `install`",
        )
        self._rows.check_running("the actuators' friction did not act", found, remedy)


def _settle(drive: PliantDrive, place: Any, d: Any) -> None:
    """Correct the torques of springs, and the states behind them, to the load of this step."""
    wp.launch(
        drive.settle,
        dim=place.shape[0],
        inputs=[place, drive.parameters, drive.steps, drive.asked, drive.before, drive.load],
        outputs=[drive.next, drive.torque, d.qfrc_applied],
    )


def _found(to_newton: Any, dof: int) -> tuple[int, int]:
    """World and degree of freedom in the solver of one of Newton's."""
    [place] = np.argwhere(to_newton == dof)
    return int(place[0]), int(place[1])


def _steps(model: Any, drive: PliantDrive, dofs: Any, timestep: float) -> Any:
    """(N, 4) sub-steps, grip, mobility of each actuator, for the inertia that its joint feels; the load's."""
    kind: Actuator = drive.kind.actuator
    joints = [str(model.joint(int(model.dof_jntid[dof])).name) for dof in dofs]
    springs = [] if kind.topology.module.HAS_BUDGET else list(dict.fromkeys(joints))
    names = list(dict.fromkeys(joints))
    inertias, coupling = inertias_in(model, names, springs)
    felt = dict(zip(names, inertias, strict=True))
    numbers = drive.parameters.numpy().astype(np.float64)
    carried = model.dof_M0[dofs] - model.dof_armature[dofs]
    rows: list[tuple[float, float, float, float]] = []
    for joint, values, load in zip(joints, numbers, carried, strict=True):
        own = kind.with_values(
            dict(zip(kind.fields, values.tolist(), strict=True)), "Newton", "assumed"
        )
        steps = steps_of(own, felt[joint], timestep, coupling)
        grip = 1.0 / slip_needed(timestep, steps.withheld, CREEP)
        rows.append((float(steps.substeps), grip, steps.mobility, float(load)))
    return np.array(rows, np.float32)
