"""Recordings that a model cannot follow are refused with what would fit."""

import mujoco
import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import check_fits

MODEL = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body>
<joint name="j" limited="true" range="-20 120"/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>""")
TRUE = np.linspace(-0.3, 2.0, 50)


def refusal(line: np.ndarray) -> str:
    nothing = np.full((50, 1), np.nan)
    log = RobotLog("a", ("j",), np.arange(50.0), line[:, None], nothing, nothing, nothing > 0.0)
    with pytest.raises(PliantError) as caught:
        check_fits(MODEL, [log], ["j"])
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (np.degrees(TRUE), "degrees"),
        (-TRUE, "the other sign"),
        (TRUE - np.pi, "a zero that is +180 degrees off"),
    ],
)
def test_the_reading_that_fits_is_proposed(line: np.ndarray, said: str) -> None:
    assert f"they fit as {said}" in refusal(line)


def test_percent_of_the_range_is_proposed_where_degrees_do_not_fit() -> None:
    assert "they fit as percent of the range" in refusal(np.linspace(-90.0, 100.0, 50))


def test_what_fits_is_not_refused() -> None:
    nothing = np.full((50, 1), np.nan)
    log = RobotLog("a", ("j",), np.arange(50.0), TRUE[:, None], nothing, nothing, nothing > 0.0)
    check_fits(MODEL, [log], ["j"])
