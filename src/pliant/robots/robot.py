"""A robot with compliant joints as arrays, in the order of its joints.

    robot = load_robot("arm.urdf")
    robot.reference_1 = [0.5, 0.2]              equilibrium, position or torque, by mode
    robot.reference_2 = [0.3, 0.3]              preset, position or torque
    robot.step()
    robot.link.position, robot.motor_1.effort, robot.stiffness, robot.elastic_torque_1

Quantities that a mode does not have are NaN: with a rigid joint (modes 0 and 1) stiffness, elastic torques
and second reference; without motors (modes 0 to 3) their speeds and torques; with one motor everything of
the second.                                                         compliant_actuators: 3.1

The stiffness is the true derivative. Beyond a deflection limit, the toolbox keeps reporting the stiffness at the
limit; `compat_stiffness` does the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.spec.attachment import Attachment
from pliant.errors import PliantError, check_kind
from pliant.exports import shown_by
from pliant.lower.law import Target
from pliant.robots.joint_groups import Group, Motor, by_joint, groups_of, motor_of, places_of
from pliant.robots.mode import mode_of
from pliant.robots.power import Power, PowerOf, State
from pliant.robots.references import commands_of, poses_of, preset_range, refs_of


@dataclass(frozen=True, kw_only=True)
class JointSetting:
    """Settings of a joint that its actuator does not have.

    Attributes:
        mode: operation mode; the one whose laws the actuator has, if None.
        ext_tau_sign: +1 or -1, of external torque.
        takes_external_torque: whether it may have any.
    """

    mode: int | None = None
    ext_tau_sign: float = 1.0
    takes_external_torque: bool = True


@dataclass(frozen=True, kw_only=True)
class RobotInfo:
    """The actuators and settings of a robot's file: `Robot(spec.compile(), info)` takes it.

    Attributes:
        attachment: what `attach` set. settings: joint to its mode and external torque.
    """

    attachment: Attachment
    settings: Mapping[str, JointSetting] = field(default_factory=dict[str, JointSetting])
    notes: tuple[str, ...] = ()
    """Messages about parts of the file that were left out."""

    def __str__(self) -> str:
        return "\n".join([str(self.attachment), *(f"note: {text}" for text in self.notes)])


@dataclass(frozen=True, eq=False)
class Link:
    """(n,) each: [rad], [rad/s], and the torque [N m] that the joint's actuator applied."""

    position: Floats
    velocity: Floats
    torque: Floats


