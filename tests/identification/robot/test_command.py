"""`pliant identify --robot`: from CSV files to a file for each joint."""

import dataclasses
import json
import re
import tomllib

import numpy as np
import pytest
from arm_recordings import record

import pliant
from pliant.cli.entry import run
from pliant.io.robot_log_csv import write_robot_log
from pliant.robots import RobotLog
from pliant.robots.robot_file import load_robot


@pytest.fixture(scope="module")
def runs(arm, servos, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name in ("fast", "mixed"):
        write_robot_log(record(arm, servos, name, seconds=1.0), folder / f"{name}.csv")
    return folder


def words(arm, runs, *more: str) -> list[str]:
    return [
        "identify",
        str(runs),
        "--robot",
        str(arm),
        "--actuator",
        "R1=mx106_bam_m4,R2=mx64_bam_m4",
        "--law",
        "timing=command_delay",
        "--fix",
        "*.friction.*",
        "--fix",
        "*.control.*",
        "--fix",
        "*.own.*",
        "--fix",
        "*.motor.*",
        "--fit",
        "R1.timing.delay=0:0.04",
        "--starts",
        "1",
        "--plan",
        "jacobians=2,intervals=no",
        *more,
    ]


def test_the_actuator_is_looked_for_before_recordings_are_read(arm, tmp_path, capsys) -> None:
    lost = ["identify", str(tmp_path / "lost.csv"), "--robot", str(arm)]
    assert run([*lost, "--actuator", "*=mx106_bam_m7"]) == 1
    assert "unknown actuator; found 'mx106_bam_m7'; did you mean" in capsys.readouterr().err
    assert run(lost) == 1
    assert "--actuator: is missing" in capsys.readouterr().err


def test_each_joint_gets_its_file_and_programs_get_json(arm, runs, tmp_path, capsys) -> None:
    out = tmp_path / "found"
    assert run(words(arm, runs, "--hold-out", "log=mixed", "--output", str(out), "--json")) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said["identified"]) == {"R1.timing.delay", "R2.timing.delay"}
    assert said["identified"]["R1.timing.delay"] == pytest.approx(0.01, abs=2e-3)
    assert [(e["log"], e["joint"], e["held_out"]) for e in said["logs"]] == [
        ("fast", "R1", False),
        ("fast", "R2", False),
        ("mixed", "R1", True),
        ("mixed", "R2", True),
    ]
    for spent in (said["energy_J"]["fast"], said["energy_J"]["mixed"]):
        heat = [spent["joints"][joint]["copper_loss"] for joint in ("R1", "R2")]
        assert min(heat) > 0.0 and spent["robot"]["copper_loss"] == pytest.approx(sum(heat))
    logs = [said["energy_J"][log]["joints"]["R2"]["copper_loss"] for log in ("fast", "mixed")]
    written = tomllib.loads((out / "robot.toml").read_text())["energy"]
    assert written["R2"]["copper_loss"] == pytest.approx(sum(logs), rel=1e-3)
    assert list(load_robot(out / "robot.toml", target="python").joints) == ["R1", "R2"]
    servo = pliant.load_actuator(out / "R2.toml")
    assert servo.value("timing.delay") == said["identified"]["R2.timing.delay"]
    assert servo.identification["robot_mae_mrad"] == pytest.approx(said["mae_mrad"], abs=1e-3)


def test_what_is_written_is_for_the_supply_that_the_recordings_are_said_to_have(
    arm, runs, tmp_path, capsys
) -> None:
    said = ("--reading", "voltage=11", "--plan", "test=no", "--output", str(tmp_path / "found"))
    assert run(words(arm, runs, *said)) == 0
    for joint in ("R1", "R2"):
        written = pliant.load_actuator(tmp_path / "found" / f"{joint}.toml")
        assert written.value("own.voltage") == 11.0
    capsys.readouterr()


def test_a_repeated_motion_is_the_floor_beside_the_errors(
    arm, runs, tmp_path, servos, capsys
) -> None:
    log = record(arm, servos, "fast", seconds=1.0)
    for name, by in (("one", 0.0), ("two", 3e-3)):
        moved = dataclasses.replace(log, name=name, position=log.position + by)
        write_robot_log(moved, tmp_path / f"{name}.csv")
    out = tmp_path / "found"
    assert run(words(arm, tmp_path, "--plan", "test=no", "--output", str(out))) == 0
    said = capsys.readouterr().out
    assert re.search(r"distance between repetitions +3\.0 ", said)
    assert "by 3.0 mrad on average (R1 3.0, R2 3.0): errors below that say nothing" in said
    recorded = pliant.load_actuator(out / "R2.toml").identification["repeatability_mrad"]
    assert recorded == {"one": pytest.approx(3.0, abs=1e-2)}


