"""A robot that is simulated, by hand or under an experiment's commands: what a page may change, and its frames."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.trials import CommandSequence, recorded_commands
from pliant.engines.spec.messages import unlogged
from pliant.errors import PliantError, check_known
from pliant.experiments.index import recipe
from pliant.robots.robot import Robot, RobotInfo
from pliant.robots.robot_energies import EnergyMeter
from pliant.view.commands import (
    Command,
    Frame,
    Joint,
    Load,
    Parameter,
    Push,
    Reference,
    Reset,
    Restore,
    Timestep,
    in_range,
)
from pliant.view.knobs import joint_of, limits_of, places, readings

MOST = 2.0
"""Heaviest load, as a multiple of the mass that the joints carry."""


def hand_of(model: mujoco.MjModel, joints: tuple[str, ...]) -> tuple[int, float]:
    """The last body behind the joints, and the heaviest load [kg] for it.

    The last body is the one with the most bodies between it and the first joint; of several, the
    heaviest.
    """
    first = int(model.joint(joints[0]).bodyid[0])
    depth = {first: 0}
    for body in range(first + 1, model.nbody):
        parent = int(model.body_parentid[body])
        if parent in depth:
            depth[body] = depth[parent] + 1
    hand = max(depth, key=lambda body: (depth[body], float(model.body_mass[body])))
    return hand, MOST * float(np.sum(model.body_mass[list(depth)]))


def set_load(model: mujoco.MjModel, hand: int, own: float, mass: float) -> None:
    """Give the hand, whose own mass is `own` [kg], a load [kg]."""
    model.body_mass[hand] = own + mass
    mujoco.mj_setConst(model, mujoco.MjData(model))  # of other data: it writes the first pose there


STATE = mujoco.mjtState.mjSTATE_INTEGRATION
"""All that the next step depends on, warm start of the solver and delayed commands included."""
STRONGEST = 1e4
"""[N] Of a push."""
STEPS = (1e-5, 0.05)
"""[s] Steps that can be asked for."""


class Simulated:
    """A robot in MuJoCo as a `Scene`.

    Args:
        build: makes the robot with a timestep [s], or with its file's own for None.
        title: of the page.
    """

    duration: float | None = None
    whole: Sequence[Frame] | None = None

    def __init__(self, build: Callable[[float | None], Robot], title: str) -> None:
        self._build, self.title, self.changes = build, title, 0
        self._load = 0.0
        self._joints: tuple[Joint, ...] | None = None
        self._settle_in(build(None))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with their knobs as they stand."""
        if self._joints is None:
            joints = enumerate(self.robot.joints)
            self._joints = tuple(
                joint_of(self.robot, k, self._actuators[joint]) for k, joint in joints
            )
        return self._joints

    @property
    def loads(self) -> tuple[float, float]:
        """The mass in the hand and the most there may be [kg]."""
        return self._load, self._heaviest

    def advance(self, steps: int) -> None:
        """Take steps; a push ends at the step it is to end at.

        Raises:
            PliantError: the simulation diverges.
        """
        data = self.robot.data
        while steps > 0:
            taken = min(steps, self._push_left) if self._push_left > 0 else steps
            with unlogged():
                mujoco.mj_step(self.model, data, taken)
            steps, self.steps = steps - taken, self.steps + taken
            if self._push_left > 0:
                self._push_left -= taken
                if self._push_left == 0:
                    data.xfrc_applied[:] = 0.0
        if any(data.warning[kind].number for kind in _DIVERGES) or not np.isfinite(data.qpos).all():
            raise PliantError(
                f"the simulation diverges before t = {data.time:.3f} s",
                field="timestep",
                found=self.timestep,
                accepted="a smaller step; reset to continue",
            )

    def frame(self) -> Frame:
        """The present instant."""
        data, shown = self.robot.data, self._shown
        self._meter.add()
        # Places of other data: a step leaves behind those of its beginning, and what is stepped is
        # not to be touched, or the motion would be another.
        shown.qpos[:], shown.mocap_pos[:], shown.mocap_quat[:] = (
            data.qpos,
            data.mocap_pos,
            data.mocap_quat,
        )
        mujoco.mj_kinematics(self.model, shown)
        mujoco.mj_comPos(self.model, shown)
        state = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, data, state, STATE)
        return Frame(
            float(data.time),
            self.steps,
            readings(self.robot, self._actuators, self._limits, self._meter),
            *places(self.model, shown, self.robot.joints),
            state=state.tobytes(),
        )

    def apply(self, command: Command) -> None:
        """Change something between two steps.

        Raises:
            PliantError: it is none of its joints, or out of range; nothing has changed then.
        """
        try:
            self._obey(command)
        finally:
            self._joints = None  # not before: a page may ask for them meanwhile

    def _obey(self, command: Command) -> None:
        match command:
            case Reference():
                self._refer(command)
            case Parameter():
                self._turn(command)
            case Load():
                in_range("load", command.mass, 0.0, self._heaviest)
                self._load = float(command.mass)
                self._weigh()
            case Push():
                self._push(command)
            case Reset():
                self._reset()
            case Restore():
                self._restore(command.state)
            case Timestep():
                self._rebuild(in_range("timestep", command.seconds, *STEPS))
            case _:
                raise PliantError("is not a command for a simulation", found=type(command).__name__)

    def _settle_in(self, robot: Robot) -> None:
        self.robot, self.model = robot, robot.model
        self._shown = mujoco.MjData(robot.model)
        self.timestep = float(robot.model.opt.timestep)
        self._actuators = {entry.joint: entry.actuator for entry in robot.info.attachment.joints}
        self._limits = {joint: limits_of(one) for joint, one in self._actuators.items()}
        self._hand, self._heaviest = hand_of(robot.model, robot.joints)
        self._own_mass = float(robot.model.body_mass[self._hand])
        self._meter = EnergyMeter(robot)
        self._reset()

    def _reset(self) -> None:
        """The first pose again, with what is commanded now."""
        data = self.robot.data
        held = np.array(data.ctrl)
        self.robot.reset()
        data.ctrl[:] = held
        self._began()

    def _began(self) -> None:
        self.steps, self._push_left = 0, 0
        self._meter.reset()

    def _refer(self, command: Reference) -> None:
        k, robot = self._index(command.joint), self.robot
        in_range("reference", command.value, -1e6, 1e6)
        if command.number == 1:
            robot.reference_1 = _with(robot.reference_1, k, command.value)
        elif command.number == 2 and not np.isnan(robot.reference_2[k]):
            robot.reference_2 = _with(robot.reference_2, k, command.value)
        else:
            accepted = "1" if np.isnan(robot.reference_2[k]) else "1, 2"
            raise PliantError(
                "no such reference",
                field=f"joint {command.joint}",
                found=command.number,
                accepted=accepted,
            )

    def _turn(self, command: Parameter) -> None:
        self._index(command.joint)
        actuator = self._actuators[command.joint]
        now = actuator.with_values({command.name: float(command.value)}, "turned", "assumed")
        self._write(command.joint, now)
        self._actuators[command.joint] = now
        self._limits[command.joint] = limits_of(now)

    def _write(self, joint: str, actuator: Actuator) -> None:
        """Give the model the numbers of a joint's actuator, with all that depends on them."""
        numbers = zip(actuator.fields, actuator.values, strict=True)
        draws = {joint: {name: [float(x)] for name, x in numbers}}
        self.robot.info.attachment.randomise(self.model, draws, seed=0)

    def _weigh(self) -> None:
        set_load(self.model, self._hand, self._own_mass, self._load)
        for joint, actuator in self._actuators.items():
            self._write(joint, actuator)  # sub-steps depend on what the joint carries

    def _push(self, command: Push) -> None:
        body = int(in_range("body", command.body, 1, self.model.nbody - 1))
        force = np.array(command.force, dtype=np.float64)
        if force.shape != (3,) or not np.abs(force).max() <= STRONGEST:
            raise PliantError(
                "out of range",
                field="force",
                found=tuple(map(float, force.ravel())),
                accepted=f"three numbers up to {STRONGEST:g} N",
            )
        in_range("seconds", command.seconds, 0.0, 60.0)
        data = self.robot.data
        data.xfrc_applied[:] = 0.0
        self._push_left = round(command.seconds / self.timestep)
        if self._push_left:
            centre = np.array(self._shown.xipos[body])
            point = centre if command.point is None else np.array(command.point, dtype=np.float64)
            data.xfrc_applied[body] = [*force, *np.cross(point - centre, force)]

    def _restore(self, saved: bytes) -> None:
        size = int(mujoco.mj_stateSize(self.model, STATE))
        if len(saved) != 8 * size:
            raise PliantError(
                "is not a state of this model",
                field="state",
                found=f"{len(saved)} bytes",
                accepted=f"{8 * size} bytes",
            )
        state = np.frombuffer(saved, dtype=np.float64).copy()
        if not np.isfinite(state).all():
            raise PliantError("is not finite", field="state")
        mujoco.mj_setState(self.model, self.robot.data, state, STATE)
        self._began()
        self.steps = round(float(self.robot.data.time) / self.timestep)

    def _rebuild(self, timestep: float) -> None:
        references = self.robot.reference_1, self.robot.reference_2
        actuators = self._actuators
        self._settle_in(self._build(timestep))
        self._actuators = actuators
        self._limits = {joint: limits_of(one) for joint, one in actuators.items()}
        self._weigh()
        self.robot.reference_1, self.robot.reference_2 = references
        self._reset()
        self.changes += 1

    def _index(self, joint: str) -> int:
        check_known(joint, self.robot.joints, "no such joint")
        return self.robot.joints.index(joint)