class Robot:
    """A compiled model with its actuators.

    Args:
        model: compiled after `attach`. info: what `attach`, `load_urdf` returned.
        data: `MjData` to use instead of a new one.
        target: how the laws are evaluated for the arrays: "llvm" compiles them once; "python"
            starts immediately and takes 10 µs for each joint and quantity.
        compat_stiffness: beyond a deflection limit, report the stiffness at the limit, as the toolbox does.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        info: Attachment | RobotInfo,
        data: mujoco.MjData | None = None,
        *,
        target: Target = "llvm",
        compat_stiffness: bool = False,
    ) -> None:
        check_kind(model, mujoco.MjModel, "model", "spec.compile() after attach")
        check_kind(
            info, (Attachment, RobotInfo), "info", "what attach, load_model or load_urdf returned"
        )
        self.info = info if isinstance(info, RobotInfo) else RobotInfo(attachment=info)
        self.model = model
        self.data = mujoco.MjData(model) if data is None else data
        self.places = places_of(model, self.info.attachment)
        self.joints = self.places.joints
        self.actuators = dict(zip(self.joints, self.places.actuators, strict=True))
        self._groups = groups_of(self.places, target)
        self._power: PowerOf | None = None
        self._compat_stiffness = compat_stiffness
        settings = [self.info.settings.get(joint, JointSetting()) for joint in self.joints]
        self.modes = tuple(
            mode_of(actuator) if setting.mode is None else setting.mode
            for actuator, setting in zip(self.places.actuators, settings, strict=True)
        )
        self._sign = np.array([setting.ext_tau_sign for setting in settings])
        self._takes = np.array([setting.takes_external_torque for setting in settings], dtype=bool)
        self._external = np.zeros(len(self.joints))
        self._presets = np.array([self._preset_range(k) for k in range(len(self.joints))])
        self._presets = self._presets.reshape(-1, 2)

    _repr_html_ = shown_by("pliant.report.notebook", "robot_html")

    def __repr__(self) -> str:
        return f"<Robot: {', '.join(self.joints)}>"

    # References

    @property
    def reference_1(self) -> Floats:
        """(n,) First reference of each joint: its meaning depends on the mode, in rad or N m."""
        return _frozen(self.data.ctrl[self.places.control])

    @reference_1.setter
    def reference_1(self, values: ArrayLike) -> None:
        self.data.ctrl[self.places.control] = commands_of("reference_1", values, self.joints)

    @property
    def reference_2(self) -> Floats:
        """(n,) Second reference; NaN for a joint that has none, for which a set value is ignored."""
        has = self.places.preset >= 0
        return _frozen(np.where(has, self.data.ctrl[self.places.preset], np.nan))

    @reference_2.setter
    def reference_2(self, values: ArrayLike) -> None:
        has = self.places.preset >= 0
        new = np.where(has, np.asarray(values, dtype=float), 0.0)
        new = commands_of("reference_2", new, self.joints)
        for k in np.flatnonzero((new < self._presets[:, 0]) | (new > self._presets[:, 1])):
            low, high = self._presets[k]
            raise PliantError(
                "preset beyond its range",
                field=f"joint {self.joints[k]}",
                found=float(new[k]),
                accepted=f"{low:g} to {high:g}",
            )
        self.data.ctrl[self.places.preset[has]] = new[has]

    @property
    def preset_ranges(self) -> Floats:
        """(n, 2) Lowest and highest `reference_2`; infinite if it is not a preset."""
        return _frozen(self._presets)

    def refs_for(
        self, q_eq: ArrayLike, sigma: ArrayLike = np.nan, torque: ArrayLike = 0.0
    ) -> tuple[Floats, Floats]:
        """`reference_1` and `reference_2` at which the joints rest at `q_eq` with these stiffnesses.

        Args:
            q_eq: (n,) [rad]. sigma: (n,) [N m/rad]; NaN where it cannot be chosen.
            torque: (n,) [N m] on each link from outside, such as the weight of the arm.

        Raises:
            PliantError: names the joint that cannot, and its range.
        """
        return refs_of(self.places, self.modes, q_eq, sigma, torque)

    def equilibrium(
        self, theta_1: ArrayLike, theta_2: ArrayLike = np.nan, torque: ArrayLike = 0.0
    ) -> Floats:
        """(n,) [rad] Where the links rest with the motors held; NaN of a rigid joint.

        Args:
            theta_1, theta_2: (n,) or one number: angles of the motors [rad], or an adjuster's place.
            torque: (n,) or one number, on the links from outside [N m].

        Raises:
            PliantError: a spring would be deflected beyond its limit.
        """
        return poses_of(self.places, theta_1, theta_2, torque)

    @property
    def external_torque(self) -> Floats:
        """(n,) [N m] External torque on each joint, in addition to `qfrc_applied`."""
        return _frozen(self._external)

    @external_torque.setter
    def external_torque(self, values: ArrayLike) -> None:
        new = commands_of("external_torque", values, self.joints)
        for k in np.flatnonzero((new != 0.0) & ~self._takes):
            raise PliantError(
                "takes no external torque: sub_ext_tau is false",
                field=f"joint {self.joints[k]}",
                found=float(new[k]),
            )
        self.data.qfrc_applied[self.places.dof] += self._sign * (new - self._external)
        self._external = new

    # What there is

    @property
    def link(self) -> Link:
        """Position, velocity and torque of each joint."""
        p, d = self.places, self.data
        return Link(d.qpos[p.qpos], d.qvel[p.dof], p.gear * d.actuator_force[p.output])

    @property
    def motor_1(self) -> Motor:
        """The first motor of each joint."""
        return self._motor(0)

    @property
    def motor_2(self) -> Motor:
        """The second motor, or the adjuster."""
        return self._motor(1)

    @property
    def stiffness(self) -> Floats:
        """(n,) [N m/rad] d2V/dq2 of each joint with its motors held."""
        return self._law("stiffness", 2, within=self._compat_stiffness)

    @property
    def elastic_torque_1(self) -> Floats:
        """(n,) [N m] dV/dtheta_1, which motor 1 resists."""
        return self._law("load_1", 0)

    @property
    def elastic_torque_2(self) -> Floats:
        """(n,) [N m; N of a length] dV/dtheta_2, which motor 2 or the adjuster resists."""
        return self._law("load_2", 0, 1)

    @property
    def elastic_energy(self) -> Floats:
        """(n,) [J] In the springs of each joint."""
        return self._law("energy", 0)

    @property
    def power(self) -> Power:
        """Power of each joint's motors, (n, 2) and (n,); `EnergyMeter` sums it up."""
        self._power = self._power or PowerOf(self.model, self.places, self._groups)
        now = self._power.at(State(*(x[None] for x in self._power.of(self.data))))
        return Power(**{f.name: getattr(now, f.name)[0] for f in fields(Power)})

    @property
    def deflection(self) -> Floats:
        """(n, 2) [rad] Of the springs of each joint, link minus motor; NaN where there is none."""
        result = np.full((len(self.joints), 2), np.nan)
        for group in self._groups:
            theta = group.states(self.model, self.data)[:, group.elastic.columns("rotor.theta")]
            turned = theta[:, : len(group.elastic.ranges())]
            result[group.members, : turned.shape[1]] = group.angles(self.data)[:, None] - turned
        return result

    def check(self) -> None:
        """Raise an error if a spring is now deflected beyond its limit.

        Raises:
            PliantError: names the joint, its deflection and the limit.
        """
        deflection = np.abs(self.deflection)
        for group in self._groups:
            limits = group.elastic.limits(group.parameters(self.model))
            springs = limits.shape[1]
            beyond = deflection[group.members, :springs] > limits
            for row, spring in np.argwhere(beyond):
                k, number = group.members[row], f" {spring + 1}" if springs > 1 else ""
                raise PliantError(
                    f"deflection of spring{number} beyond its limit",
                    field=f"joint {self.joints[k]}",
                    found=float(deflection[k, spring]),
                    accepted=f"up to {limits[row, spring]:g} rad",
                )

    # Time

    def step(self, count: int = 1) -> None:
        """Call `mj_step` `count` times."""
        mujoco.mj_step(self.model, self.data, count)

    def reset(self) -> None:
        """Return to the model's initial pose, with all references 0 and no external torque."""
        mujoco.mj_resetData(self.model, self.data)
        self._external = np.zeros(len(self.joints))

    def _preset_range(self, k: int) -> tuple[float, float]:
        """Range of the second reference; unbounded where it is no preset."""
        actuator, mode = self.places.actuators[k], self.modes[k]
        is_place = actuator.topology.name == "adjustable" and mode != 4
        if is_place or (mode in (3, 6) and self.places.preset[k] >= 0):
            return preset_range(actuator)
        return -np.inf, np.inf

    def _motor(self, number: int) -> Motor:
        asked = self.reference_2 if number else self.reference_1
        return motor_of(
            self.model, self.data, self._groups, modes=self.modes, asked=asked, number=number
        )

    def _law(self, name: str, gear: int, motor: int = 0, *, within: bool = False) -> Floats:
        """`name` of each joint; it grows with this power of the transmission ratio."""

        def values(group: Group) -> Floats | None:
            if len(group.elastic.numbers) <= motor:
                return None
            states, p = group.states(self.model, self.data), group.parameters(self.model)
            q = group.angles(self.data)
            if within:
                states = group.elastic.within_limits(states, q, p)
            return group.gear**gear * group.elastic.call(name, states, q, p)

        return by_joint(len(self.joints), self._groups, values)


def _frozen(values: Floats) -> Floats:
    """A copy that cannot be written: `robot.reference_1[0] = 1` would be lost."""
    copy = np.array(values)
    copy.flags.writeable = False
    return copy
