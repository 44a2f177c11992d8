"""A step for LeRobot's own loop that compensates goals, so that joints reach the positions in the action.

    python examples/lerobot_compensation.py

In LeRobot, add it to the robot's action pipeline, which receives action and observation:

    robot_action_processor = RobotProcessorPipeline(
        steps=[Compensated("my_arm/robot.toml", fps=30)],
        to_transition=robot_action_observation_to_transition,
        to_output=transition_to_robot_action,
    )

Written against the documented interface of a processor step (a call from transition to transition, `reset`,
`get_config`, `state_dict`, `transform_features`), whose keys are "action" and "observation"; LeRobot itself is not
needed here, and was not run. This program moves a simulated SO-101 by it, whose servos have a fifth more friction
than the file says; all its joints are in degrees.
"""

import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import pliant

Floats = NDArray[np.float64]
FPS = 30
SERVO = "sts3215_so101"
ARM = Path(str(resources.files("pliant") / "data" / "so101_arm" / "so101.xml"))


class Compensated:
    """Replaces an action's positions by goals, per joint "NAME.pos" in LeRobot's units.

    Args:
        robot: robot file. fps: frames per second. percent: joints that are in percent of their range; the
            others are in degrees. options: as of `pliant.Compensator`.
    """

    def __init__(
        self, robot: str | Path, fps: float, percent: tuple[str, ...] = ("gripper",), **options: Any
    ) -> None:
        self.compensator = pliant.Compensator(robot, cycle=1.0 / fps, **options)
        self.keys = [f"{joint}.pos" for joint in self.compensator.joints]
        low, high = self.compensator.limits[:2] / self.compensator.gear
        parts = np.array([joint in percent for joint in self.compensator.joints])
        self._unit: Floats = np.where(parts, (high - low) / 100.0, np.pi / 180.0)
        self._zero: Floats = np.where(parts, low, 0.0)

    def __call__(self, transition: dict[str, Any]) -> dict[str, Any]:
        action, seen = transition["action"], transition["observation"]
        wanted, measured = (
            self._zero + self._unit * np.array([part.get(key, np.nan) for key in self.keys])
            for part in (action, seen)
        )
        goals = self.compensator.step(wanted, measured=measured) / self.compensator.gear
        told = dict(zip(self.keys, ((goals - self._zero) / self._unit).tolist(), strict=True))
        return {**transition, "action": {**action, **told}}

    def reset(self) -> None:
        """Begin an episode: the first goals are the joints' present positions."""
        self.compensator.reset()

    def get_config(self) -> dict[str, Any]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass

    def transform_features(self, features: dict[Any, Any]) -> dict[Any, Any]:
        return features


def moved(step: Compensated | None, wanted: Floats, joints: list[str]) -> Floats:
    """(N, J) [deg, %] Positions of a simulated arm at each frame of a loop like LeRobot's."""
    spec = mujoco.MjSpec.from_file(str(ARM))
    spec.option.timestep = 1.0 / (20 * FPS)
    known = pliant.load_actuator(SERVO)
    friction = {
        f"friction.{name}": 1.2 * known.value(f"friction.{name}") for name in ("K_c", "K_cs")
    }
    servo = known.with_values(friction, "another arm", "assumed")
    pliant.attach(spec, dict.fromkeys(joints, servo))
    model = spec.compile()
    data = mujoco.MjData(model)
    found = np.empty_like(wanted)
    data.qpos[:] = np.radians(wanted[0])
    for n, row in enumerate(wanted):
        found[n] = np.degrees(data.qpos)
        seen = dict(zip((f"{joint}.pos" for joint in joints), found[n].tolist(), strict=True))
        action = dict(zip(seen, row.tolist(), strict=True))
        if step is not None:
            action = step({"action": action, "observation": seen})["action"]
        data.ctrl[:] = np.radians(list(action.values()))
        mujoco.mj_step(model, data, nstep=20)
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        robot = Path(folder) / "robot.toml"
        joints = [joint.name for joint in mujoco.MjSpec.from_file(str(ARM)).joints]
        lines = "".join(f'{joint} = {{ actuator = "{SERVO}" }}\n' for joint in joints)
        robot.write_text(f'model = "{ARM.as_posix()}"\n[joints]\n{lines}', encoding="utf-8")
        step = Compensated(robot, FPS, percent=())
    time = np.arange(0.0, 6.0, 1.0 / FPS)[:, None]
    middle, wide = np.array([10.0, -30.0, 35.0, 15.0, 10.0, 10.0]), np.array([20.0] * 5 + [8.0])
    wanted: Floats = middle + wide * np.sin(1.5 * time)
    for name, told in (("the action itself", None), ("compensated", step)):
        off = np.abs(moved(told, wanted, joints) - wanted)[FPS:]
        print(f"{name:18} mean {off.mean():.2f} deg, worst joint {off.mean(axis=0).max():.2f} deg")


if __name__ == "__main__":
    main()
