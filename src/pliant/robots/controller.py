"""One controller for all series-elastic joints of a robot: an array in, an array out.

    tau_m = sat(g(q_d) + K_p (th_d - th) - K_d om),   th_d = q_d + g(q_d) / K_t
                                                         compliant_actuators: 4.1
    controller = JointController(robot, compensate_gravity=True)
    controller.set_gains(SetGains("elbow", k_p=800.0, k_d=2.0))
    controller.command(JointCommand(name, position, velocity, torque))
    robot.step(); controller.state()

The law runs in the actuators (`pid_torque`, at the rate f_c of `with_rate`). This controller converts
commands into its reference, in which a torque tau becomes tau / K_p, and gains into its parameters,
which are in the model and can be changed while it runs.

`pliant.robots.sections` switches sections of a robot on and off. Left out: a feed-forward torque
together with an integral gain, which would integrate it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import Actuator, with_law
from pliant.errors import PliantError, check_known
from pliant.robots.elastic import elastic_of
from pliant.robots.references import commands_of
from pliant.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class JointCommand:
    """References of some joints.

    Attributes:
        name: (n,) joints. position: (n,) [rad] of the link, or of the motor if gravity is not compensated.
        velocity: (n,) [rad/s] and torque: (n,) feed-forward [N m]; 0 if None.
    """

    name: Sequence[str]
    position: ArrayLike
    velocity: ArrayLike | None = None
    torque: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Motor:
    """(n,) each: motor angle [rad], speed [rad/s], torque, and the spring's on the link [N m]."""

    name: tuple[str, ...]
    position: Floats
    velocity: Floats
    motor_torque: Floats
    transmission_torque: Floats


@dataclass(frozen=True)
class SetGains:
    """Gains of one joint; None keeps the present one.

    Attributes:
        k_p, k_i, k_d: in N m/rad, N m/(rad s), N m s/rad. k_v: [N m s/rad] of the speed reference.
        limit: [N m] of the motor's torque.
    """

    joint: str
    k_p: float | None = None
    k_i: float | None = None
    k_d: float | None = None
    k_v: float | None = None
    limit: float | None = None


def with_rate(actuator: Actuator, f_c: float) -> Actuator:
    """`actuator` whose controllers run at `f_c` [1/s] and hold their command in between."""
    for port in [port for port in actuator.laws if port.startswith("rate")]:
        actuator = with_law(actuator, port, "sampled")
        actuator = actuator.with_values({f"{port}.f_c": f_c}, "rate of the controller", "assumed")
    return actuator