def test_its_page_shows_the_search_joint_by_joint(arm, runs, monkeypatch, capsys) -> None:
    pytest.importorskip("viser", reason="pliant[view] is not installed")
    from pliant.view.watching import SearchPage

    told, note = [], SearchPage.note
    monkeypatch.setattr(SearchPage, "note", lambda self, one: (told.append(one), note(self, one)))
    assert run(words(arm, runs, "--plan", "how=separately,test=no,watch=yes", "--json")) == 0
    found = json.loads(capsys.readouterr().out)["identified"]
    assert {name for one in told for name in one.values} == set(found)
    for joint in ("R1", "R2"):
        name = f"{joint}.timing.delay"
        last = next(one for one in reversed(told) if name in one.values)
        assert last.part.startswith(joint)
        assert last.values[name][0] == pytest.approx(found[name], abs=2e-3)


def test_people_get_the_verdict_first_and_tables_if_they_ask(arm, runs, tmp_path, capsys) -> None:
    out = tmp_path / "found"
    assert run(words(arm, runs, "--plan", "how=separately", "--output", str(out))) == 0
    text = capsys.readouterr().out
    assert text.startswith("Predicts motion mixed, not seen by the fit, to ")
    assert "published actuators, motion mixed" in text
    assert f"{out}/robot.toml" in text
    assert text.index("Use it:") < text.index("Not known:") < text.index("wrote R1")
    assert "R2.timing.delay" not in text.partition("Not known:")[0]
    assert run(words(arm, runs, "--plan", "test=no", "--verbose")) == 0
    text = capsys.readouterr().out
    assert "no other log has tested it" in text
    assert "R2.timing.delay" in text and "MAE [mrad]" in text
    assert "energy of 2 logs [J]" in text


def test_the_motion_left_out_is_judged_by_a_fit_that_has_not_seen_it(arm, runs, capsys) -> None:
    """The same figure as of a fit to which the option gives that motion."""
    assert run(words(arm, runs, "--json")) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert (verdict["unseen"], verdict["second"]) == ("motion mixed", True)
    assert run(words(arm, runs, "--hold-out", "motion=mixed", "--json")) == 0
    said = json.loads(capsys.readouterr().out)
    assert verdict["held_out_mrad"] == pytest.approx(said["held_out_mae_mrad"], rel=0.2)
    assert verdict["begun_unseen_mrad"] == pytest.approx(said["verdict"]["begun_unseen_mrad"])
    assert verdict["begun_unseen_mrad"] > 5.0 * verdict["held_out_mrad"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            ["--hold-out", "log=none"],
            "hold-out: holds out no log; found 'none'; accepted: fast, mixed",
        ),
        (["--actuator", "R1=xl330_bam_m1"], "--actuator: is given twice; found 'R1'"),
        (["--fit", "R1.motor.L"], "fit or fix: no such parameter; found 'R1.motor.L'"),
        (["--plan", "step=2"], "--plan: step: should be less than or equal to 1; found 2.0"),
        (["--starts", "0"], "--starts: should be greater than or equal to 1; found 0"),
    ],
)
def test_a_wrong_option_is_said_on_one_line(arm, runs, capsys, more, said) -> None:
    assert run(words(arm, runs, *more)) == 1
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_without_an_actuator_it_is_said(arm, runs, capsys) -> None:
    assert run(["identify", str(runs), "--robot", str(arm)]) == 1
    assert "--actuator: is missing; accepted: joint=actuator" in capsys.readouterr().err


