"""`pliant evaluate robot.toml`: the error of a robot's file on its recordings, with their zeros."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from arm_recordings import record

import pliant
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log

ARM = Path(__file__).parents[2] / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
SERVOS = {"R1": "mx106_bam_m4", "R2": "mx64_bam_m4"}
TOLD = {"R1": 0.03, "R2": -0.02}
TEXT = f"""model = "{ARM.as_posix()}"
timestep = 0.002
replace = true
[joints]
R1 = {{ actuator = "mx106_bam_m4" }}
R2 = {{ actuator = "mx64_bam_m4" }}
[zeros.R1]
command_offset = {TOLD["R1"]}
[zeros.R2]
command_offset = {TOLD["R2"]}
"""


@pytest.fixture
def log() -> RobotLog:
    servos = {joint: pliant.load_actuator(name) for joint, name in SERVOS.items()}
    return record(ARM, servos, "mixed", seconds=0.5)


def stepped(log: RobotLog) -> np.ndarray:
    """(N, 2) positions of a plain loop of MuJoCo: attach, tell, step."""
    spec = mujoco.MjSpec.from_file(str(ARM))
    spec.option.timestep = 2e-3
    pliant.attach(spec, SERVOS, replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = log.position[0]
    out, told = np.empty_like(log.position), log.goal + np.array([*TOLD.values()])
    for n, time in enumerate(log.time):
        while data.time < time - 1e-9:
            before = np.searchsorted(log.time, data.time + 1e-9, side="right") - 1
            data.ctrl[:] = told[before]
            mujoco.mj_step(model, data)
        out[n] = data.qpos
    return out


def test_a_robots_file_is_judged_as_a_plain_loop_of_mujoco_would(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    (tmp_path / "robot.toml").write_text(TEXT)
    write_robot_log(log, tmp_path / "run.csv")
    said = pliant("evaluate", tmp_path / "robot.toml", tmp_path / "run.csv", "--json").json
    by_hand = 1e3 * np.abs(stepped(log) - log.position).mean(axis=0)
    assert by_hand.min() > 1.0  # the zeros matter
    assert list(said["joints"]) == ["R1", "R2"]
    assert list(said["joints"].values()) == pytest.approx(by_hand, rel=2e-2)
    assert said["logs"]["run"] == said["mae_mrad"] == pytest.approx(by_hand.mean(), rel=2e-2)
