"""`pliant evaluate robot.toml`: the error of a robot's file on its recordings, with their zeros."""

import dataclasses
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from arm_recordings import record

import pliant
from pliant.io.actuator_file import load_actuator, write_actuator
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


def stepped(log: RobotLog, volts: float | None = None) -> np.ndarray:
    """(N, 2) positions of a plain loop of MuJoCo: attach, tell, step; `volts`: not at the files' supply."""
    spec = mujoco.MjSpec.from_file(str(ARM))
    spec.option.timestep = 2e-3
    servos = {joint: load_actuator(name) for joint, name in SERVOS.items()}
    if volts is not None:
        at = {"own.voltage": volts}
        servos = {joint: one.with_values(at, "test", "assumed") for joint, one in servos.items()}
    pliant.attach(spec, servos, replace=True)
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


def test_a_robots_recordings_have_the_supply_that_is_said(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    """It was passed over in silence, as was the load of a bench."""
    (tmp_path / "robot.toml").write_text(TEXT)
    write_robot_log(log, tmp_path / "run.csv")
    words = ("evaluate", tmp_path / "robot.toml", tmp_path / "run.csv", "--json")
    said = pliant(*words, "--reading", "voltage=7").json
    by_hand = 1e3 * np.abs(stepped(log, 7.0) - log.position).mean(axis=0)
    assert list(said["joints"].values()) == pytest.approx(by_hand, rel=2e-2)
    assert by_hand.max() > 1.2e3 * np.abs(stepped(log) - log.position).mean(axis=0).max()
    error = pliant(*words, "--reading", "mass=0.5").json["error"]
    assert error.startswith("--reading: mass: is of one joint on a bench; found 0.5")


def test_a_repeated_motion_tells_how_far_its_runs_are_apart(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    (tmp_path / "robot.toml").write_text(TEXT)
    again = dataclasses.replace(log, name="again", position=log.position + np.array([4e-3, 2e-3]))
    for one in (log, again):
        write_robot_log(one, tmp_path / f"{one.name}.csv")
    words = (
        "evaluate",
        tmp_path / "robot.toml",
        *(tmp_path / f"{x.name}.csv" for x in (log, again)),
    )
    # With zeros found by log the two would be one.
    said = pliant(*words, "--zero-by", "none").out
    assert "repetitions of 1 command differ from each other by 3.0 mrad" in said
    assert "(R1 4.0, R2 2.0)" in said
    apart = pliant(*words, "--zero-by", "none", "--json").json["repeatability_mrad"]
    assert {joint: [*each.values()] for joint, each in apart.items()} == {
        "R1": [pytest.approx(4.0, abs=1e-3)],
        "R2": [pytest.approx(2.0, abs=1e-3)],
    }


def spent_by_hand(log: RobotLog) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(2,) work, heat, friction [J] of both motors in that loop: torque by speed, R (torque / k_t)²."""
    spec = mujoco.MjSpec.from_file(str(ARM))
    spec.option.timestep = 2e-3
    pliant.attach(spec, SERVOS, replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = log.position[0]
    data.qvel[:] = np.nan_to_num(log.speed[0])
    told = log.goal + np.array([*TOLD.values()])
    servos = [pliant.load_actuator(name) for name in SERVOS.values()]
    k_t = np.array([servo.value("motor.k_t") for servo in servos])
    ohm = np.array([servo.value("motor.R") for servo in servos])
    work, heat, friction = np.zeros((3, 2))
    while data.time < log.time[-1] - 1e-9:
        data.ctrl[:] = told[np.searchsorted(log.time, data.time + 1e-9, side="right") - 1]
        mujoco.mj_step(model, data)
        torque = data.qfrc_actuator
        work += 2e-3 * torque * data.qvel
        heat += 2e-3 * ohm * (torque / k_t) ** 2
        friction -= 2e-3 * data.qfrc_constraint * data.qvel  # nothing is touched, no limit reached
    return work, heat, friction


def test_the_energy_of_each_joint_is_that_of_a_plain_loop_and_the_robots_is_the_sum(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    (tmp_path / "robot.toml").write_text(TEXT)
    write_robot_log(log, tmp_path / "run.csv")
    ended = pliant("evaluate", tmp_path / "robot.toml", tmp_path / "run.csv")
    assert "energy [J]" in ended.out and "\nrobot" in ended.out
    said = pliant("evaluate", tmp_path / "robot.toml", tmp_path / "run.csv", "--json").json
    spent = said["energy_J"]["run"]
    work, heat, friction = spent_by_hand(log)
    assert heat.min() > 0.01 and np.abs(work).min() > 0.001
    joints = [spent["joints"][joint] for joint in SERVOS]
    assert [one["copper_loss"] for one in joints] == pytest.approx(heat, rel=2e-2)
    near = 0.02 * np.abs(work).max()
    assert [one["mechanical"] for one in joints] == pytest.approx(work, abs=near)
    assert friction.min() > 0.1
    assert [one["friction"] for one in joints] == pytest.approx(friction, rel=2e-2)
    assert [one["link"] for one in joints] == pytest.approx(work - friction, abs=2.0 * near)
    assert [one["electrical"] for one in joints] == pytest.approx(work + heat, rel=2e-2)
    assert spent["robot"]["electrical"] == pytest.approx(np.sum(work + heat), rel=2e-2)
    assert spent["robot"]["elastic"] is None


def test_a_pattern_gives_its_actuator_to_all_joints_of_the_recordings(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    write_robot_log(log, tmp_path / "run.csv")
    both = ",".join(f"{joint}=mx64_bam_m4" for joint in SERVOS)
    said = [
        pliant("evaluate", one, tmp_path / "run.csv", "--robot", ARM, "--replace", "--json").json
        for one in ("*=mx64_bam_m4", both)
    ]
    assert said[0] == said[1]
    assert list(said[0]["joints"]) == ["R1", "R2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", "mx64_bam_m4", "lost.csv"), "ACTUATOR: cannot be read; found 'mx64_bam_m4'"),
        (("evaluate", "*=mx64_bam_m7", "lost.csv"), "unknown actuator; found 'mx64_bam_m7'"),
        (("replay", "lost.csv", "--attach", "*=mx64_bam_m7"), "unknown actuator"),
    ],
)
def test_actuators_are_looked_for_before_recordings_are_read(
    pliant, words: tuple[str, ...], said: str
) -> None:
    assert pliant(*words, "--robot", ARM).err.startswith(f"pliant: {said}")


def test_joints_of_other_names_are_told_with_the_option_that_renames_them(
    pliant, log: RobotLog, tmp_path: Path
) -> None:
    (tmp_path / "robot.toml").write_text(TEXT)
    write_robot_log(dataclasses.replace(log, joints=("axis1", "axis2")), tmp_path / "run.csv")
    ended = pliant("evaluate", tmp_path / "robot.toml", tmp_path / "run.csv")
    assert ended.code != 0
    assert "--rename axis1=R1,axis2=R2" in ended.err


def test_a_zero_that_does_not_fit_the_model_is_told(pliant, log: RobotLog, tmp_path: Path) -> None:
    """The model ends a tenth of a radian before the motion does."""
    end = float(log.position[:, 0].max()) - 0.1
    model = tmp_path / "short.xml"
    model.write_text(ARM.read_text().replace("-1.91986 1.91986", f"-1.91986 {end:.4f}"))
    write_robot_log(log, tmp_path / "run.csv")
    words = ("*=mx64_bam_m4", tmp_path / "run.csv", "--robot", model, "--replace")
    said, other = pliant("evaluate", *words, "--json").json["warnings"]
    assert "R1 goes 0.1 beyond its range" in said
    assert "add -0.1 to its positions" in said
    assert "fit these recordings equally well" in other and "R2" in other and "R1" not in other


GEOM = '<geom type="sphere" size="0.05" density="0" />'
SETTINGS = {
    "keep_armature": ("keep_armature = true", ""),
    "limits": ('limits = "joint"', ""),
    "exclude_base_collision": ("exclude_base_collision = true", ""),
    "transmission": ("", ", transmission = 0.5"),
}


def narrow(folder: Path, *, overlapping: bool) -> None:
    """Write the arm with armatures of 1 kg m^2, a range of 0.3 rad at R1, and a link within its base."""
    text = ARM.read_text().replace("-1.91986 1.91986", "-0.3 0.3")
    text = re.sub(r"<actuator>.*</actuator>", "", text, flags=re.DOTALL)
    if overlapping:
        text = re.sub(r'(<body name="(base_106|first_segment_mix)"[^>]*>)', rf"\1{GEOM}", text)
    (folder / "narrow.xml").write_text(text)


def robot_file(folder: Path, setting: tuple[str, str] = ("", "")) -> Path:
    line, more = setting
    path = folder / "robot.toml"
    path.write_text(
        f'model = "narrow.xml"\n{line}\n[joints]\n'
        f'R1 = {{ actuator = "mx106_bam_m4" }}\n"*2" = {{ actuator = "mx64_bam_m4"{more} }}\n'
    )
    return path


def at_rest(seconds: float = 0.5) -> RobotLog:
    """Commands beyond the range of R1; the arm is said to have rested, so errors are its motion."""
    time = np.arange(0.0, seconds, 0.02)
    goal = np.column_stack([0.8 * np.sin(6.0 * time), 0.5 * np.sin(9.0 * time)])
    still, on = np.zeros_like(goal), np.ones(goal.shape, bool)
    return RobotLog("sines", ("R1", "R2"), time, still, goal, still, on)


def attached_and_stepped(path: Path, log: RobotLog) -> np.ndarray:
    """(N, 2) positions of a plain loop of MuJoCo with what `attach` makes of a robot's file."""
    spec = mujoco.MjSpec.from_file(str(path.parent / "narrow.xml"))
    pliant.attach(spec, path)
    model = spec.compile()
    data = mujoco.MjData(model)
    gear = model.actuator_gear[[model.actuator(joint).id for joint in log.joints], 0]
    out = np.empty_like(log.position)
    for n, time in enumerate(log.time):
        while data.time < time - 1e-9:
            before = np.searchsorted(log.time, data.time + 1e-9, side="right") - 1
            data.ctrl[:] = gear * log.goal[before]
            mujoco.mj_step(model, data)
        out[n] = data.qpos
    return out


@pytest.mark.filterwarnings("ignore::pliant.PliantWarning")
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_robots_file_act_on_its_recordings_as_in_attach(
    pliant, tmp_path: Path, name: str
) -> None:
    log, folder = at_rest(), tmp_path
    narrow(folder, overlapping=name == "exclude_base_collision")
    write_robot_log(log, folder / "run.csv")
    plain = attached_and_stepped(robot_file(folder), log)
    path = robot_file(folder, SETTINGS[name])
    by_hand = attached_and_stepped(path, log)
    assert np.abs(by_hand - plain).mean() > 5e-3  # the setting matters
    said = pliant("evaluate", path, folder / "run.csv", "--json").json
    moved = 1e3 * np.abs(by_hand).mean(axis=0)
    assert list(said["joints"].values()) == pytest.approx(moved, rel=1e-2)


@pytest.mark.parametrize("passes", [False, True])
def test_links_within_their_base_are_told_with_what_lets_them_pass(
    pliant, tmp_path: Path, passes: bool
) -> None:
    narrow(tmp_path, overlapping=True)
    path = robot_file(tmp_path, SETTINGS["exclude_base_collision"] if passes else ("", ""))
    write_robot_log(at_rest(), tmp_path / "sines.csv")
    said = pliant("evaluate", path, tmp_path / "sines.csv", "--json").json["warnings"]
    told = [text for text in said if "overlap the base" in text]
    assert len(told) == (0 if passes else 1)
    assert all("exclude_base_collision" in text for text in told)


def test_the_age_of_a_day_that_was_not_fitted_is_found_told_and_left_out_on_request(
    pliant, tmp_path: Path
) -> None:
    """The fit's record names recordings of another day; these were read 20 ms late."""
    servos = {joint: load_actuator(name) for joint, name in SERVOS.items()}
    run = record(ARM, servos, "mixed", seconds=1.5)
    for joint, servo in servos.items():
        seen = {"logs": {"2026-01-01_mixed": "a"}}
        known = dataclasses.replace(servo, identification=seen)
        write_actuator(known, tmp_path / f"{joint}.toml")
    columns = [np.interp(run.time - 0.02, run.time, column) for column in run.position.T]
    late = dataclasses.replace(run, name="2026-01-02_mixed", position=np.column_stack(columns))
    write_robot_log(late, tmp_path / "2026-01-02_mixed.csv")
    pairs = ",".join(f"{joint}={tmp_path / joint}.toml" for joint in SERVOS)
    words = ("evaluate", pairs, tmp_path / "2026-01-02_mixed.csv", "--robot", ARM, "--replace")
    text = pliant(*words).out
    assert re.search(r"age of 2026-01-02 +0\.0 +[12]\d\.\d +\d\.\d +ms", text)
    assert "with the actuators unchanged; with the zeros of the robot's file alone" in text
    said = pliant(*words, "--json").json
    one = said["found"]["age of 2026-01-02"]
    assert one["value"] > 3.0 * one["std"]
    assert said["mae_mrad"] < 0.6 * said["mae_mrad_as_recorded"]
    for option in (("--recorder-by", "none"), ("--sample-age", "0")):
        left = pliant(*words, *option, "--zero-by", "none", "--json").json
        assert not any(name.startswith("age of ") for name in left["found"])
    aged = pliant(*words, "--sample-age", "0.02", "--zero-by", "none", "--json").json
    assert aged["mae_mrad"] < 0.6 * left["mae_mrad"]
