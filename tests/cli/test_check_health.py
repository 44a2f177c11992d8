"""`pliant check … --against`: the health of servos, from recordings of a robot or of one joint."""

from importlib import resources
from pathlib import Path

from pliant.io.robot_log_csv import write_robot_log
from pliant.io.robot_logs import read_robot_logs

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))


def test_months_of_a_robot_are_compared_with_its_device_and_its_first(
    pliant, tmp_path: Path
) -> None:
    """The same real recording twice: nothing has changed."""
    (log, *_) = read_robot_logs([ARM / "motions"])
    for month in ("january", "june"):
        (tmp_path / month).mkdir()
        write_robot_log(log.keep(log.time < 8.0), tmp_path / month / "run.csv")
    page = tmp_path / "health.html"
    robot = ("--robot", ARM / "so101.xml", "--against", "sts3215_so101")
    words = ("check", tmp_path / "january", tmp_path / "june", *robot, "--report", page)
    said = pliant(*words, "--json").json
    assert [(x["recordings"], x["against"]) for x in said["joints"]][:: len(log.joints)] == [
        ("january", "sts3215_so101"),
        ("june", "january"),
    ]
    june = [one for one in said["joints"] if one["recordings"] == "june"]
    assert [one["joint"] for one in june] == list(log.joints)
    assert all(one["told"] == [] for one in june)
    assert "elbow_flex" in page.read_text("utf-8")


def test_one_joint_on_a_bench_has_its_health_too(pliant, logs: list[Path]) -> None:
    said = pliant("check", logs[0], "--against", "xl330_bam_m1").out
    assert "friction" in said and "xl330_bam_m1" in said


def test_wrong_options_are_one_line(pliant, logs: list[Path]) -> None:
    assert "--report: needs --against" in pliant("check", logs[0], "--report", "x.html").err
    two = pliant("check", logs[0], "--against", "a=xl330_bam_m1,b=xl330_bam_m1")
    assert two.code == 1 and "--against: is of a robot" in two.err
    unknown = pliant("check", logs[0], "--against", "xl330_bam_m9").err
    assert "--against: unknown actuator; found 'xl330_bam_m9'; did you mean 'xl330_bam_m" in unknown
    other = pliant("check", logs[0], "--against", "mx106_bam_m4")
    assert other.code == 1
    assert "device: names another device than mx106_bam_m4 is of; found 'xl330'" in other.err