class JointController:
    """The controller of the series-elastic joints of `robot`; others, such as wheels, keep their own.

    Args:
        robot: whose series-elastic actuators are in mode 5 or 6 (position of the motor).
        compensate_gravity: add g(q_d) and the deflection that it causes.

    Attributes:
        joints: those it controls.

    Raises:
        PliantError: no joint has such an actuator, or its controller's rate f_c does not divide the
            rate f_s of the actuator's steps.
    """

    def __init__(self, robot: Robot, *, compensate_gravity: bool = False) -> None:
        self.robot = robot
        self.compensates = compensate_gravity
        units = {joint: unit for joint, unit in robot.actuators.items() if _elastic(unit)}
        if not units:
            raise PliantError(
                "no joint has a series-elastic actuator with a position controller",
                field="robot",
                found=sorted({unit.name for unit in robot.actuators.values()}),
                accepted="topology series_elastic with control pid_torque",
            )
        for joint, unit in units.items():
            _check_rate(robot, joint, unit)
        self.joints = tuple(units)
        self._of = np.array([robot.joints.index(joint) for joint in units], dtype=np.intp)
        self._k_t = np.array([elastic_of(unit).sigma(0.0, 0.0) for unit in units.values()])
        self._k_v = np.zeros(len(units))
        self._position, self._velocity, self._torque = np.zeros((3, len(units)))
        self._led = np.zeros(len(units), dtype=bool)
        self._scratch = mujoco.MjData(robot.model)

    def gains(self, name: str) -> Floats:
        """(n,) Present value of the gain `name` of its joints, from the model.

        Args:
            name: "k_p" [N m/rad], "k_i" [N m/(rad s)], "k_d" [N m s/rad] or "limit" [N m].
        """
        return np.array([self.robot.model.actuator_user[self._at(j, name)] for j in self.joints])

    def set_gains(self, gains: SetGains) -> None:
        """Change gains while the robot runs; the last command is applied again with them.

        Raises:
            PliantError: no such joint, or a gain outside the range of its law.
        """
        k = self._index(gains.joint)
        actuator = self.robot.actuators[self.joints[k]]
        for name in ("k_p", "k_i", "k_d", "limit"):
            value: float | None = getattr(gains, name)
            if value is None:
                continue
            field = actuator.fields[f"control.{name}"]
            if not (isfinite(value) and field.low <= value <= field.high):
                raise PliantError(
                    "outside the range of its law",
                    field=f"joint {gains.joint}: {name}",
                    found=value,
                    accepted=f"{field.low} to {field.high} {field.unit}",
                )
            self.robot.model.actuator_user[self._at(gains.joint, name)] = value
        if gains.k_v is not None:
            self._k_v[k] = gains.k_v
        self._apply()

    def command(self, command: JointCommand) -> None:
        """Give the references of `command` to the joints that it names; the others keep theirs.

        Raises:
            PliantError: no such joint, numbers missing, or a torque for a joint whose integral gain
                is not 0 or whose proportional gain is 0.
        """
        at = [self._index(joint) for joint in command.name]
        for name in ("position", "velocity", "torque"):
            given: ArrayLike | None = getattr(command, name)
            numbers = 0.0 if given is None else commands_of(name, given, command.name)
            getattr(self, f"_{name}")[at] = numbers
        self._led[at] = True
        self._apply()

    def _apply(self) -> None:
        """The references of the joints that were commanded, with the gains as they are now."""
        position = np.where(self._led, self._position, self.robot.link.position[self._of])
        gravity = self.gravity(position) * self.compensates
        torque = (gravity + self._torque + self._k_v * self._velocity) * self._led
        gain, integral = self.gains("k_p"), self.gains("k_i")
        for k in map(int, np.flatnonzero((torque != 0.0) & ((gain == 0.0) | (integral != 0.0)))):
            raise PliantError(
                "a torque command needs a proportional gain and no integral gain",
                field=f"joint {self.joints[k]}",
                found=f"k_p = {gain[k]:g}, k_i = {integral[k]:g}",
            )
        share = np.divide(torque, gain, out=np.zeros(len(gain)), where=gain != 0.0)
        motor = position + gravity / self._k_t + share
        all_ = self.robot.reference_1.copy()
        all_[self._of] = np.where(self._led, motor, all_[self._of])
        self.robot.reference_1 = all_

    def gravity(self, q: Floats) -> Floats:
        """(n,) [N m] Torque that holds the joints at `q` (n,) against gravity, other joints as they are."""
        model, data, places = self.robot.model, self._scratch, self.robot.places
        data.qpos[:] = self.robot.data.qpos
        data.qpos[places.qpos[self._of]] = q
        data.qvel[:] = 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        bias = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        return bias[places.dof[self._of]]

    def state(self) -> Motor:
        """The motors and their springs as they are now."""
        motor, torque = self.robot.motor_1, self.robot.link.torque
        columns = (motor.position, motor.velocity, motor.effort, torque)
        return Motor(self.joints, *(column[self._of] for column in columns))

    def _index(self, joint: str) -> int:
        check_known(joint, self.joints, "the controller leads no such joint", field="joint")
        return self.joints.index(joint)

    def _at(self, joint: str, name: str) -> tuple[int, int]:
        """Row and column of a gain in `actuator_user`."""
        column = self.robot.info.attachment.column(joint, f"control.{name}")
        return int(self.robot.places.ids[self._of[self._index(joint)]]), column


def _elastic(unit: Actuator) -> bool:
    return unit.topology.name == "series_elastic" and "control.k_p" in unit.fields


def _check_rate(robot: Robot, joint: str, actuator: Actuator) -> None:
    """f_s / f_c must be whole: the actuator counts steps."""
    if "rate.f_c" not in actuator.fields:
        return
    entry = next(e for e in robot.info.attachment.joints if e.joint == joint)
    f_s = entry.steps.substeps / float(robot.model.opt.timestep)
    f_c = actuator.value("rate.f_c")
    ratio = f_s / f_c
    if ratio < 1.0 - 1e-9 or abs(ratio - round(ratio)) > 1e-6:
        raise PliantError(
            "f_c does not divide the rate f_s of the actuator's steps",
            field=f"joint {joint}: rate.f_c",
            found=f_c,
            accepted=f"{f_s:g} / 1, 2, 3, ... 1/s",
        )
