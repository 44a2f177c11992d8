"""The box that is searched: scales, bounds, and what may be searched at all."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.assemble import Actuator, with_law
from pliant.errors import PliantError
from pliant.identification.problem.space import Space, search_space
from pliant.identification.problem.starting_actuator import with_something_to_fit
from pliant.io.actuator_file import load_actuator

DEVICE = """
title = "A servo"
device = "servo"
topology = "rigid_servo"
[laws]
timing = "immediate"
sensing = "ideal"
control = "firmware_position"
driver = "ideal_supply"
motor = "dc_voltage"
friction = "m1"
[sources]
s = "chosen in a test"
[parameters.own]
armature = {value = 2e-3, unit = "kg m^2", source = "s", how = "identified", low = 1e-4, high = 0.1}
voltage = {value = 7.4, unit = "V", source = "s", how = "convention"}
[parameters.control]
gain = {value = 0.003, unit = "1/rad", source = "s", how = "firmware", low = 0.001, high = 0.006}
kp = {value = 400, unit = "1", source = "s", how = "convention"}
derivative_gain = {value = 0.0, unit = "s/rad", source = "s", how = "assumed", low = 0, high = 0.1}
dead_band = {value = 0.0, unit = "rad", source = "s", how = "assumed"}
speed_limit = {value = 1e9, unit = "rad/s", source = "s", how = "assumed"}
limit = {value = 1.0, unit = "1", source = "s", how = "firmware"}
[parameters.motor]
k_t = {value = 0.4, unit = "N m/A", source = "s", how = "identified", low = 0.1, high = 1.2}
R = {value = 4.0, unit = "Ohm", source = "s", how = "identified", low = 1.0, high = 12.0}
[parameters.friction]
K_c = {value = 0.01, unit = "N m", source = "s", how = "identified", low = 0.0, high = 0.2}
K_v = {value = 0.01, unit = "N m s/rad", source = "s", how = "measured", low = 0.0, high = 1.0}
[bench]
position_offset = {value = 0.03, unit = "rad", source = "s", how = "identified"}
"""


@pytest.fixture(scope="module")
def servo(tmp_path_factory: pytest.TempPathFactory) -> Actuator:
    path = tmp_path_factory.mktemp("device") / "servo.toml"
    path.write_text(DEVICE)
    return load_actuator(path)


unit = st.floats(0.0, 1.0)
magnitude = st.floats(1e-3, 1e3)


@st.composite
def boxes(draw: st.DrawFn) -> Space:
    """One parameter that begins at zero, one over decades, one over less than one, one signed."""
    high, low, narrow, width = (draw(magnitude) for _ in range(4))
    lows = [0.0, low, narrow, -width]
    highs = [high, low * draw(st.floats(11.0, 1e6)), narrow * draw(st.floats(1.1, 9.9)), width]
    return Space(("root", "log", "even", "signed"), np.array(lows), np.array(highs), np.array(lows))


@given(boxes(), st.lists(unit, min_size=4, max_size=4))
def test_to_the_cube_and_back(space: Space, point: list[float]) -> None:
    cube = np.array(point)
    values = space.from_cube(cube)
    np.testing.assert_allclose(space.to_cube(values), cube, atol=1e-7)
    np.testing.assert_allclose(space.from_cube(space.to_cube(values)), values, 1e-9, 1e-13)


@given(boxes(), st.lists(st.floats(-0.5, 1.5), min_size=4, max_size=4))
def test_no_point_leads_beyond_a_bound(space: Space, point: list[float]) -> None:
    """Not by a rounding error either: exp(log(10)) is more than 10."""
    values = space.from_cube(np.array(point))
    assert (space.low <= values).all()
    assert (values <= space.high).all()


@given(boxes())
def test_the_corners_of_the_cube_are_the_bounds(space: Space) -> None:
    np.testing.assert_allclose(space.from_cube(np.zeros(4)), space.low, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(space.from_cube(np.ones(4)), space.high, rtol=1e-12)


def box(low: float, high: float) -> Space:
    return Space(("motor.R",), np.array([low]), np.array([high]), np.array([low]))


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [
        (0.0, 8.0, 2.361995024844835),
        (0.1, 10.0, 1.0),
        (2.0, 10.0, 6.0),
        (-1.0, 3.0, 1.0),
        (1.0, 10.0, 5.5),
    ],
)
def test_the_middle_of_the_cube(low: float, high: float, middle: float) -> None:
    """The square root from zero, begun a hundredth before; the logarithm over more than a decade; or neither.

    ((√8.08 + √0.08) / 2)² - 0.08 is 2.362.
    """
    assert box(low, high).from_cube(np.array([0.5]))[0] == pytest.approx(middle, rel=1e-12)


def test_what_begins_at_zero_has_a_slope_there() -> None:
    """A descent that begins at zero would otherwise see nothing of the number."""
    moved = box(0.0, 8.0).from_cube(np.array([[0.0], [1e-3]]))
    assert moved[0, 0] == 0.0
    assert moved[1, 0] > 1e-4 * 8.0


def test_many_points_at_once_are_the_same_as_each(servo: Actuator) -> None:
    space = search_space(servo)
    points = np.random.default_rng(2).uniform(size=(5, 3, len(space.names)))
    whole = space.from_cube(points)
    np.testing.assert_array_equal(whole[4, 1], space.from_cube(points[4, 1]))
    np.testing.assert_allclose(space.to_cube(whole), points, atol=1e-12)


def test_a_value_beyond_a_bound_is_at_it() -> None:
    assert box(0.1, 10.0).to_cube(np.array([50.0])) == 1.0


def test_parameters_at_their_bounds_are_named() -> None:
    """Within 1 % on the scale of the search: near zero that is 2e-3 of a square-rooted range."""
    space = Space(
        ("a", "b", "c", "d", "e"),
        np.array([0.0, 0.0, 1.0, 1.0, -1.0]),
        np.array([1.0, 1.0, 1e4, 2.0, 1.0]),
        np.zeros(5),
    )
    assert [str(one) for one in space.at_bounds(np.array([1e-3, 3e-3, 9500.0, 1.5, -1.0]))] == [
        "a at its lower bound",
        "c at its upper bound",
        "e at its lower bound",
    ]


SEARCHED = [
    "own.armature",
    "control.derivative_gain",
    "motor.k_t",
    "motor.R",
    "friction.K_c",
    "plant.position_offset",
    "plant.arm_mass",
]


def test_what_is_identified_or_assumed_within_bounds_is_searched_and_the_bench(
    servo: Actuator,
) -> None:
    """Not what is a fact of the firmware or measured, nor what has no bounds."""
    space = search_space(servo)
    assert list(space.names) == SEARCHED
    np.testing.assert_array_equal(space.low, [1e-4, 0.0, 0.1, 1.0, 0.0, -0.2, 0.0])
    np.testing.assert_array_equal(space.high, [0.1, 0.1, 1.2, 12.0, 0.2, 0.2, 0.1])
    np.testing.assert_array_equal(space.start, [0.002, 0.0, 0.4, 4.0, 0.01, 0.03, 0.0])


def test_fit_adds_and_changes_and_fix_takes_out(servo: Actuator) -> None:
    """Without bounds in `fit`: those of the file, of the law, or of the bench."""
    space = search_space(
        servo,
        fit={
            "control.gain": None,
            "motor.R": (3.0, 3.5),
            "control.limit": None,
            "plant.position_offset": None,
        },
        fix=["plant.arm_mass", "friction.K_c", "control.kp"],
    )
    box = dict(zip(space.names, zip(space.low, space.high, strict=True), strict=True))
    assert set(box) == {*SEARCHED, "control.gain", "control.limit"} - {
        "plant.arm_mass",
        "friction.K_c",
    }
    assert box["control.gain"] == (0.001, 0.006)
    assert box["control.limit"] == (1e-3, 1.0)
    assert box["motor.R"] == (3.0, 3.5)
    assert box["plant.position_offset"] == (-0.2, 0.2)
    assert space.start[space.names.index("motor.R")] == 3.5


def refusal(servo: Actuator, **choice: object) -> str:
    with pytest.raises(PliantError) as caught:
        search_space(servo, **choice)
    return str(caught.value)


@pytest.mark.parametrize("choice", [{"fit": {"motor.k_T": None}}, {"fix": ["motor.k_T"]}])
def test_an_unknown_name_is_refused_with_the_nearest(
    servo: Actuator, choice: dict[str, object]
) -> None:
    assert refusal(servo, **choice).startswith(
        "fit or fix: no such parameter; found 'motor.k_T'; did you mean 'motor.k_t'"
    )


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ((1.0, 0.1), "bounds out of order; found (1.0, 0.1); accepted: finite low < high"),
        ((1.0, 1.0), "bounds out of order; found (1.0, 1.0); accepted: finite low < high"),
        ((0.1, float("nan")), "bounds out of order; found (0.1, nan); accepted: finite low < high"),
        (
            (-1.0, 1.0),
            "bounds beyond the range of its law; found (-1.0, 1.0); accepted: 0.001 to 100.0 N m/A",
        ),
    ],
)
def test_bounds_that_cannot_be_searched_are_refused_before_the_search(
    servo: Actuator, bounds: tuple[float, float], text: str
) -> None:
    assert refusal(servo, fit={"motor.k_t": bounds}) == f"motor.k_t: {text}"


def test_nothing_left_to_search_is_said(servo: Actuator) -> None:
    assert refusal(servo, fix=SEARCHED) == (
        "nothing to identify; accepted: at least one parameter with bounds"
    )


def test_a_parameter_without_a_range_needs_bounds(servo: Actuator, tmp_path: Path) -> None:
    law = servo.laws["motor"].path.read_text().replace(", (1e-3, 1000.0)]", "]")
    (tmp_path / "own_motor.py").write_text(law)
    text = DEVICE.replace('"dc_voltage"', '"own_motor.py"').replace(", low = 1.0, high = 12.0", "")
    (tmp_path / "own.toml").write_text(text)
    own = load_actuator(tmp_path / "own.toml")
    assert "motor.R" not in search_space(own).names
    assert refusal(own, fit={"motor.R": None}) == (
        "motor.R: has no finite bounds; accepted: low and high in the file"
    )
    assert "motor.R" in search_space(own, fit={"motor.R": (1.0, 5.0)}).names


def test_to_fit_and_to_fix_the_same_is_refused(servo: Actuator) -> None:
    said = refusal(servo, fit={"motor.R": None}, fix=["motor.k_t", "motor.R"])
    assert said == "fit and fix: is in both fit and fix; found 'motor.R'"


def test_an_actuator_of_which_nothing_is_open_is_refused_not_fitted_by_its_bench() -> None:
    """Every number of it is from a datasheet: only the bench would move."""
    sea = load_actuator("sea_centauro_100")
    said = refusal(sea).partition("sea_centauro_100.toml: ")[2]
    assert said.startswith(
        "fit: no parameter of the actuator to identify: none is 'identified' or 'assumed' and has "
        "low and high (springs and motor friction of a compliant joint: pliant characterise --actuator); accepted: control.k_d, "
    )
    named = search_space(sea, fit={"spring.k": (50.0, 200.0)})
    assert set(named.names) == {"spring.k", "plant.position_offset", "plant.arm_mass"}


@pytest.mark.parametrize("name", ["go1_hip", "go1_knee", "4010", "5020", "7520_14", "7520_22"])
def test_an_actuator_without_friction_and_bounds_begins_with_dry_and_viscous_friction(
    name: str,
) -> None:
    found, said = with_something_to_fit(load_actuator(f"unitree_{name}_mjlab"))
    assert search_space(found, bench={}).names == ("friction.K_c", "friction.K_v")
    assert "starts with friction=m1" in said


@pytest.mark.parametrize("name", ["xl330_bam_m6", "robstride_00_ksim", "sea_centauro_100"])
def test_an_actuator_with_friction_or_bounds_begins_as_it_is(name: str) -> None:
    other = load_actuator(name)
    assert with_something_to_fit(other) == (other, "")


def test_timing_and_supply_come_first(servo: Actuator) -> None:
    late = with_law(with_law(servo, "timing", "command_delay"), "driver", "supply_resistance")
    names = search_space(late, fit={"motor.R": None}).names
    assert names[:2] == ("timing.delay", "driver.R_s")
    assert list(names[2:]) == SEARCHED
