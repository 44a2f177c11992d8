"""The report on a robot: every joint in every log, every joint's actuator."""

import dataclasses
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

import pliant
from pliant.cli.outcome import FitOutcome
from pliant.cli.robot_outcome import RobotOutcome
from pliant.engines.mujoco.film import portrait
from pliant.identification.problem.doubt import Doubt
from pliant.identification.search.search import SearchSettings
from pliant.io.output import write_whole
from pliant.io.robot_log import RobotLog
from pliant.report.robot_page import robot_report_text
from pliant.robots.identify import RobotIdentification, identify_robot
from pliant.robots.robot_energies import SHOWN

from .test_report import Tags, body, cells, figures

ROOT = Path(__file__).parents[2]
ARM = ROOT / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
TINY = SearchSettings(starts=1, jacobians=1)


@pytest.fixture(scope="module")
def found() -> RobotIdentification:
    from arm_recordings import record

    servos = {"R1": pliant.load_actuator("mx106_bam_m4"), "R2": pliant.load_actuator("mx64_bam_m4")}
    runs: list[RobotLog] = [record(ARM, servos, name, seconds=0.6) for name in ("fast", "steps")]
    return identify_robot(
        ARM,
        servos,
        runs[:1],
        held_out=runs[1:],
        replace=True,
        fix=["*.friction.*"],
        search_settings=TINY,
        fit={"R1.position_offset": None},
    )


@pytest.fixture(scope="module")
def page(found: RobotIdentification) -> str:
    return robot_report_text(found, ARM, {"R1": Path("arm/R1.toml"), "R2": Path("arm/R2.toml")})


def test_is_well_formed_with_unique_ids_and_needs_nothing_from_outside(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert "src=" not in body(page).replace('src="data:image/png;base64,', "")


def test_draws_every_joint_in_every_log_and_its_friction(page: str) -> None:
    assert len(figures(page)) == 4 + 2
    assert page.count('<span class="tag">held out</span>') == 2 * 2  # table, plot
    for title in ("fast, R1", "fast, R2", "steps, R1", "steps, R2"):
        assert title in page


def test_says_each_error_and_number_and_how_to_run_it(
    page: str, found: RobotIdentification
) -> None:
    for entry in found.fitted.entries:
        assert f"{1e3 * entry.mae:.3g}"[:3] in page
    assert "no motion shows it" in page
    assert "R1.position_offset" in page
    assert "pliant simulate 2r_mx.xml --attach R1=R1.toml,R2=R2.toml" in page
    assert found.actuators["R1"].identification["model_sha256"] in page


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the picture, which a process of its own draws for a second."""
    monkeypatch.setattr("pliant.report.robot_page.portrait", lambda *_: None)


def test_shows_the_robot_where_something_can_draw_it(
    found: RobotIdentification, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    poses = [{}, {"R1": 1.0}]
    drawn = portrait(ARM, poses)
    assert ("data:image/png" in page) == (drawn is not None)
    if drawn is not None:
        image = imread(BytesIO(drawn), format="png")[..., :3]
        one, other = np.split(image, 2, axis=1)
        assert np.abs(one - other).max() > 0.3  # it has moved
        assert (np.ptp(image, axis=2) > 0.3).mean() > 1e-3  # in colour
    monkeypatch.setenv("MUJOCO_GL", "none such")
    monkeypatch.setattr("pliant.engines.mujoco.film.BINDINGS", ())
    assert portrait(ARM, poses) is None
    assert "data:image/png" not in robot_report_text(found, ARM, {})


@pytest.mark.usefixtures("undrawn")
def test_is_written_whole(found: RobotIdentification, tmp_path: Path) -> None:
    write_whole(tmp_path / "arm.html", robot_report_text(found, ARM, {}))
    assert (tmp_path / "arm.html").read_text().endswith("</html>\n")


@pytest.mark.usefixtures("undrawn")
def test_the_energy_of_each_joint_is_a_table_with_the_robots_sum(found) -> None:
    parts = dict.fromkeys(SHOWN, None)
    spent = {"run": {"R1": parts | {"drawn": 1.25}, "R2": parts | {"drawn": 2.5}}}
    text = robot_report_text(found, ARM, {}, energies=spent)
    rows = text[text.index("<h2>Energy</h2>") :].partition("</table>")[0]
    assert re.findall(r">(R1|R2|robot|[\d.]+)</t[dh]>", rows) == [
        *("R1", "1.25", "R2", "2.5", "robot", "3.75")
    ]


@pytest.mark.usefixtures("undrawn")
def test_zeros_of_the_calibrations_and_the_recorders_are_tables(found, page: str) -> None:
    assert "<h2>Zeros of the calibrations</h2>" not in page
    assert "<h2>Recorders</h2>" not in page
    both = {"age": {"day 1": 0.0, "day 2": 0.012}, "supply": {"day 1": 1.05, "day 2": 0.95}}
    zeros = {"R1": {"day 1": 0.001, "day 2": -0.0495}, "R2": {}}
    made = {
        joint: dataclasses.replace(
            actuator,
            identification={
                **actuator.identification,
                "zeros": zeros[joint],
                "recorders": both,
                "recorder_by": "day",
            },
        )
        for joint, actuator in found.actuators.items()
    }
    known = dataclasses.replace(found, rig=found.rig.with_actuators(made))
    text = robot_report_text(known, ARM, {})
    assert cells(text, "Zeros of the calibrations") == [["R1", "1.0", "-49.5"]]
    assert cells(text, "Recorders") == [
        ["day 1", "0.0 ms", "+5.0 %"],
        ["day 2", "12.0 ms", "-5.0 %"],
    ]


def test_pairs_that_can_hardly_be_separated_are_one_warning_in_json_too(found) -> None:
    pairs = [("R1.motor.R", "R1.motor.k_t"), ("R1.motor.k_t", "R1.friction.K_c")]
    doubts = tuple(Doubt("correlated", pair, f"{' and '.join(pair)}: 0.9") for pair in pairs)
    known = dataclasses.replace(found, doubts=doubts)
    said = RobotOutcome(fit=FitOutcome(known), model=ARM, files={}).as_plain()
    (warning,) = said["warnings"]
    assert warning.startswith("3 parameters can hardly be separated")
    assert all(name in warning for name in ("motor.R", "motor.k_t", "friction.K_c"))
