"""Numbers of an actuator that its user sets: by name, by symbol, with units; what is refused."""

import math

import pytest

import pliant


def test_a_symbol_that_only_one_parameter_has_names_it():
    plain, mine = pliant.load_actuator("xl330_bam_m6"), pliant.actuator("xl330_bam_m6", kp=800)
    assert mine.value("control.kp") == 800.0
    assert mine.numbers["control.kp"].source == "set by the program"
    others = [name for name in plain.fields if name != "control.kp"]
    assert [mine.value(name) for name in others] == [plain.value(name) for name in others]


def test_full_names_and_symbols_may_be_mixed_and_an_actuator_is_taken_too():
    first = pliant.actuator("xl330_bam_m6", {"own.voltage": 6.0})
    both = pliant.actuator(first, {"control.kp": 200}, R=3.0)
    values = [both.value(name) for name in ("own.voltage", "control.kp", "motor.R")]
    assert values == [6.0, 200.0, 3.0]


@pytest.mark.parametrize(
    ("value", "volts"), [("6 V", 6.0), ("6000 mV", 6.0), ("0.006kV", 6.0), ("6", 6.0), (6, 6.0)]
)
def test_a_value_may_say_its_unit(value, volts):
    found = pliant.actuator("xl330_bam_m6", voltage=value).value("own.voltage")
    assert math.isclose(found, volts, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("xl330_bam_m6", {"volts": 1}, "found 'volts'; did you mean 'voltage'"),
        ("xl330_bam_m6", {"control.kq": 1}, "found 'control.kq'; did you mean 'control.kp'"),
        ("xl330_bam_m6", {"kp": 1, "control.kp": 2}, "control.kp: is given twice"),
        (
            "xl330_bam_m6",
            {"voltage": -1.0},
            "own.voltage: outside the range of its law; found -1.0",
        ),
        ("xl330_bam_m6", {"voltage": "6 A"}, "own.voltage: is in another unit; found 'A'"),
        ("xl330_bam_m6", {"voltage": None}, "own.voltage: not a number; accepted: a number in V"),
        ("xl330_bam_m6", {"voltage": "six"}, 'accepted: a number in V, or "1.5 V"'),
        ("qbmove_maker_pro", {"k": 1}, "several parameters of 'qbmove_maker_pro' have this symbol"),
        ("xl330_bam_m7", {}, "did you mean 'xl330_bam_m6'"),
        ("xl330_bam_m6", [("kp", 1)], 'accepted: parameter to value: {"control.kp": 800}'),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(name, values, said):
    with pytest.raises(pliant.PliantError) as refused:
        pliant.actuator(name, values)
    assert said in str(refused.value)
