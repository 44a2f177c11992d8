"""A whole robot's TOML file, and actuators with numbers of their own, given to `attach`."""

import mujoco
import numpy as np
import pytest

import pliant

ARM = """<mujoco><option timestep="0.001"/><worldbody>
<body><joint name="hip" axis="0 1 0"/><geom size="0.02" fromto="0 0 0 0.1 0 0" type="capsule"/>
<body pos="0.1 0 0"><joint name="left_knee" axis="0 1 0" range="-40 80"/>
<geom size="0.02" fromto="0 0 0 0.1 0 0" type="capsule"/></body>
<body pos="0.1 0.1 0"><joint name="right_knee" axis="0 1 0"/>
<geom size="0.02" fromto="0 0 0 0.1 0 0" type="capsule"/></body></body>
<body pos="1 0 0"><joint name="lift" type="slide" axis="1 0 0"/><geom size="0.05" mass="0.2"/></body>
</worldbody><actuator><motor name="m" joint="hip"/></actuator></mujoco>"""
ROBOT = """replace = true
limits = "joint"
[joints]
hip = { actuator = "mx106_bam_m4", parameters = { kp = 20 } }
"*_knee" = { actuator = "xl330_bam_m6", parameters = { "own.voltage" = "6 V" } }
lift = { actuator = "mx106_bam_m4", transmission = 0.01 }
"""


def moved(spec: mujoco.MjSpec) -> np.ndarray:
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.4
    mujoco.mj_step(model, data, 200)
    return np.array(data.qpos)


def test_a_robots_file_is_what_its_lines_are_as_arguments(tmp_path):
    file = tmp_path / "robot.toml"
    file.write_text(ROBOT)
    by_file, by_hand = (mujoco.MjSpec.from_string(ARM) for _ in range(2))
    attachment = pliant.attach(by_file, file)
    knee = pliant.actuator("xl330_bam_m6", voltage=6.0)
    pliant.attach(
        by_hand,
        {
            "hip": pliant.actuator("mx106_bam_m4", kp=20),
            "left_knee": knee,
            "right_knee": knee,
            "lift": "mx106_bam_m4",
        },
        replace=True,
        limits="joint",
        transmission={"lift": 0.01},
    )
    assert [entry.joint for entry in attachment.joints] == [
        "hip",
        "left_knee",
        "right_knee",
        "lift",
    ]
    assert attachment["lift"].gear == 100.0
    assert attachment["left_knee"].command_range == pytest.approx((-0.698132, 1.396263))
    np.testing.assert_array_equal(moved(by_file), moved(by_hand))


def test_what_is_said_beside_the_file_goes_before_it(tmp_path):
    file = tmp_path / "robot.toml"
    file.write_text(ROBOT)
    spec = mujoco.MjSpec.from_string(ARM)
    attachment = pliant.attach(spec, str(file), transmission={"lift": 0.02})
    assert attachment["lift"].gear == 50.0


def test_two_joints_with_the_same_actuator_have_numbers_of_their_own():
    spec = mujoco.MjSpec.from_string(ARM)
    soft = pliant.actuator("xl330_bam_m6", kp=50)
    pliant.attach(spec, {"left_knee": soft, "right_knee": "xl330_bam_m6"})
    alone = mujoco.MjSpec.from_string(ARM)
    pliant.attach(alone, {"left_knee": soft, "right_knee": soft})
    model, both = spec.compile(), alone.compile()
    kp = list(soft.fields).index("control.kp")
    left, right = model.actuator("left_knee").id, model.actuator("right_knee").id
    assert model.actuator_user[left, kp] == 50.0 != model.actuator_user[right, kp]
    assert both.actuator_user[both.actuator("right_knee").id, kp] == 50.0


def test_a_robots_file_of_another_robot_names_its_joint(tmp_path):
    file = tmp_path / "robot.toml"
    file.write_text('[joints]\nknee = { actuator = "xl330_bam_m6" }\n')
    with pytest.raises(pliant.PliantError, match="no such joint in the model; found 'knee'"):
        pliant.attach(mujoco.MjSpec.from_string(ARM), file)