def test_actuators_of_the_model_give_way_where_asked_for(
    arm_with_motors, runs, tmp_path, capsys
) -> None:
    """As of `pliant simulate`, with the same message; `evaluate` finds it in the robot's file."""
    out = tmp_path / "found"
    fit = words(arm_with_motors, runs, "--output", str(out))
    servos = "R1=mx106_bam_m4,R2=mx64_bam_m4"
    robot = ["evaluate", servos, str(runs), "--robot", str(arm_with_motors)]
    attach = ["simulate", str(arm_with_motors), "--attach", "R1=mx106_bam_m4", "--duration", "0.01"]
    said: list[str] = []
    for command in (fit, robot, attach):
        assert run(command) == 1
        said += capsys.readouterr().err.splitlines()[-1:]
    assert said == [said[0]] * 3
    assert "R1: the joint has an actuator already: motor 'R1'; accepted: replace=True" in said[0]
    assert run([*fit, "--replace"]) == 0
    assert "motor 'R2' of the model on R2 is replaced" in capsys.readouterr().err
    assert run(["evaluate", str(out / "robot.toml"), str(runs), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["replaced"]) == 2


def test_what_was_written_is_evaluated_again(arm, runs, tmp_path, capsys) -> None:
    """The folder, or single joints, on the same logs: the error that the fit said."""
    out = tmp_path / "found"
    assert run(words(arm, runs, "--output", str(out), "--json")) == 0
    said = json.loads(capsys.readouterr().out)
    assert run(["evaluate", str(out), str(runs), "--robot", str(arm), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["mae_mrad"] == pytest.approx(said["mae_mrad"], rel=1e-6)
    assert set(again["joints"]) == {"R1", "R2"} and set(again["logs"]) == {"fast", "mixed"}
    assert run(["evaluate", f"R1={out}/R1.toml", str(runs), "--robot", str(arm)]) == 0
    assert "R2" not in capsys.readouterr().out


def test_runs_are_held_out_in_turn_and_models_chosen(arm, runs, tmp_path, capsys) -> None:
    assert run(words(arm, runs, "--hold-out", "log", "--json")) == 0
    turns = json.loads(capsys.readouterr().out)["held_out_in_turn"]
    assert set(turns) == {"log=fast", "log=mixed"}
    out = tmp_path / "chosen"
    assert run(words(arm, runs, "--law", "friction=m4,m6", "--output", str(out), "--json")) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["chosen"] in ("m4", "m6")
    assert pliant.load_actuator(out / "R1.toml").identification["chosen_by"] == "log"
    assert not (tmp_path / "chosen.checkpoint").exists()


def test_a_choice_by_kinds_of_motion_is_judged_by_one_that_it_has_not_seen(
    arm, runs, tmp_path, capsys
) -> None:
    kinds: list[str] = []
    for kind, file in (("quick", "fast"), ("rich", "mixed"), ("other", "fast")):
        (tmp_path / kind).mkdir()
        text = (runs / f"{file}.csv").read_text()
        (tmp_path / kind / f"{kind}_{file}.csv").write_text(text)
        kinds.append(str(tmp_path / kind))
    argv = words(arm, kinds[0], "--law", "friction=m4,m6", "--hold-out", "folder,folder=other")
    argv[2:2] = kinds[1:]
    assert run([*argv, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {log["log"] for log in said["logs"] if log["held_out"]} == {"other_fast"}
    assert said["held_out_mae_mrad"] is not None
    assert set(said["models"]["m4"]["folds_mae_mrad"]) == {"folder=quick", "folder=rich"}


def test_a_folder_of_an_earlier_fit_is_a_prior(arm, runs, tmp_path, capsys) -> None:
    out = tmp_path / "found"
    assert run(words(arm, runs, "--output", str(out))) == 0
    capsys.readouterr()
    more = ("--prior", str(out), "--output", str(tmp_path / "again"))
    assert run(words(arm, runs, *more)) == 0
    record = pliant.load_actuator(tmp_path / "again" / "R2.toml").identification["prior"]
    assert record["actuator"] == "R2" and set(record["moved"]) == {"timing.delay"}


def test_a_robots_file_is_fitted_with_its_settings_and_written_with_them(
    arm, runs, tmp_path, capsys
) -> None:
    """The model gives R1 an armature, which stays; a file that is fitted again comes to the same."""
    text = arm.read_text().replace('armature="1."', 'armature="0.05"')
    (tmp_path / "arm.xml").write_text(text)
    file = tmp_path / "robot.toml"
    file.write_text(
        'model = "arm.xml"\nkeep_armature = true\n[joints]\n'
        'R1 = { actuator = "mx106_bam_m4" }\nR2 = { actuator = "mx64_bam_m4" }\n'
    )
    given = words(file, runs, "--plan", "test=no", "--output", str(tmp_path / "found"), "--json")
    at = given.index("--actuator")
    given = [*given[:at], *given[at + 2 :]]
    freed = [word for word in given if word != "*.own.*"]
    del freed[freed.index("*.control.*") + 1]  # its --fix
    assert run(freed) == 0
    said = json.loads(capsys.readouterr().out)
    assert not [name for name in said["identified"] if name.endswith("own.armature")]
    written = tmp_path / "found" / "robot.toml"
    assert "keep_armature = true" in written.read_text()
    assert pliant.load_actuator(tmp_path / "found" / "R1.toml").value("own.armature") == 0.05
    assert run(["evaluate", str(written), str(runs), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["mae_mrad"] == pytest.approx(said["mae_mrad"], rel=1e-6)
    assert run([*given, "--fit", "R1.own.armature", "--overwrite"]) == 1
    assert "the model or its recordings give it" in json.loads(capsys.readouterr().out)["error"]


def test_a_fit_at_the_times_found_has_less_of_the_error_of_lost_times(
    arm, servos, tmp_path, capsys
) -> None:
    """Frames at uneven times, stamped by their number: most of what the first fit leaves is their lateness."""
    run_ = record(arm, servos, "fast", seconds=2.0)
    even = np.arange(0.0, 1.9, 1.0 / 30.0)
    uneven = even + np.random.default_rng(1).uniform(0.0, 8e-3, len(even))
    at = np.searchsorted(run_.time, uneven)
    read = np.column_stack([np.interp(uneven, run_.time, line) for line in run_.position.T])
    frames = RobotLog(
        "fast",
        run_.joints,
        even,
        read,
        run_.goal[at],
        np.full_like(read, np.nan),
        np.ones(read.shape, bool),
    )
    write_robot_log(frames, tmp_path / "fast.csv")
    left: list[float] = []
    for more in ((), ("--frame-times",)):
        assert run(words(arm, tmp_path, *more, "--json")) == 0
        ended = capsys.readouterr()
        left.append(json.loads(ended.out)["mae_mrad"])
        assert ("fitting again" if more else "have a jitter of") in ended.err
    assert left[1] < 0.75 * left[0]
