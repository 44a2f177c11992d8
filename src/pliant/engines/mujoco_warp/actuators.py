"""The actuators of a MuJoCo Warp model: their step, and each world's own numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.mujoco_warp.rows import FrictionRows, next_draw, redraw
from pliant.engines.spec.attachment import Attached
from pliant.engines.spec.randomise import Draws, drawn_table, file_of, filled
from pliant.engines.spec.slots import STATE
from pliant.errors import PliantError, check_known, located

ARMATURE = "own.armature"
ACT = 3
"""Column of a kind's places that holds where its part of `act` begins."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Actuators of the same laws, A of them in W worlds.

    Attributes:
        kernel: of all of them. attached: one by one.
        numbers, dofs: their actuators and degrees of freedom in the model.
        place: (A, 7) where their things are. enabled: (A,) 0 where the torque is off.
        parameters: (W, A, P). steps: (1, A, 4) sub-steps, grip of the friction row, mobility,
            and the inertia of the load in the reference pose [kg m^2].
    """

    kernel: Any
    attached: tuple[Attached, ...]
    numbers: list[int]
    dofs: list[int]
    place: Any
    enabled: Any
    parameters: Any
    steps: Any


class WarpActuators:
    """Actuators that `install` added to a model.

    Attributes:
        joints: with an actuator, in the order in which they were attached, kind by kind.
    """

    def __init__(
        self, kinds: Sequence[Kind], model: mujoco.MjModel, m: Any, d: Any, *, discrete: bool
    ) -> None:
        self.kinds = tuple(kinds)
        self.joints = tuple(one.joint for kind in kinds for one in kind.attached)
        self._where = {
            one.joint: (kind, k) for kind in kinds for k, one in enumerate(kind.attached)
        }
        self._m = m
        disabled = int(model.opt.disableflags)
        self._clamped = not disabled & int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
        dofs = [dof for kind in kinds for dof in kind.dofs]
        self._rows = FrictionRows(d.nworld, model.nv, dofs, discrete=discrete)
        self._tables: list[tuple[Kind, int, Any, Any]] = []
        self._draw = wp.zeros(1, dtype=int)

    def act(self, m: Any, d: Any) -> None:
        """The callback: torque, state and budget of each kind, then the friction rows."""
        rows = self._rows
        rows.gather(m, d)
        for kind in self.kinds:
            wp.launch(
                kind.kernel,
                dim=(d.nworld, len(kind.numbers)),
                inputs=[
                    m.opt.timestep,
                    d.qpos,
                    d.qvel,
                    d.ctrl,
                    d.act,
                    d.qfrc_passive,
                    d.qfrc_bias,
                    d.qfrc_applied,
                    rows.wrench,
                    d.qfrc_constraint,
                    d.efc.force,
                    m.actuator_gear,
                    m.actuator_ctrllimited,
                    m.actuator_ctrlrange,
                    m.actuator_forcelimited,
                    m.actuator_forcerange,
                    kind.place,
                    kind.enabled,
                    self._clamped,
                    kind.parameters,
                    kind.steps,
                    rows.row,
                ],
                outputs=[
                    d.act_dot,
                    d.actuator_force,
                    rows.budget,
                    rows.grip,
                    rows.ran,
                    d.qacc_warmstart,
                ],
            )
        rows.write(m, d)

    def parameter(self, joint: str, name: str) -> Floats:
        """(W,) A parameter ("motor.k_t") of the actuator on `joint` in each world, in SI units.

        Raises:
            PliantError: no actuator on this joint, or it has no such parameter.
        """
        kind, k, column = self._column(joint, name)
        return kind.parameters.numpy()[:, k, column].astype(np.float64)

    def parameter_view(self, joint: str, name: str) -> Any:
        """(W,) The same as a `wp.array` on the device, which follows later changes and draws.

        Raises:
            PliantError: as of `parameter`.
        """
        kind, k, column = self._column(joint, name)
        return kind.parameters[:, k, column]

    def number(self, joint: str) -> int:
        """The number in the model of the actuator on `joint`.

        Raises:
            PliantError: nothing was attached to this joint.
        """
        kind, k = self._on(joint)
        return kind.numbers[k]

    def state_column(self, joint: str, name: str) -> int:
        """The column of `act` that holds an entry of the actuator's state, such as `rotor.theta`.

        Raises:
            PliantError: nothing was attached to this joint, or its actuator has no such state.
        """
        kind, k = self._on(joint)
        state = list(kind.attached[k].actuator.state)
        check_known(name, state, "has no such state", joint)
        return int(kind.place.numpy()[k, ACT]) + STATE + state.index(name)

    def set(self, joint: str, values: Mapping[str, ArrayLike]) -> None:
        """Set parameters of the actuator on `joint`: one number, or (W,) one for each world.

        Rotor inertia is also written to the model. Sub-steps and grip stay those of the attached
        actuator.

        Raises:
            PliantError: no actuator on this joint, no such parameter, a number that is not finite,
                or neither one number nor one for each world.
        """
        for name, value in values.items():
            kind, k, column = self._column(joint, name)
            numbers = np.asarray(value, np.float64)
            worlds = kind.parameters.shape[0]
            if numbers.shape not in ((), (worlds,)) or not np.isfinite(numbers).all():
                raise PliantError(
                    "must be one finite number, or one for each world",
                    field=f"{joint}: {name}",
                    found=f"shape {numbers.shape}" if numbers.shape else numbers,
                    accepted=f"a number, or {worlds} of them",
                )
            everything = kind.parameters.numpy()
            everything[:, k, column] = numbers
            kind.parameters.assign(everything)
            if name == ARMATURE:
                self._set_armature(kind, k, everything[:, k, column])

    def draw_from(self, tables: Draws, seed: int = 1) -> None:
        """Set the parameter sets that `redraw` draws from, joint by joint.

        Args:
            tables: joint to parameter to its K values, of which row k is one set, or to the CSV file
                that `identify` writes. Each joint of each world takes a row of its own.
            seed: random seed.

        Raises:
            PliantError: no such joint or parameter, columns of different length, or a value outside its
                law's range.
        """
        self._tables = []
        for joint, given in tables.items():
            kind, k = self._on(joint)
            actuator = kind.attached[k].actuator
            with located(file_of(given), f"draws of {joint}"):
                table = drawn_table(given, actuator)
                rows = filled(actuator, table)
            columns = np.array([list(actuator.fields).index(name) for name in table], np.int32)
            values = wp.array(rows[:, columns], dtype=float, ndim=2)
            self._tables.append((kind, k, values, wp.array(columns, dtype=int)))
        self._draw.fill_(seed)

    def redraw(self, worlds: Any = None) -> None:
        """Give each world, or those that `worlds` marks, a parameter set of its own, on the device.

        Args:
            worlds: (W,) `wp.array` of bool; None means all. For the reset of a training loop, also
                inside a captured graph.
        """
        count = self._rows.row.shape[0]
        mask = wp.full(count, True, dtype=bool) if worlds is None else worlds
        gear = self._m.actuator_gear
        for number, (kind, k, table, columns) in enumerate(self._tables):
            names = list(kind.attached[k].actuator.fields)
            own = names.index(ARMATURE) if ARMATURE in names else -1
            wp.launch(
                redraw,
                dim=count,
                inputs=[
                    mask,
                    self._draw,
                    number,
                    table,
                    columns,
                    k,
                    own,
                    kind.dofs[k],
                    kind.numbers[k],
                    gear,
                ],
                outputs=[kind.parameters, self._m.dof_armature],
            )
        wp.launch(next_draw, dim=1, inputs=[self._draw])

    def check_running(self, remedy: str = "capture the graph again after `install`") -> None:
        """Raise an error if no step since the last call, or `install`, has run the actuators.

        Args:
            remedy: advice in the error.

        Raises:
            PliantError: a graph that was captured before `install` runs without them.
        """
        found = "a model without them, or a graph captured before `install`"
        self._rows.check_running("the actuators did not run", found, remedy)

    def _on(self, joint: str) -> tuple[Kind, int]:
        check_known(joint, self._where, "nothing was attached to this joint")
        return self._where[joint]

    def _column(self, joint: str, name: str) -> tuple[Kind, int, int]:
        kind, k = self._on(joint)
        actuator = kind.attached[k].actuator
        actuator.check_names([name])
        return kind, k, list(actuator.fields).index(name)

    def _set_armature(self, kind: Kind, k: int, values: Floats) -> None:
        gear = self._m.actuator_gear.numpy()[0, kind.numbers[k], 0]
        armature = self._m.dof_armature.numpy()
        armature[:, kind.dofs[k]] = values * gear * gear
        self._m.dof_armature.assign(armature)


class Together:
    """The model's callback: one attachment after another, each with its own joints."""

    def __init__(self, each: Sequence[WarpActuators]) -> None:
        self.each = tuple(each)

    def __call__(self, m: Any, d: Any) -> None:
        """Step all of them."""
        for one in self.each:
            one.act(m, d)
