"""An arm that presses on a table: a ball on a lever, whose height above it is written out."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.io.robot_log import RobotLog
from pliant.robots.pressed import Clearance, doubtful_presses, presses

ARM = """<mujoco><worldbody><geom type="plane" size="1 1 .1" pos="0 0 -0.3"/><body><joint name="turn" axis="0 0 1"/>
<geom type="sphere" size="0.05"/><body><joint name="lift" axis="0 1 0" range="-170 170" limited="true"/>
<geom type="sphere" size="0.01" pos="0.6 0 0"/></body></body></worldbody></mujoco>"""
TOUCHES = float(np.arcsin(0.29 / 0.6))
"""[rad] Where the ball, 0.6 m away and 1 cm thick, comes to the table 0.3 m below."""
TIME = np.arange(0.0, 40.0, 0.02)
BOTH = ("turn", "lift")


def recorded(shift: float = 0.0, *, deep: float = 0.1) -> RobotLog:
    """Goals swing to `deep` beyond the table, once in ten seconds; the table holds the arm."""
    goal = TOUCHES - 0.3 + (0.3 + deep) * np.clip(2.0 * np.sin(0.2 * np.pi * TIME), -1.0, 1.0)
    line = np.minimum(goal, TOUCHES)
    columns = [np.column_stack([0.0 * TIME, x + shift]) for x in (line, goal)]
    nothing = np.full_like(columns[0], np.nan)
    return RobotLog("run", BOTH, TIME, *columns, nothing, nothing != 0.0)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def said(model: Path, log: RobotLog, servos: tuple[str, ...] = BOTH) -> list[str]:
    clearance = Clearance(plain_model(model, BOTH), BOTH)
    found = presses(clearance, [log], BOTH, servos)
    return [str(one) for one in doubtful_presses(clearance, found, BOTH)]


def test_four_presses_are_found_at_the_table(model: Path) -> None:
    clearance = Clearance(plain_model(model, BOTH), BOTH)
    found = presses(clearance, [recorded()], BOTH, BOTH)
    assert len(found.gaps) == 4
    assert found.gaps == pytest.approx(np.zeros(4), abs=1e-3)
    assert found.poses[:, 1] == pytest.approx(np.full(4, TOUCHES), abs=0.01)


def test_an_arm_that_follows_its_goals_presses_on_nothing(model: Path) -> None:
    clearance = Clearance(plain_model(model, BOTH), BOTH)
    assert not len(presses(clearance, [recorded(deep=0.0)], BOTH, BOTH).gaps)
    assert not len(presses(clearance, [recorded()], BOTH, ("turn",)).gaps)


def test_presses_at_the_table_are_not_doubted(model: Path) -> None:
    assert said(model, recorded()) == []
    assert said(model, recorded(0.03)) == []


@pytest.mark.parametrize("shift", [-0.2, 0.2])
def test_presses_elsewhere_are_told_with_the_zero_that_mends_them(
    model: Path, shift: float
) -> None:
    (text,) = said(model, recorded(shift))
    height = 1e3 * 0.6 * (np.sin(TOUCHES) - np.sin(TOUCHES + shift))
    assert float(text.split("something ")[1].split(" mm")[0]) == pytest.approx(abs(height), abs=2.0)
    assert ("above" if height > 0.0 else "inside") in text
    assert float(text.split("off (")[1].split(" at lift")[0]) == pytest.approx(-shift, abs=0.021)
    assert "at turn" not in text
    assert said(model, recorded(shift), ("turn",)) == []


def test_a_height_field_tells_no_distance(model: Path) -> None:
    field = '<asset><hfield name="h" nrow="9" ncol="9" size="1 1 .1 .1"/></asset><worldbody><geom type="hfield" hfield="h"/>'
    model.write_text(ARM.replace("<worldbody>", field, 1), encoding="utf-8")
    other = Clearance(plain_model(model, BOTH), BOTH)
    assert len(other.pairs) == len(Clearance(mujoco.MjModel.from_xml_string(ARM), BOTH).pairs) > 0
