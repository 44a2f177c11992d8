"""Many actuators in one call, for a simulator in Python that moves the joints itself."""

from collections.abc import Callable, Sequence
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import Actuator, Equations
from pliant.engines.hosts.c_header import KERNEL
from pliant.errors import PliantError, check_kind
from pliant.io.actuator_file import load_actuator
from pliant.lower.kernel import compiled_once
from pliant.lower.law import delay_of, parameters_of, plain

_COLUMNS = ("goal", "preset", "position", "velocity", "load", "inertia", "supply", "on")


class Stepper:
    """Actuators of J joints, stepped together: compiled, the state kept here.

        stepper = pliant.Stepper(["xl330_bam_m6"] * 6, step=0.001)
        torque, budget = stepper.step(position, velocity, goal)

    The arrays may be written at any time; changes take effect in the next step.

    Attributes:
        load: (J,) the other torques on each joint [N m]; load-dependent friction needs it.
        inertia: (J,) that each joint carries [kg m^2]; 0: not known.
        preset: (J,) second command of the actuators that have one.
        supply: (J,) [V], initially the nominal one. on: (J,) 1: torque on, 0: off.
        torque: (J,) on the joints, without friction. budget: (J,) largest friction torque [N m].
        friction: (J,) friction torque, for a host without dry friction; 0 where the inertia is not
            known.
        armature: (J,) inertia of the rotors [kg m^2], which the host adds to its joints.
    """

    def __init__(
        self,
        actuators: Sequence[str | Path | Actuator],
        step: float,
        *,
        position: ArrayLike = 0.0,
    ) -> None:
        """Compile the actuators, and set them at rest.

        Args:
            actuators: one for each joint: name in the catalogue, a TOML file, or an `Actuator`.
            step: of the host [s]; sub-steps are taken internally.
            position: (J,) at which the joints rest [rad].

        Raises:
            PliantError: no actuators, an unknown one, or an invalid step.
        """
        check_kind(step, (int, float), "step", "seconds")
        if not 0.0 < step < inf:
            raise PliantError("not a step", field="step", found=step, accepted="above 0 s")
        known = [load_actuator(one) for one in actuators]
        if not known:
            raise PliantError("no actuators", accepted="at least one")
        self.h = float(step)
        count = len(known)
        self._inputs, self._out = np.zeros((len(_COLUMNS), count)), np.zeros((3, count))
        self._goal, self.preset, self._position, self._velocity = self._inputs[:4]
        self.load, self.inertia, self.supply, self.on = self._inputs[4:]
        self.torque, self.budget, self.friction = self._out
        self.supply[:] = [one.value("own.voltage") for one in known]
        self.on[:] = 1.0
        self.armature = np.array([plain(one)["armature"](parameters_of(one)) for one in known])
        kinds: dict[Equations, list[int]] = {}
        for j, one in enumerate(known):
            kinds.setdefault(one.equations, []).append(j)
        self._groups = [_Group(self, at, [known[j] for j in at]) for at in kinds.values()]
        self._calls = [group.step for group in self._groups]
        self.reset(position)

    def reset(self, position: ArrayLike = 0.0) -> None:
        """Set all at rest at `position` [rad], (J,) or one number, with no pending command."""
        self._position[:] = position
        self._velocity[:] = 0.0
        for group in self._groups:
            group.lines[:] = 0.0
            group.start()

    def step(
        self, position: ArrayLike, velocity: ArrayLike, goal: ArrayLike
    ) -> tuple[Floats, Floats]:
        """One step of all actuators.

        Args:
            position, velocity: (J,) of the joints, at the start of the step [rad, rad/s].
            goal: (J,) present commands, in the unit of each control law.

        Returns:
            (J,) torques on the joints without friction, and (J,) the largest friction torques [N m]:
            `torque` and `budget`, which the next step overwrites.
        """
        self._position[:] = position
        self._velocity[:] = velocity
        self._goal[:] = goal
        for call in self._calls:
            call()
        return self.torque, self.budget

    def led(self, motion: ArrayLike) -> tuple[Floats, list[Floats]]:
        """Steps of all actuators along one motion, in one call.

        Args:
            motion: (M, 4) goal, preset, position [rad] and velocity [rad/s] of each step.

        Returns:
            (M, J) torques on the joints without friction [N m], and for each combination of laws
            (M, N, S) states before each step in SI units, as in `snapshot`.

        Raises:
            PliantError: the motion has another shape.
        """
        motion = np.ascontiguousarray(motion, np.float64)
        if motion.ndim != 2 or motion.shape[1] != 4:
            raise PliantError(
                "has another shape",
                field="motion",
                found=motion.shape,
                accepted="(M, 4): goal, preset, position, velocity",
            )
        torques = np.empty((len(motion), len(self.torque)))
        states = [np.empty((len(motion), *group.rows.shape)) for group in self._groups]
        for group, kept in zip(self._groups, states, strict=True):
            group.led(motion, torques, kept)
        return torques, states

    def snapshot(self) -> list[Floats]:
        """The complete state of the actuators, for `restore`, which may use it repeatedly.

        Returns:
            For each combination of laws, (N, S) states in SI units and (N, 2, K) pending commands.
        """
        return [kept.copy() for kept in self._kept()]

    def restore(self, snapshot: Sequence[Floats]) -> None:
        """Restore a snapshot.

        Args:
            snapshot: arrays of shapes (N, S) and (N, 2, K) in SI units, from this stepper or from
                one of the same actuators and step.

        Raises:
            PliantError: it is of other actuators.
        """
        kept = self._kept()
        if [one.shape for one in snapshot] != [one.shape for one in kept]:
            raise PliantError("is of other actuators", field="snapshot")
        for one, saved in zip(kept, snapshot, strict=True):
            one[:] = saved

    def _kept(self) -> list[Floats]:
        return [array for group in self._groups for array in (group.rows, group.lines)]


class _Group:
    """Joints whose actuators have the same laws."""

    def __init__(self, home: Any, joints: Sequence[int], actuators: Sequence[Actuator]) -> None:
        first = actuators[0]
        at = np.array(joints, np.int64)
        parameters = np.array([one.values for one in actuators])
        self.rows = np.zeros((len(at), len(first.state)))
        latest = max(delay_of(one) for one in actuators)
        self.lines = np.zeros((len(at), 2, 1 + ceil(latest / home.h)))
        code = compiled_once(KERNEL, ("starts", "steps", "led"), first.equations)
        inputs, out = home._inputs, home._out  # noqa: SLF001 - one class in two parts
        self.start: Callable[[], Any] = code["starts"].bound(at, inputs, parameters, self.rows)
        arrays = at, inputs, parameters, self.lines, self.rows, out
        self.step: Callable[[], Any] = code["steps"].bound(*arrays, home.h)
        self._led, self._arrays, self._h = code["led"], arrays, home.h

    def led(self, motion: Floats, torques: Floats, states: Floats) -> None:
        """Step along a motion, and fill both arrays; see `Stepper.led`."""
        self._led(motion, *self._arrays, torques, states, self._h)
