"""Run the attached actuators in MuJoCo Warp.

    attachment = attach(spec, {"elbow": "xl330_bam_m6"})
    model = spec.compile()
    m, d = mjw.put_model(model), mjw.make_data(model, nworld=4096)
    actuators = install(attachment, model, m, d)      # from here on `mjw.step` runs them

1. sort the actuators by kind: those of the same laws share a compiled kernel
2. one row of parameters for each world and joint
3. add them to the model's callback: each kind, then the friction rows
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import warp as wp

from pliant.assemble import Equations
from pliant.engines.mujoco_warp.actuators import Kind, Together, WarpActuators
from pliant.engines.mujoco_warp.attach import no_runge_kutta
from pliant.engines.mujoco_warp.rows import DISCRETE
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.joints import references
from pliant.engines.spec.readings import second_command_of
from pliant.engines.spec.slots import GRIP, MADE_FOR, MOBILITY, STATE, SUBSTEPS
from pliant.errors import PliantError
from pliant.lower.kernel import compiled_for_warp

_LOG = logging.getLogger(__name__)
_KERNEL = Path(__file__).with_name("kernel.py")
CLOSE = 1e-6
"""Part of a timestep: XML keeps six digits."""
_ENTRIES = {"actuate": "@wp.kernel"}


def install(attachment: Attachment, model: mujoco.MjModel, m: Any, d: Any) -> WarpActuators:
    """Make `mujoco_warp.step(m, d)` run the actuators of `attachment`.

    Everything that a step needs is allocated here, so a CUDA graph may be captured afterwards; one
    captured before does not run the actuators (`WarpActuators.check_running` finds that out).

    Args:
        attachment: returned by `attach` of this engine.
        model: the compiled spec. m, d: from `put_model` and `make_data` or `put_data`.

    Raises:
        PliantError: the extra is missing or its version does not fit; the model is not that of the
            attachment, or has another timestep; its integrator is RK4; the callback is taken.
    """
    _check_timestep(attachment, model)
    before = _before(attachment, model, m)
    kinds = [_kind(model, entries, d.nworld) for entries in _by_laws(attachment.joints).values()]
    dyntype = m.actuator_dyntype.numpy()
    for kind in kinds:
        # Warp's engine never integrates `act` of dyntype user.
        dyntype[kind.numbers] = int(mujoco.mjtDyn.mjDYN_INTEGRATOR)
    m.actuator_dyntype.assign(dyntype)
    if m.dof_armature.shape[0] != d.nworld:
        m.dof_armature = wp.array(
            np.broadcast_to(m.dof_armature.numpy()[:1], (d.nworld, model.nv)).copy(), dtype=float
        )
    actuators = WarpActuators(kinds, model, m, d, discrete=_integrator(model) == DISCRETE)
    if not wp.is_cuda_available():
        _LOG.warning("no CUDA device: MuJoCo Warp runs on the CPU")
    m.callback.act_bias = Together([*before, actuators])
    return actuators


def _before(attachment: Attachment, model: mujoco.MjModel, m: Any) -> tuple[WarpActuators, ...]:
    """Actuators installed in this model before, on other joints."""
    if _integrator(model) == int(mujoco.mjtIntegrator.mjINT_RK4):
        raise no_runge_kutta()
    taken = m.callback.act_bias
    if taken is None:
        return ()
    if not isinstance(taken, Together):
        raise PliantError(
            "the model's callback is taken",
            field="callback.act_bias",
            found=getattr(taken, "__qualname__", str(taken)),
            accepted="None; call your function from another callback of the model",
        )
    joints = {joint for one in taken.each for joint in one.joints}
    for one in attachment.joints:
        if one.joint in joints:
            raise PliantError("is installed in this model already", field=f"joint {one.joint}")
    return taken.each


def _check_timestep(attachment: Attachment, model: mujoco.MjModel) -> None:
    """Sub-steps and kept commands are those of the timestep at `attach`."""
    known = {model.actuator(k).name: k for k in range(model.nu)}
    numbers = [known[one.name] for one in attachment.joints if one.name in known]
    for made in model.actuator_dynprm[numbers, MADE_FOR]:
        if made > 0.0 and abs(made - model.opt.timestep) > CLOSE * made:
            raise PliantError(
                "is not the one that the actuators were attached for",
                field="timestep",
                found=float(model.opt.timestep),
                accepted=f"{made:g} [s], or set spec.option.timestep before attach",
            )


def _integrator(model: mujoco.MjModel) -> int:
    return int(model.opt.integrator)


def _by_laws(attached: Sequence[Attached]) -> dict[Equations, list[Attached]]:
    found: dict[Equations, list[Attached]] = {}
    for one in attached:
        found.setdefault(one.actuator.equations, []).append(one)
    return found


@dataclass(frozen=True)
class _Place:
    """Addresses of one actuator, in the order in which the kernel reads them."""

    number: int
    qpos: int
    dof: int
    act: int
    control: int
    second: int
    kept: int

    def row(self) -> list[int]:
        return [*vars(self).values()]


def _place(model: mujoco.MjModel, one: Attached) -> _Place:
    names = {model.actuator(k).name: k for k in range(model.nu)}
    if one.name not in names:
        raise PliantError(
            "the model is not the one that was attached to",
            field=f"actuator {one.name}",
            accepted=[*names],
        )
    number = names[one.name]
    joint = int(model.actuator_trnid[number, 0])
    commands = references(one.actuator)
    second = second_command_of(model, number) if commands > 1 else number
    state = STATE + len(one.actuator.state)
    return _Place(
        number=number,
        qpos=int(model.jnt_qposadr[joint]),
        dof=int(model.jnt_dofadr[joint]),
        act=int(model.actuator_actadr[number]),
        control=int(model.actuator_ctrladr[number]),
        second=int(model.actuator_ctrladr[second]),
        kept=(int(model.actuator_actnum[number]) - state) // commands,
    )


def _kind(model: mujoco.MjModel, entries: Sequence[Attached], nworld: int) -> Kind:
    first = entries[0].actuator
    module, prefix = compiled_for_warp(_KERNEL, _ENTRIES, first.equations)
    places = [_place(model, one) for one in entries]
    numbers = [place.number for place in places]
    dofs = [place.dof for place in places]
    carried = model.dof_M0[dofs] - model.dof_armature[dofs]
    steps = np.column_stack(
        [model.actuator_dynprm[numbers][:, [SUBSTEPS, GRIP, MOBILITY]], carried]
    )
    parameters = np.stack([model.actuator_user[n, : len(first.fields)] for n in numbers])
    worlds = np.broadcast_to(parameters, (nworld, *parameters.shape))
    return Kind(
        kernel=getattr(module, f"{prefix}actuate"),
        attached=tuple(entries),
        numbers=numbers,
        dofs=dofs,
        place=wp.array(np.array([place.row() for place in places], np.int32), dtype=int),
        enabled=wp.array([_enabled(model, n) for n in numbers], dtype=float),
        parameters=wp.array(worlds.copy(), dtype=float, ndim=3),
        steps=wp.array(steps[None], dtype=float, ndim=3),
    )


def _enabled(model: mujoco.MjModel, actuator: int) -> float:
    """0 while the actuator's group is disabled: torque off, the joint still has its friction."""
    group = int(model.actuator_group[actuator])
    disabled = int(model.opt.disableactuator)
    return 0.0 if 0 <= group < 31 and (disabled >> group) & 1 else 1.0
