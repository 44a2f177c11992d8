"""An armature is searched as far as gear and motor of its data sheet allow."""

from dataclasses import replace

import pytest

from pliant.assemble import AT_JOINT, Actuator, Fact, armature_bounds, bounded_by_gear
from pliant.catalogue import actuator_files
from pliant.identification.problem.space import search_space
from pliant.identification.problem.starting_actuator import starting_actuator
from pliant.identification.result.record import FitRecord
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs, read_logs

G_CM2 = 1e-7
"""[kg m^2]"""


def armature(actuator: Actuator) -> tuple[float | None, float | None]:
    number = actuator.numbers["own.armature"]
    return number.low, number.high


def test_a_gear_alone_bounds_by_the_rotors_of_small_motors() -> None:
    """An HLS3606, gear 205 within 1 %: a third of an 8 mm motor's rotor, behind it. Its file had 1e-5."""
    begun, said = starting_actuator(read_logs(example_logs()[:1]), "HLS3606")
    low, high = armature(begun)
    assert low == pytest.approx(205.0**2 * 0.049 * G_CM2 / 3.0 / 1.01**2, rel=1e-9)
    assert high == 0.01  # the file's own
    assert said.endswith(
        "; own.armature 6.73e-05 to 0.01 kg m^2, by gear and motor of its data sheet"
    )
    assert "own.armature" in search_space(begun).bounds()


def test_a_rotor_that_the_sheet_states_bounds_about_it() -> None:
    """An eRob80, gear 50 within 1 %, 674.1 g cm^2 within 15 %: five times that, and the tolerances."""
    begun, said = bounded_by_gear(load_actuator("erob80_50_bam_m1"))
    middle, tolerance = 50.0**2 * 674.1 * G_CM2, 1.15 * 1.01 * 1.01
    assert armature(begun) == (0.0337, pytest.approx(middle * 5.0 * tolerance))
    assert said.startswith("own.armature 0.0337 to 0.988 kg m^2")
    with_100, _ = bounded_by_gear(load_actuator("erob80_100_bam_m1"))
    middle = 100.0**2 * 674.1 * G_CM2
    assert armature(with_100) == (
        pytest.approx(middle / 5.0 / tolerance),
        pytest.approx(middle * 5.0 * tolerance),
    )


def test_narrower_bounds_of_a_file_stay_and_nothing_is_said() -> None:
    servo = load_actuator("xl330_bam_m4")
    assert bounded_by_gear(servo) == (servo, "")


def test_the_gear_of_a_drive_or_of_an_unknown_motor_bounds_nothing() -> None:
    """Before its gear of 9 a RobStride 03 has 6.7 N m: no small motor, and its sheet states no rotor."""
    assert armature_bounds(load_actuator("robstride_03_ksim")) is None
    assert armature_bounds(load_actuator("waveshare_st3025_bam_m1")) is None  # without a ratio
    hls = load_actuator("hls3606_m3")
    gear = tuple(fact for fact in hls.datasheet if fact.fact == "gear_ratio")
    assert armature_bounds(replace(hls, datasheet=gear)) is None  # no torque, so any motor


def test_an_armature_that_its_sheet_does_not_allow_keeps_its_bounds_and_is_told() -> None:
    servo = load_actuator("erob80_50_bam_m1")
    other = (Fact("gear_ratio", 5.0, "1", "datasheet"), *servo.datasheet[:1])
    wrong = replace(servo, datasheet=other)
    kept, said = bounded_by_gear(wrong)
    assert kept == wrong
    assert said.startswith(
        "own.armature 0.337 keeps its file's bounds: by gear and motor of its data sheet"
    )
    bare = replace(wrong.numbers["own.armature"], low=None, high=None)
    open_ = replace(wrong, numbers={**wrong.numbers, "own.armature": bare})
    assert search_space(open_, fit={"own.armature": None}).bounds()["own.armature"] == (0.0, 1000.0)


def test_a_fit_of_an_armature_without_bounds_takes_those_of_the_sheet() -> None:
    """The law's own range goes to 1000 kg m^2."""
    servo = load_actuator("xl330_bam_m4")
    bare = replace(servo.numbers["own.armature"], low=None, high=None, how="datasheet")
    open_ = replace(servo, numbers={**servo.numbers, "own.armature": bare})
    low, high = search_space(open_, fit={"own.armature": None}).bounds()["own.armature"]
    assert low == pytest.approx(288.4**2 * 0.049 * G_CM2 / 3.0 / 1.01**2)
    assert high == pytest.approx(288.4**2 * 9.4 * G_CM2 * 3.0 * 1.01**2)


def test_every_armature_identified_is_within_what_its_sheet_allows() -> None:
    seen = 0
    for actuator in map(load_actuator, actuator_files()):
        bounds = armature_bounds(actuator)
        for name in AT_JOINT:
            if bounds is not None and name in actuator.numbers:
                assert bounds[0] < actuator.value(name) < bounds[1], actuator.name
                ends = (FitRecord.of(actuator).intervals_90 or {}).get(name, bounds)
                assert bounds[0] <= ends[0] < ends[1] <= bounds[1], actuator.name
                seen += 1
    assert seen > 45
