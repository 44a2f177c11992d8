"""A device that nobody has prepared anything for: logs in, an actuator out."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import scipy.integrate

import pliant
from pliant.assemble import still
from pliant.cli import main
from pliant.engines.joint.engine import JointEngine
from pliant.engines.joint.simulate import simulate
from pliant.errors import PliantError
from pliant.examine import check
from pliant.identification import SearchSettings, evaluate, identify
from pliant.identification.problem.ambiguities import unexcited
from pliant.identification.problem.device_match import mismatches
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.starting_actuator import starting_actuator
from pliant.io.actuator_file import load_actuator, write_actuator
from pliant.io.log import Log, example_logs, read_log, read_logs

BAR = """<mujoco><worldbody><body><joint name="a" axis="0 1 0"/>
<geom type="capsule" size=".01" fromto="0 0 0 0 0 -.3" mass="0.5"/></body></worldbody></mujoco>"""
BRIEF = SearchSettings(starts=1, jacobians=8)


def drive(mass: float, kp: float, kd: float, off: float = 5.0) -> dict[str, Any]:
    """A quasi-direct drive on a pendulum, by an integrator that shares nothing with Pliant's.

    It delivers 80 % of the torque it is asked for, with 0.05 N m s/rad of viscous friction and
    0.006 kg m^2 of rotor, on a rod of 0.1 kg and 0.3 m. From `off` [s] on it is unpowered, and brakes by
    0.04 N m s/rad more.
    """
    length, rod, rotor = 0.3, 0.1, 0.006
    inertia = (mass + rod / 3.0) * length**2 + rotor
    time = np.arange(0.0, 5.0, 0.005)

    def goal(t: float) -> float:
        return 0.8 * np.sin(2.0 * t) + 0.2 * np.sin(9.0 * t)

    def rates(t: float, x: Any) -> list[float]:
        held = goal(0.005 * np.floor(t / 0.005 + 1e-9))
        powered = 0.8 * (kp * (held - x[0]) - kd * x[1])
        torque = (powered if t < off else -0.04 * x[1]) - 0.05 * x[1]
        load = -(mass + 0.5 * rod) * 9.81 * length * np.sin(x[0])
        return [x[1], (torque + load) / inertia]

    integrate: Any = scipy.integrate  # it declares no types
    solved = integrate.solve_ivp(
        rates, (0.0, 5.0), [0.0, 0.0], t_eval=time, rtol=1e-6, atol=1e-7, max_step=0.005
    )
    rows = zip(time.tolist(), solved.y[0].tolist(), strict=True)
    entries = [
        {"timestamp": t, "position": q, "goal_position": float(goal(t)), "torque_enable": t < off}
        for t, q in rows
    ]
    return {
        "mass": mass,
        "arm_mass": rod,
        "length": length,
        "kp": kp,
        "kd": kd,
        "motor": "AK80-6",
        "trajectory": "two sines",
        "entries": entries,
    }


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Log]:
    folder = tmp_path_factory.mktemp("drive")
    made: dict[str, Log] = {}
    for name, run in {
        "bare": drive(0.0, 8.0, 0.4),
        "soft": drive(0.5, 8.0, 0.4),
        "stiff": drive(0.5, 20.0, 0.8),
        "heavy": drive(1.0, 20.0, 0.4),
    }.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(run))
        made[name] = read_log(path)
    return made


def test_a_quasi_direct_drive_begins_with_the_gains_of_its_logs(logs: dict[str, Log]) -> None:
    """Fitted to light loads, a bare arm among them, it predicts a load twice as heavy."""
    begun, said = starting_actuator([*logs.values()])
    assert said == (
        "the logs name 'AK80-6': starts from ak80_6_dfki_m1 with control=pd_torque, friction=m6, "
        "gear_load=without_inertia, timing=command_delay; "
        "own.armature 0.00039 to 0.0123 kg m^2, by gear and motor of its data sheet"
    )
    fitted = [logs["bare"], logs["soft"], logs["stiff"]]
    found = identify(begun, fitted, held_out=[logs["heavy"]], search_settings=BRIEF, zero_by=None)
    assert "control.kp" not in found.values and "control.kd" not in found.values
    assert found.held_out is not None
    assert found.held_out.mae < 3e-3
    assert found.values["motor.scale"] == pytest.approx(0.8, rel=0.03)
    # What is written holds a position by itself: without a gain it would hang at 0.
    engine = JointEngine(found.actuator, plant="pendulum")
    weightless = {"plant.mass": 0.0, "plant.arm_mass": 0.1, "plant.length": 0.1}
    moved = simulate(engine, np.arange(0.0, 2.0, 2e-3), 0.5, changes=weightless)
    assert moved.position[-1] == pytest.approx(0.5, abs=0.02)


def test_what_a_drive_does_while_its_torque_is_off_is_found(tmp_path: Path) -> None:
    made = {f"{kp:g}": drive(0.5, kp, 1.0, off=3.0) for kp in (10.0, 40.0)}
    for name, one in made.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    released = read_logs([tmp_path])
    begun, said = starting_actuator(released)
    assert "unpowered=released" in said
    found = identify(begun, released, search_settings=SearchSettings(starts=2))
    assert found.values["unpowered.d_off"] == pytest.approx(0.04, rel=0.1)
    assert found.values["unpowered.more"] < 0.1
    open_bridge = found.actuator.with_values({"unpowered.d_off": 0.0}, "none", "assumed")
    assert found.fitted.mae < 2e-3 < evaluate(open_bridge, released).mae


def test_a_file_holds_the_gains_of_its_logs(logs: dict[str, Log]) -> None:
    """Both of one log: kp of one and kd of another were never used together."""
    begun, _ = starting_actuator([*logs.values()])
    rig, said = JointRig(begun).as_set([logs["bare"], logs["stiff"], logs["heavy"]], {})
    gains = [rig.actuator.numbers[f"control.{name}"] for name in ("kp", "kd")]
    assert [gain.value for gain in gains] == [20.0, 0.4]
    assert {gain.source for gain in gains} == {"logs"}
    assert said == rig.actuator.sources["logs"]
    assert said == (
        "settings of the logs: kp 20 N m/rad, kd 0.4 N m s/rad, those of the median log; "
        "the logs have kp 8 and 20 N m/rad, kd 0.4 and 0.8 N m s/rad"
    )
    agreed, said = JointRig(begun).as_set([logs["bare"], logs["soft"]], {})
    assert said == "settings of the logs: kp 8 N m/rad, kd 0.4 N m s/rad, in all of them"
    again, said = JointRig(agreed.actuator).as_set([logs["stiff"]], {"control.kd": 0.1})
    assert again.actuator.value("control.kd") == 0.4  # which was found stays
    assert again.actuator.numbers["control.kp"].source == "logs_2"


def test_a_register_holds_a_gain_that_was_used_in_the_logs() -> None:
    """XL330 at 100, 200 and 800: their mean, and the 400 of the catalogue, are none of them."""
    rig, said = JointRig(load_actuator("xl330_bam_m4")).as_set(read_logs(example_logs()), {})
    assert rig.actuator.value("control.kp") == 200.0
    assert said == (
        "settings of the logs: kp 200, voltage 7.4 V, those of the median log; "
        "the logs have kp 100, 200 and 800, voltage 7.4 V"
    )
    _, said = rig.as_set(read_logs(example_logs()), {})
    assert not said  # no news


def test_a_file_is_for_the_supply_of_its_logs() -> None:
    """MuJoCo runs a servo at the voltage of its file: 7.4 V of the catalogue would be too weak."""
    rig = JointRig(load_actuator("xl330_bam_m4"))
    at_9 = [replace(log, supply=9.0) for log in read_logs(example_logs())]
    made, said = rig.as_set(at_9, {})
    assert made.actuator.value("own.voltage") == 9.0
    assert "voltage 9 V" in said
    assert not mismatches(made.actuators, at_9)
    unstated = [replace(log, supply=None) for log in at_9]
    assert rig.as_set(unstated, {})[0].actuator.value("own.voltage") == 7.4
    rig.check(unstated)
    with pytest.raises(
        PliantError, match=r"own\.voltage: outside the range of its law; found 9000"
    ):
        rig.check([replace(log, supply=9e3) for log in at_9])  # before the search, not after it


def test_a_servo_without_a_gain_is_told(tmp_path: Path, logs: dict[str, Log]) -> None:
    begun, _ = starting_actuator([*logs.values()])
    path = tmp_path / "still.toml"
    write_actuator(begun, path)
    (file,) = check([path])
    told = [str(one) for one in file.remarks if one.severity == "warning"]
    assert told == ["warning: parameters.control.kp: is 0: it will not move"]
    spec = mujoco.MjSpec.from_string(BAR)
    attached = pliant.attach(spec, {"a": begun})
    assert [str(one) for one in attached.warnings] == ["a: control.kp is 0: it will not move"]
    assert not still(load_actuator("ak80_6_dfki_m1"))  # takes torques


def test_a_limit_of_torque_that_no_log_reached_is_told(logs: dict[str, Log]) -> None:
    begun, _ = starting_actuator([*logs.values()])
    (doubt,) = [one for one in unexcited(begun, [*logs.values()]) if one.kind == "limit of torque"]
    assert "at most" in doubt.text and "of 18 N m was commanded:" in doubt.text
    weak = begun.with_values({"control.limit": 0.1}, "test", "assumed")
    assert not [one for one in unexcited(weak, [*logs.values()]) if one.kind == "limit of torque"]


def test_gains_of_the_logs_hold_for_a_drive_whose_file_has_gains_of_its_own(
    logs: dict[str, Log],
) -> None:
    """Of a RobStride's file, made for one robot's gains: by those, this heavy load came to 108 mrad."""
    begun, said = starting_actuator([*logs.values()], "RobStride 02")
    assert "control=pd_torque, motor=scaled_torque, friction=m6" in said
    fitted = [logs["bare"], logs["soft"], logs["stiff"]]
    found = identify(begun, fitted, held_out=[logs["heavy"]], search_settings=BRIEF, zero_by=None)
    assert found.held_out is not None
    assert found.held_out.mae < 3e-3
    assert found.values["motor.scale"] == pytest.approx(0.8, rel=0.03)


@pytest.mark.parametrize(
    ("times", "begins"),
    [(1.0, "ak80_6_dfki_m1"), (4.0, "robstride_03_ksim"), (30.0, "robstride_04_ksim")],
)
def test_a_drive_that_nobody_knows_begins_at_one_as_strong(
    logs: dict[str, Log], times: float, begins: str
) -> None:
    """The heavy run asks for 6 N m: 25 N m, and more than any drive has, with other gains."""
    runs = [replace(log, gain=times * log.gain) for log in logs.values()]
    begun, said = starting_actuator(runs, "HT-4438")
    assert said.startswith(
        f"--reading device names 'HT-4438', of which only kp and kd are known: starts from {begins} with "
        "control=pd_torque"
    )
    assert begun.device == "HT-4438"
    assert not begun.datasheet and not begun.maker  # those of another drive


def test_gains_of_a_servo_are_not_taken_for_those_of_a_drive(logs: dict[str, Log]) -> None:
    """An XC330's are in its firmware's own unit."""
    begun, _ = starting_actuator([*logs.values()], "XC330")
    assert begun.laws["control"].name == "pid_torque"


def test_positions_are_not_given_to_a_control_that_takes_torques(logs: dict[str, Log]) -> None:
    with pytest.raises(PliantError, match="commands positions, and ak80_6_dfki_m1 takes torques"):
        evaluate(load_actuator("ak80_6_dfki_m1"), [logs["soft"]])


def test_a_device_is_found_by_the_name_in_its_logs() -> None:
    begun, said = starting_actuator(read_logs(example_logs()[:1]))
    laws = "gear_load=without_inertia, timing=command_delay, driver=pulsed_supply"
    assert said == f"the logs name 'xl330': starts from xl330_bam_m6 with {laws}"
    assert begun.laws["friction"].name == "m6"
    assert begun.laws["gear_load"].name == "without_inertia"


def test_friction_of_the_load_is_begun_with_a_gear_that_carries_no_inertia() -> None:
    begun, said = starting_actuator(read_logs(example_logs()[:1]), "STS3032")
    assert begun.laws["gear_load"].name == "without_inertia"
    assert "friction=m6, gear_load=without_inertia, timing=command_delay" in said


@pytest.mark.parametrize(
    ("device", "begins"),
    [
        ("STS3032", "sts3032_6V_bam_m1"),
        ("hls", "hls3606_m3"),
        ("STS3215", "feetech_sts3215_7_4V_bam_m1"),
        ("Mx-64", "mx64_bam_m6"),
        ("AK80", "ak80_6_dfki_m1"),
    ],
)
def test_a_device_is_found_however_it_is_written(device: str, begins: str) -> None:
    logs = read_logs(example_logs()[:1])
    assert starting_actuator(logs, device)[0].name.startswith(begins)


def test_a_device_that_nobody_knows_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(PliantError) as caught:
        starting_actuator(read_logs(example_logs()[:1]), "XL340")
    said = str(caught.value)
    assert said.startswith(
        "--reading device: this device is unknown; start from another with --actuator, or, for a drive with its "
        "own PD, state kp and kd in every log; found 'XL340'; "
        "did you mean 'xl330' or 'xl320'"
    ), said


def test_identify_without_an_actuator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    brief = "--starts 1 --plan jacobians=1,intervals=no,test=no".split()
    words = ["identify", str(example_logs()[0]), *brief, "--output", str(tmp_path / "a.toml")]
    assert main(words) == 0
    assert "the logs name 'xl330': starts from xl330_bam_m6" in capsys.readouterr().err
    made = {port: law.name for port, law in load_actuator(tmp_path / "a.toml").laws.items()}
    known = {port: law.name for port, law in load_actuator("xl330_bam_m6").laws.items()}
    more = {"gear_load": "without_inertia", "timing": "command_delay", "driver": "pulsed_supply"}
    assert made == known | more
    assert main([*words, "--law", "friction=m4", "--overwrite"]) == 0
    asked = {port: law.name for port, law in load_actuator(tmp_path / "a.toml").laws.items()}
    assert asked == made | {"friction": "m4"}  # what is asked for stays


@pytest.mark.parametrize(
    ("more", "lacks"),
    [
        ("", "friction=m6,gear_load=without_inertia,timing=command_delay,driver=pulsed_supply"),
        ("--law friction=m4,driver=ideal_supply", "timing=command_delay"),
        ("--law friction=m4,timing=command_delay,driver=pulsed_supply", None),
    ],
)
def test_laws_that_a_given_actuator_lacks_are_told_but_for_those_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, lacks: str | None
) -> None:
    brief = "--starts 1 --plan jacobians=1,intervals=no,test=no".split()
    begun = ["--actuator", "xl330_bam_m4", *more.split(), "--output", str(tmp_path / "a.toml")]
    assert main(["identify", str(example_logs()[0]), *brief, *begun]) == 0
    said = capsys.readouterr().err
    assert ("lacks" in said) == (lacks is not None)
    assert lacks is None or said.split("--law ")[1].splitlines()[0] == lacks
