"""Simulated trials of a robot's servos with other gains, over draws of their parameters: steps and motions.

Each motion ends in a pose. In one trial the goals jump to it from both sides; in the other the robot follows the
motion and rests. Every draw is simulated, on threads.

Left out: the firmware's own sampling, unless the actuator's laws have it; noise; heating.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.placing import Wanted
from pliant.engines.spec.slots import STATE
from pliant.errors import PliantError
from pliant.lower.law import lower_actuator
from pliant.processes import processors
from pliant.robots.compensator import Compensator, robot_spec
from pliant.robots.goal_limits import allowed_numbers
from pliant.robots.joint_groups import places_of

COUNT = 2.0 * np.pi / 4096.0
"""[rad] One count of a 12-bit encoder."""
STEP, HOLD, REST = 0.002, 1.0, 4.0
"""[s] Longest timestep of the simulation; time before each step or motion; and after it."""
OFFSET, NEAR, CYCLING = 0.15, 5e-3, 2.0 * COUNT
"""[rad] Size of a step; distance at which a joint has settled; motion in the last second that means a limit cycle."""
LONGEST = 120.0
"""[s] Of a motion."""
POSES = 500
"""Number of a motion's poses that are checked for whether they can be held."""
DELAY = "timing.delay"


@dataclass(frozen=True, eq=False)
class Measured:
    """(D, J) each, of D draws and J joints.

    Attributes:
        gap: between the rest positions from both sides [rad]. overshoot: beyond the rest position [rad].
        settling: time until within 5 mrad of the rest [s]. left: integral of the distance from the goal
            after a step [rad s]. cycling: motion back and forth at rest [rad].
        error: mean along the motions [rad]. heat: mean of the winding [W]. current: highest [A].
    """

    gap: Floats
    overshoot: Floats
    settling: Floats
    left: Floats
    cycling: Floats
    error: Floats
    heat: Floats
    current: Floats


