"""`pliant stiffness` and `pliant characterise`, from files to tables, reports and refusals."""

import csv
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import truth

from .conftest import Pliant


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, np.ndarray]]:
    """A folder with robot and log, and the columns with the truth."""
    folder = tmp_path_factory.mktemp("run")
    columns = truth.simulated(20.0, quantum=2e-4)
    (folder / "arm.xml").write_text(truth.ARM)
    (folder / "run.csv").write_text(truth.as_csv(columns))
    return folder, columns


def read(path: Path, column: str) -> np.ndarray:
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    return np.array([float(row[column] or "nan") for row in rows])


def test_stiffness_finds_both_joints(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, columns = run
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    found = pliant(
        "stiffness",
        folder / "run.csv",
        "--robot",
        folder / "arm.xml",
        "--output",
        out,
        "--report",
        page,
        "--json",
    ).json
    assert {name: one["kind"] for name, one in found["joints"].items()} == {
        "shoulder": "avsa",
        "elbow": "sea",
    }
    assert found["joints"]["elbow"]["stiffness"]["last"] == pytest.approx(truth.K, rel=0.01)
    learned = found["joints"]["elbow"]["learned"]
    assert learned["phi^1"] == {"value": pytest.approx(truth.K, rel=0.01), "unit": "N m/rad"}
    assert learned["viscous friction"]["value"] == pytest.approx(truth.D, rel=0.05)
    late = columns["time"] > 10.0
    error = read(out, "sigma_shoulder")[late] / columns["sigma_shoulder"][late] - 1.0
    assert np.nanmedian(np.abs(error)) < 0.01
    assert "not the mass" in found["std_covers"]
    assert found["files"] == {"estimates": str(out), "report": str(page)}


def test_its_report_is_one_file_that_names_what_it_shows(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, _ = run
    page = tmp_path / "page.html"
    ended = pliant("stiffness", folder / "run.csv", "--robot", folder / "arm.xml", "--report", page)
    assert ended.code == 0
    assert "shoulder" in ended.out and "viscous friction" in ended.out
    text = page.read_text()
    assert re.search(r"(2\d|20) % off if (mass|centre of mass) is 20 % wrong", text)
    assert "centre of mass -20 %" in text
    for part in ("shoulder", "elbow", "leverage", "stiffness [N m/rad]", "not the mass", "phi_a^7"):
        assert part in text
    assert "://" not in text and "src=" not in text


def test_one_joint_of_a_robot_can_be_asked_for(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, columns = run
    log = tmp_path / "more.csv"
    log.write_text(truth.as_csv({**columns, "q_grip": columns["q_elbow"]}))
    ended = pliant("stiffness", log, "--robot", folder / "arm.xml", "--joint", "elbow", "--json")
    assert list(ended.json["joints"]) == ["elbow"]


def test_swapped_link_and_motor_are_said(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, columns = run
    log = tmp_path / "swapped.csv"
    swapped = {**columns, "q_elbow": columns["theta_elbow"], "theta_elbow": columns["q_elbow"]}
    log.write_text(truth.as_csv(swapped))
    ended = pliant("stiffness", log, "--robot", folder / "arm.xml")
    assert "warning: elbow: the stiffness estimate is -" in ended.err
    assert "swapped" in ended.err


def test_errors_of_the_model_are_tried(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]]
) -> None:
    folder, _ = run
    words = ("stiffness", folder / "run.csv", "--robot", folder / "arm.xml")
    ended = pliant(*words)
    assert "The stiffness is as wrong as the model" in ended.out and ended.err == ""
    assert "model 20 % off" in ended.out and "centre of mass -20 %" in ended.out
    for name in ("shoulder", "elbow"):  # an error of all masses passes straight through
        row = next(line for line in ended.out.splitlines() if line.startswith(name))
        assert re.search(r" ±(2\d|20) % ", row)
    tried = pliant(*words, "--model-error", 10, "--json").json["model_errors"]
    mass = next(one for one in tried if (one["kind"], one["part"]) == ("mass", 0.1))
    assert mass["change"] == {name: pytest.approx(0.1, abs=2e-3) for name in ("shoulder", "elbow")}
    refused = pliant(*words, "--model-error", 100)
    assert (refused.code, "model error: not a part" in refused.err) == (1, True)


def changed(columns: dict[str, np.ndarray], drop: str = "", **more: np.ndarray) -> str:
    return truth.as_csv({name: v for name, v in {**columns, **more}.items() if name != drop})


def test_logs_that_cannot_be_used_are_refused_by_name(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, columns = run
    short = {name: values[:400] for name, values in columns.items()}
    time = short["time"].copy()
    time[100:] += 0.01
    cases = {
        changed(short, drop="theta_elbow"): "joint elbow: motor channels missing, or too many",
        changed(short, drop="q_elbow"): "q_elbow: the log lacks a joint of the robot",
        changed(short, time=time): "time[100]: time is not uniform",
        changed(short) + "nan,0,0,0,0,0": "line 402, time: is not a number",
    }
    for text, wording in cases.items():
        log = tmp_path / "bad.csv"
        log.write_text(text)
        ended = pliant("stiffness", log, "--robot", folder / "arm.xml")
        assert ended.code == 1
        assert wording in ended.err


def test_a_robot_that_is_none_is_refused(
    pliant: Pliant, run: tuple[Path, dict[str, np.ndarray]]
) -> None:
    folder, _ = run
    ended = pliant("stiffness", folder / "run.csv", "--robot", folder / "none.urdf")
    assert (ended.code, "no such model file" in ended.err) == (1, True)


@pytest.fixture
def torque(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    q = 0.4 * np.sin(np.linspace(0.0, 4.0 * np.pi, 400))
    tau = 0.022 * np.sinh(6.85 * (q - 0.3)) + 0.025 * np.sinh(6.5 * (q + 0.3))
    tau += 0.003 * rng.normal(size=len(q))
    path = tmp_path / "torque.csv"
    path.write_text("q,tau\n" + "\n".join(f"{a},{b}" for a, b in zip(q, tau, strict=True)))
    return path


def test_characterise_finds_two_springs(pliant: Pliant, torque: Path, tmp_path: Path) -> None:
    output, page = tmp_path / "found.toml", tmp_path / "page.html"
    found = pliant(
        "characterise",
        torque,
        "--theta",
        "0.3,-0.3",
        "--refits",
        20,
        "--output",
        output,
        "--report",
        page,
        "--json",
    ).json
    assert found["parameters"]["a_a"]["value"] == pytest.approx(6.85, rel=0.02)
    assert found["parameters"]["k_b"]["value"] == pytest.approx(0.025, rel=0.05)
    assert len(found["stiffness"]["q"]) == len(found["stiffness"]["high"])
    assert "not an interval" in found["torque_error"]["is"]
    written = tomllib.loads(output.read_text())
    assert written["law"] == "sinh_spring"
    entry = written["parameters"]["k_a"]
    assert (entry["unit"], entry["how"]) == ("N m", "identified")
    assert entry["value"] == found["parameters"]["k_a"]["value"]
    assert "95 % of refits" in page.read_text()


def test_characterise_says_what_its_errors_are_worth(pliant: Pliant, torque: Path) -> None:
    ended = pliant("characterise", torque, "--theta", 0.3, "--theta", -0.3, "--refits", 20)
    assert ended.code == 0
    assert "not an interval for the stiffness" in ended.out
    assert "This covers noise, not an error of the law" in ended.out
    assert "fitted to rising, tested on falling" in ended.out


@pytest.mark.parametrize(
    ("words", "wording"),
    [
        ((), "motor channel missing; found 'none'; accepted: theta, or theta_a and theta_b"),
        (("--theta", 0.3, "--law", "sinh"), "unknown compliance law; found 'sinh'"),
        (("--theta", 0.3, "--refits", 5), "refits: too few for a band; found 5"),
        (("--theta", 0.3, "--offset", "zero"), "--offset: no such offset; found 'zero'"),
    ],
)
def test_characterise_refuses_by_name(
    pliant: Pliant, torque: Path, words: tuple[object, ...], wording: str
) -> None:
    ended = pliant("characterise", torque, *words)
    assert ended.code == 1
    assert wording in ended.err


def test_a_file_that_exists_is_kept(pliant: Pliant, torque: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken.html"
    taken.write_text("mine")
    ended = pliant("characterise", torque, "--theta", 0.3, "--theta", -0.3, "--report", taken)
    assert (ended.code, taken.read_text()) == (1, "mine")
    assert "exists already" in ended.err


def test_friction_at_rest_is_fitted_and_written(tmp_path: Path, pliant: Pliant):
    """10 % of the load and 0.1 N m: at 2 N m the motor drives 1.9 / 1.1 and yields to 2.1 / 0.9."""
    lines = ["tau_m [N m],theta_low [deg],theta_high [deg],mass,length"]
    for tau in (1.0, 2.0, 3.0):
        low, high = (0.9 * tau - 0.1) / 1.1, (1.1 * tau + 0.1) / 0.9
        angles = np.rad2deg(np.arcsin(np.array([low, high]) / (9.81 * 2.0 * 0.2)))
        lines.append(",".join(map(str, (tau, *angles, 2.0, 0.2))))
    (tmp_path / "points.csv").write_text("\n".join(lines))
    out = tmp_path / "mine.toml"
    file = str(tmp_path / "points.csv")
    result = pliant("characterise", file, "--actuator", "mx106_bam_m3", "--output", str(out))
    assert result.code == 0, result.err
    friction = tomllib.loads(out.read_text())["parameters"]["friction"]
    assert friction["K_l"]["value"] == pytest.approx(0.1, rel=1e-4)
    assert friction["K_c"]["value"] == pytest.approx(0.1, rel=1e-3)
    assert friction["K_c"]["how"] == "identified"
