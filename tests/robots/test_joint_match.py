"""Joints whose names say nothing are proposed by order and range, or not at all."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import by_order, check_joints, several_arms

ARM = """<mujoco><worldbody>
  <body><joint name="base" axis="0 0 1" range="-115 115"/><geom size=".1"/>
    <body pos="0 0 .2"><joint name="lift" axis="0 1 0" range="-100 100"/><geom size=".1"/>
      <body pos="0 0 .2"><joint name="jaw" axis="0 1 0" range="-10 100"/><geom size=".1"/></body>
    </body>
  </body>
</worldbody></mujoco>"""
TIME = np.linspace(0.0, 1.0, 51)
SWING = np.sin(6.0 * TIME)


def recorded(**lines: np.ndarray) -> RobotLog:
    """A log of joints with these positions."""
    position = np.column_stack(list(lines.values()))
    on = np.ones(position.shape, bool)
    return RobotLog("one", tuple(lines), TIME, position, position, np.nan * position, on)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def told(arm: Path, log: RobotLog) -> str:
    with pytest.raises(PliantError) as caught:
        check_joints(arm, [log], log.joints)
    return str(caught.value)


def test_numbers_count_from_the_base_however_the_columns_stand(arm: Path) -> None:
    log = recorded(m10=0.6 + 0.6 * SWING, m2=SWING, m1=SWING)
    assert "--rename m10=jaw,m2=lift,m1=base" in told(arm, log)


def test_what_names_tell_comes_first(arm: Path) -> None:
    log = recorded(tail=SWING, base=SWING, jaw_joint=0.5 + 0.5 * SWING)
    assert "--rename tail=lift,jaw_joint=jaw" in told(arm, log)


def test_ranges_that_no_order_fits_and_fewer_joints_than_the_model_has_are_not_guessed(
    arm: Path,
) -> None:
    assert "neither names nor order and ranges identify" in told(
        arm, recorded(p=3.0 * SWING, q=SWING)
    )
    assert "neither names nor order and ranges identify" in told(arm, recorded(p=0.5 + 0.5 * SWING))


def test_an_exchange_is_proposed_where_it_is_the_only_one() -> None:
    free = {"a": (-3.0, 3.0), "b": (-2.0, 2.0), "c": (-1.0, 1.0)}
    reach = {"x": 0.9, "y": 2.9, "z": 1.9}
    found = by_order({name: np.array([-r, r]) for name, r in reach.items()}, free)
    ways = [
        way
        for way in permutations(free)
        if all(r <= free[name][1] + 0.3 for r, name in zip(reach.values(), way, strict=True))
    ]
    assert [tuple(found.values())] == ways


def test_known_joints_pass(arm: Path) -> None:
    check_joints(arm, [recorded(base=SWING, jaw=SWING)], ["base", "jaw"])


def test_of_two_arms_one_is_proposed_and_the_other_left_out(arm: Path) -> None:
    lines = {f"{side}_{name}": SWING for side in ("left", "right") for name in ("base", "lift")}
    message = told(arm, recorded(**lines))
    assert "has 2 robots (left_*, right_*)" in message
    assert "--rename 'left_*=*' --reading leave_out='right_*'" in message


def test_names_that_only_begin_alike_are_no_two_arms() -> None:
    assert several_arms(["left_base", "right_lift"], ["base", "lift"]) == []
    assert several_arms(["l_base", "l_lift", "r_base", "tail"], ["base", "lift"]) == []
    assert several_arms(["main_base", "main_lift"], ["base", "lift"]) == []
