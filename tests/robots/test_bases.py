"""Recordings of a robot held in the air, whose model floats, and whose leg begins within its trunk.

The oracle is MuJoCo with its own damper and dry friction on a trunk that is fixed, without contacts.
"""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import evaluate_robot, robot_rig

STEP, GAIN, DAMPING, FRICTION, ARMATURE = 0.002, 20.0, 1.5, 0.3, 0.01


def robot(free: str) -> str:
    return f"""<mujoco><compiler angle="radian"/><option timestep="{STEP}"/><worldbody><body name="trunk" pos="0 0 1">{free}
    <geom type="box" size=".15 .05 .05" mass="5"/><body name="leg" pos=".15 .05 0">
    <joint name="hip" axis="0 1 0" range="-1 1"/>
    <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.25" mass="1"/></body></body></worldbody></mujoco>"""


def recording() -> RobotLog:
    passing = robot("").replace("<geom", '<geom contype="0" conaffinity="0"')
    model: Any = mujoco.MjModel.from_xml_string(passing)
    model.dof_armature[:], model.dof_frictionloss[:] = ARMATURE, FRICTION
    model.dof_damping[:] = DAMPING
    data: Any = mujoco.MjData(model)
    rows: list[tuple[float, float, float]] = []
    goal = 0.0
    for k in range(1500):
        if k % 5 == 0:
            goal = 0.5 * np.sin(5.0 * data.time)
            rows.append((data.time, data.qpos[0], goal))
        data.qfrc_applied[0] = GAIN * (goal - data.qpos[0])
        mujoco.mj_step(model, data)
    time, position, goal = np.array(rows).T
    nothing = np.full((len(time), 1), np.nan)
    return RobotLog(
        "run", ("hip",), time, position[:, None], goal[:, None], nothing, nothing != 0.0
    )


@pytest.mark.parametrize(("free", "floats"), [("", False), ("<freejoint/>", True)])
def test_a_floating_base_is_held_and_a_leg_may_pass_it(
    free: str, floats: bool, tmp_path: Path
) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(robot(free))
    log = recording()
    drive = load_actuator("unitree_go2_hip_unitree").with_values(
        {
            "control.k_d": DAMPING,
            "own.armature": ARMATURE,
            "friction.K_c": FRICTION,
            "friction.K_v": 0.0,
        },
        "truth",
        "measured",
    )
    assert (
        evaluate_robot(path, {"hip": drive}, [log]).mae < 2e-3
    )  # of 450 mrad; MuJoCo's dry friction gives way a little
    said = [doubt.text for doubt in robot_rig(path, {"hip": drive}, [log]).suspected]
    assert any("leg in trunk" in text for text in said)
    assert any("trunk floats" in text for text in said) == floats
