"""A recorded log of a joint on its pendulum bench, an actuator's simulation beside it, and the time line of both.

Turning a parameter simulates the whole log again: what is shown is always open loop, from its first
sample.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, Rollout
from pliant.errors import PliantError
from pliant.io.log import Log
from pliant.report.derived import friction_budget, has_budget
from pliant.view.commands import READINGS, Command, Frame, Joint, Parameter, Reset, Seek, in_range
from pliant.view.knobs import limits_of, parameter_knob, places
from pliant.words import mrad

RATE = 0.01
"""[s] Of playing; frames are the log's own samples."""
MOST = 4000
"""Frames of a log; a longer one is thinned."""


class Played(ABC):
    """A recording as a `Scene`.

    Attributes:
        whole: a frame for each sample that is shown.
    """

    changes = 0
    loads = (0.0, 0.0)
    timestep = RATE
    title: str
    model: mujoco.MjModel
    whole: Sequence[Frame]

    def __init__(self, time: Floats) -> None:
        self.duration = float(time[-1])
        self._samples = thinned(len(time))
        self._all, self._time = time, time[self._samples]
        self._at = 0.0

    @property
    @abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with their knobs as they stand."""

    @abstractmethod
    def _turn(self, joint: str, name: str, value: float) -> None:
        """Simulate again with another value of a parameter."""

    def advance(self, steps: int) -> None:
        """Play on."""
        self._at = min(self._at + steps * self.timestep, self.duration)

    def apply(self, command: Command) -> None:
        """Turn a parameter, go to a time, or to the beginning."""
        match command:
            case Seek():
                self._at = in_range("time", command.time, 0.0, self.duration)
            case Reset():
                self._at = 0.0
            case Parameter():
                self._turn(command.joint, command.name, float(command.value))
            case _:
                raise PliantError("is not a command for a recording", found=type(command).__name__)

    def _frames(
        self, readings: Mapping[str, Floats], pose: Callable[[int, Floats], None]
    ) -> list[Frame]:
        """A frame for each sample that is shown.

        Args:
            readings: name to its (N, n) values along the recording; NaN for what is not among them.
            pose: writes the positions of a sample into `qpos`.
        """
        data, found = mujoco.MjData(self.model), list[Frame]()
        names = tuple(joint.name for joint in self.joints)
        none = np.full((len(self._all), len(names)), np.nan)
        columns = {r.name: np.asarray(readings.get(r.name, none), np.float64) for r in READINGS}
        for number, k in enumerate(self._samples):
            pose(int(k), data.qpos)
            mujoco.mj_kinematics(self.model, data)
            mujoco.mj_comPos(self.model, data)
            now = {name: values[k] for name, values in columns.items()}
            place = places(self.model, data, names)
            found.append(Frame(float(self._all[k]), number, now, *place, state=b""))
        return found

    def frame(self) -> Frame:
        """The sample at the present time."""
        k = int(np.searchsorted(self._time, self._at + 1e-9)) - 1
        return self.whole[max(k, 0)]


def thinned(samples: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Samples of a log that are shown."""
    return np.arange(0, samples, samples // MOST + 1)


ARMS = """
<mujoco>
  <statistic center="0 0 0" extent="{extent}"/>
  <worldbody>
    <light pos="0 -2 3" dir="0 0.5 -1"/>
    <body name="measured" pos="0 {aside} 0"><joint axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -{length}" size="{thin}" rgba="0.55 0.6 0.65 0.6"/>
      <geom type="sphere" pos="0 0 -{length}" size="{thick}" rgba="0.55 0.6 0.65 0.6"/></body>
    <body name="simulated"><joint name="joint" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -{length}" size="{thin}" rgba="0 0.4 0.66 1"/>
      <geom type="sphere" pos="0 0 -{length}" size="{thick}" rgba="0 0.4 0.66 1"/></body>
  </worldbody>
</mujoco>
"""


class Replayed(Played):
    """A log as a `Scene`; without an actuator, what was measured alone."""

    def __init__(self, log: Log, actuator: Actuator | None) -> None:
        super().__init__(log.time)
        self.title = log.name if actuator is None else f"{log.name}, {actuator.title}"
        self._log, self._actuator = log, actuator
        self._engine = None if actuator is None else JointEngine(actuator)
        self._turned: dict[str, float] = {}
        self.model = mujoco.MjModel.from_xml_string(_arms(log))
        self._simulate()

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The one joint."""
        actuator = self._now()
        names = () if actuator is None else actuator.fields
        knobs = tuple(parameter_knob(actuator, name) for name in names) if actuator else ()
        title = self._log.device
        if actuator is not None and self.error is not None:
            title = f"{actuator.title}: {mrad(self.error)} mrad from the recording"
        return (Joint("joint", title, False, (), knobs),)

    @property
    def error(self) -> float | None:
        """Mean absolute error [rad] of the simulation; None without one."""
        if self._run is None:
            return None
        return float(np.mean(np.abs(self._run.position - self._log.position)))

    def _turn(self, joint: str, name: str, value: float) -> None:
        if self._actuator is None:
            raise PliantError("is not a command for a recording", found="Parameter")
        turned = {**self._turned, name: value}
        self._actuator.with_values(turned, "turned", "assumed")
        self._turned = turned
        self._simulate()

    def _now(self) -> Actuator | None:
        """The actuator, with its parameters as they were turned."""
        if self._actuator is None or not self._turned:
            return self._actuator
        return self._actuator.with_values(self._turned, "turned", "assumed")

    def _simulate(self) -> None:
        self._run: Rollout | None = None
        if self._engine is not None:
            self._run = self._engine.rollout(self._log, self._engine.values(self._turned))
        self.whole = self._frames(self._columns(), self._pose)

    def _pose(self, k: int, qpos: Floats) -> None:
        shown = self._log.position if self._run is None else self._run.position
        qpos[:] = self._log.position[k], shown[k]

    def _columns(self) -> dict[str, Floats]:
        """Name of every reading to its (N, 1) values along the log."""
        log, run, actuator = self._log, self._run, self._now()
        found = {"goal": log.goal, "measured": log.position, "position": log.position}
        if log.voltage is not None:
            found["supply"] = log.voltage
        if run is not None and actuator is not None:
            found["position"] = run.position
            v = np.gradient(run.position, log.time)
            motor, load, friction = run.torque.T
            ends = self._limits(actuator, v)
            found |= {
                "velocity": v,
                "torque": motor,
                "motor_torque": motor,
                "friction": friction,
                "torque_low": ends[:, 0],
                "torque_high": ends[:, 1],
            }
            if has_budget(actuator):
                found["budget"] = friction_budget(actuator, v, motor, load)
                held = np.abs(friction) < found["budget"] * (1.0 - 1e-9)
                found["sticking"] = held.astype(np.float64)
        return {name: values[:, None] for name, values in found.items()}

    def _limits(self, actuator: Actuator, speed: Floats) -> Floats:
        """(N, 2) What the motor can; between few speeds, as it is close to a line."""
        limits = limits_of(actuator)
        grid: Floats = np.linspace(float(speed.min()), float(speed.max()), 41)
        ends = np.array([limits(float(v)) for v in grid])
        return np.column_stack([np.interp(speed, grid, ends[:, k]) for k in (0, 1)])


def _arms(log: Log) -> str:
    length = log.length
    return ARMS.format(
        length=length,
        aside=0.2 * length,
        thin=0.04 * length,
        thick=0.12 * length,
        extent=2.2 * length,
    )