class ServoTrials:
    """D draws of a robot's servos, from the uncertainty in its actuators' files.

    Args:
        model, actuators: as of `Compensator`. payload: site or body to mass [kg]. draws: D. options: of `attach`.

    Attributes:
        joints: names, in the order of all arrays. actuators: as attached.

    Raises:
        PliantError: an actuator is not a servo that takes a position.
    """

    def __init__(
        self,
        model: str | Path | mujoco.MjSpec,
        actuators: Wanted | None = None,
        *,
        payload: Mapping[str, float] | None = None,
        draws: int = 60,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self._known = known = Compensator(model, actuators, cycle=STEP, payload=payload, **options)
        spec, self._attached = robot_spec(model, actuators, payload or {}, options, None)
        spec.option.timestep = min(spec.option.timestep, STEP)
        self._step = float(spec.option.timestep)
        anything: Any = mujoco  # its type stubs lack some
        self._rollout: Any = importlib.import_module("mujoco.rollout").Rollout
        sensors: Any = spec
        for joint in known.joints:
            kind = anything.mjtSensor.mjSENS_JOINTACTFRC
            sensors.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=joint)
        with unlogged():
            base: Any = spec.compile()
        self._models = [base, *(spec.compile() for _ in range(draws - 1))]
        self._places = places_of(base, self._attached)
        self.joints, self.actuators = self._places.joints, self._places.actuators
        for joint, unit in zip(self.joints, self.actuators, strict=True):
            if unit.topology.name != "rigid_servo":
                raise PliantError(
                    "is no servo",
                    field=f"joint {joint}",
                    found=f"{unit.name}, topology {unit.topology.name}",
                    accepted="rigid_servo",
                )
        self._force: int = base.nsensordata - len(self.joints)
        self._range = _ranges(base, self.joints)
        self._motions: list[tuple[Floats, Floats]] = []
        self._rows = self._drawn(draws, np.random.default_rng(seed))

    def follow(self, time: Floats, positions: Floats) -> None:
        """Add a motion: time (N,) [s] and positions (N, J) [rad, m]."""
        self._check(time, positions)
        self._known.check_holds(positions[:: max(len(time) // POSES, 1)])
        self._motions.append((time, positions))

    def run(self, changes: Sequence[Mapping[str, float]]) -> Measured:
        """Try numbers of each joint.

        Args:
            changes: for each joint, parameter to a factor on its drawn value.
        """
        self._write(changes)
        found = [self._tried(time, positions) for time, positions in self._motions]
        highest = ("overshoot", "cycling", "current")
        return Measured(
            **{
                f.name: (np.max if f.name in highest else np.mean)(
                    [getattr(one, f.name) for one in found], axis=0
                )
                for f in fields(Measured)
            }
        )

    def _check(self, time: Floats, positions: Floats) -> None:
        if time[-1] - time[0] > LONGEST:
            accepted = f"at most {LONGEST:g} s"
            raise PliantError(
                "is too long", field="time", found=time[-1] - time[0], accepted=accepted
            )
        low, high = self._range
        beyond = (positions < low - 1e-6) | (positions > high + 1e-6)
        for j in map(int, np.flatnonzero(beyond.any(axis=0))):
            accepted = f"{low[j]:g} to {high[j]:g}, its range"
            found = float(positions[beyond[:, j], j][0])
            raise PliantError(
                "is beyond the joint's range", field=self.joints[j], found=found, accepted=accepted
            )

    def _drawn(self, draws: int, rng: np.random.Generator) -> list[dict[str, Floats]]:
        """Draw, for each joint, parameter to its (D,) values."""
        found: list[dict[str, Floats]] = []
        for unit in self.actuators:
            rows = allowed_numbers(unit, int(rng.integers(1 << 30)))
            rows = rows[rng.integers(len(rows), size=draws)]
            one = {name: rows[:, k] for k, name in enumerate(unit.fields)}
            if DELAY in one:  # MuJoCo keeps commands no longer than the attached delay needs
                one[DELAY] = np.minimum(one[DELAY], unit.value(DELAY))
            found.append(one)
        return found

    def _write(self, changes: Sequence[Mapping[str, float]]) -> None:
        for d, model in enumerate(self._models):
            draws = {
                joint: {n: x[d : d + 1] * factors.get(n, 1.0) for n, x in row.items()}
                for joint, row, factors in zip(self.joints, self._rows, changes, strict=True)
            }
            self._attached.randomise(model, draws, seed=0)

    def _tried(self, time: Floats, positions: Floats) -> Measured:
        """One motion, and the steps to where it ends."""
        pose, hold = positions[-1], round(HOLD / self._step)
        rest, last = round(REST / self._step), round(1.0 / self._step)
        sides: list[Floats] = []
        over: list[Floats] = []
        settle: list[Floats] = []
        left: list[Floats] = []
        cycling: list[Floats] = []
        loads: list[tuple[Floats, Floats]] = []
        for side in (-1.0, 1.0):
            begin = np.clip(pose + side * OFFSET, *self._range)
            run, load = self._simulated(np.repeat([begin, pose], [hold, rest], axis=0), hold)
            at_rest = run[:, -last:].mean(axis=1)
            away = run - at_rest[:, None]
            sides.append(at_rest)
            over.append((-side * away).max(axis=1).clip(0.0))
            outside = np.cumsum((np.abs(away) > NEAR)[:, ::-1], axis=1)[:, ::-1] > 0
            settle.append(outside.sum(axis=1) * self._step)
            left.append(np.abs(run - pose).sum(axis=1) * self._step)
            cycling.append(_cycling(run[:, -last:]))
            loads.append(load)
        even: Floats = np.arange(0.0, time[-1] - time[0], self._step, dtype=np.float64)
        lines: list[Floats] = [np.interp(even, time - time[0], line) for line in positions.T]
        course: Floats = np.column_stack(lines)
        before, after = (
            np.repeat(course[k : k + 1], n, axis=0) for k, n in ((0, hold), (-1, rest))
        )
        run, load = self._simulated(np.vstack([before, course, after]), hold)
        cycling.append(_cycling(run[:, -last:]))
        loads.append(load)
        return Measured(
            gap=np.abs(sides[1] - sides[0]),
            overshoot=np.max(over, axis=0),
            settling=np.mean(settle, axis=0),
            left=np.mean(left, axis=0),
            cycling=np.max(cycling, axis=0),
            error=np.abs(run[:, : len(course)] - course).mean(axis=1),
            heat=np.mean([heat for heat, _ in loads], axis=0),
            current=np.max([current for _, current in loads], axis=0),
        )

    def _simulated(self, course: Floats, begun: int) -> tuple[Floats, tuple[Floats, Floats]]:
        """(D, N, J) positions from step `begun` on; (D, J) mean heat [W] and highest current [A]."""
        base, p = self._models[0], self._places
        kind = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
        data = mujoco.MjData(base)
        data.qpos[p.qpos] = course[0]
        state = np.empty(mujoco.mj_stateSize(base, kind))
        mujoco.mj_getState(base, data, state, kind)
        control = np.zeros((1, len(course), base.nu))
        control[0][:, p.control] = course * p.gear
        threads = processors()
        rooms = [mujoco.MjData(base) for _ in range(threads)]
        positions: list[Floats] = []
        loads: list[list[Floats]] = []
        with unlogged(), self._rollout(nthread=threads if threads > 1 else 0) as rollout:
            for k in range(
                0, len(self._models), 4 * threads
            ):  # states of all draws are much to hold
                models = self._models[k : k + 4 * threads]
                first = np.tile(state, (len(models), 1))
                controls = np.repeat(control, len(models), axis=0)
                found: tuple[Floats, Floats] = rollout.rollout(models, rooms, first, controls)
                states, sensed = (values[:, begun:] for values in found)
                if not np.isfinite(states).all():
                    raise PliantError("the simulation diverges", accepted="a smaller timestep")
                positions.append(states[:, :, 1 + p.qpos])
                loads += [self._loads(*one) for one in zip(models, states, sensed, strict=True)]
        heat, current = np.array(loads).transpose(1, 0, 2)
        return np.concatenate(positions), (heat, current)

    def _loads(self, model: mujoco.MjModel, states: Floats, sensed: Floats) -> list[Floats]:
        """(J,) Mean heat of the windings [W] and highest current [A]."""
        p, found = self._places, np.zeros((2, len(self.joints)))
        act = 1 + model.nq + model.nv + p.act + STATE
        for j, unit in enumerate(self.actuators):
            laws = lower_actuator(unit, "llvm")
            own = states[:, act[j] : act[j] + len(unit.state)]
            torque = sensed[:, self._force + j, None] / p.gear[j]
            row = np.tile(model.actuator_user[p.ids[j], : len(unit.fields)], (len(own), 1))
            given = np.hstack([own, torque, row])
            found[0, j] = laws.evaluate("copper_loss", given).mean()
            found[1, j] = np.abs(laws.evaluate("current", given)).max()
        return list(found)


def _cycling(rest: Floats) -> Floats:
    """(D, J) Smallest of the total travel up, the total travel down, and the range of (D, N, J) positions."""
    moves = np.diff(rest, axis=1)
    up, down = moves.clip(0.0).sum(axis=1), -moves.clip(None, 0.0).sum(axis=1)
    return np.minimum(np.minimum(up, down), np.ptp(rest, axis=1))


def _ranges(model: mujoco.MjModel, joints: Sequence[str]) -> tuple[Floats, Floats]:
    ids = [model.joint(joint).id for joint in joints]
    free = ~model.jnt_limited[ids].astype(bool)
    low, high = model.jnt_range[ids].T
    return np.where(free, -np.inf, low), np.where(free, np.inf, high)