_DIVERGES = tuple(
    int(getattr(getattr(mujoco, "mjtWarning"), f"mjWARN_{name}"))  # noqa: B009 - no stub has it
    for name in ("BADQPOS", "BADQVEL", "BADQACC", "BADCTRL")
)


def _with(values: Floats, k: int, value: float) -> Floats:
    changed = np.array(values)
    changed[k] = value
    return changed


class Commanded(Simulated):
    """A robot that follows the commands of an experiment; what else can be turned can be turned."""

    def __init__(self, commands: CommandSequence, title: str) -> None:
        self._commands = commands
        self.duration = len(commands.control) * float(commands.model.opt.timestep)
        super().__init__(lambda _: _robot(commands), title)

    def advance(self, steps: int) -> None:
        """Take steps, each under its own row of commands; the last row holds."""
        control = self._commands.control
        for _ in range(steps):
            self.robot.data.ctrl[:] = control[min(self.steps, len(control) - 1)]
            super().advance(1)

    def apply(self, command: Command) -> None:
        """Change something that the experiment does not command."""
        if isinstance(command, Reference | Timestep):
            raise PliantError("the experiment commands this itself", field=type(command).__name__)
        super().apply(command)

    def _began(self) -> None:
        data = self.robot.data
        if data.time == 0.0:
            data.qpos[:] = self._commands.qpos
        super()._began()
        self.steps = round(float(data.time) / self.timestep)


def experiment(name: str) -> Commanded:
    """The last robot that an experiment moves in MuJoCo.

    Raises:
        PliantError: there is no such experiment, or it moves none.
    """
    module = recipe(name)
    with TemporaryDirectory() as folder, recorded_commands() as sequences:
        module.run(None, Path(folder))
    if not sequences:
        raise PliantError(
            "this experiment has no robot to show",
            field="--experiment",
            found=name,
            accepted="one with a robot in MuJoCo, such as ilc, snake, two_link_step",
        )
    return Commanded(sequences[-1], module.TITLE)


def _robot(commands: CommandSequence) -> Robot:
    data = mujoco.MjData(commands.model)
    data.qpos[:] = commands.qpos
    data.ctrl[:] = np.asarray(commands.control[0])
    return Robot(commands.model, RobotInfo(attachment=commands.attached), data)
