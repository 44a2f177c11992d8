"""An actuator as a choice: other laws, other numbers, and where each comes from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pliant.assemble import Actuator, Number, assemble, with_law, with_laws
from pliant.assemble.servo_range import winding_bounds
from pliant.catalogue import actuator_files, law_files, load_law
from pliant.errors import PliantError
from pliant.identification.problem.space import search_space
from pliant.io.actuator_file import load_actuator


@pytest.fixture(scope="module")
def servo() -> Actuator:
    return load_actuator("xl330_bam_m4")


def test_parameters_are_flat_topology_first_then_port_by_port(servo: Actuator) -> None:
    assert list(servo.fields) == [
        "own.armature",
        "own.voltage",
        "control.gain",
        "control.kp",
        "control.derivative_gain",
        "control.dead_band",
        "control.speed_limit",
        "control.limit",
        "motor.k_t",
        "motor.R",
        "friction.K_c",
        "friction.K_v",
        "friction.K_l",
        "friction.K_cs",
        "friction.K_ls",
        "friction.v_s",
        "friction.alpha",
    ]
    assert servo.state == ["control.reference", "control.speed"]
    assert [servo.value(name) for name in servo.fields] == servo.values.tolist()


def test_another_law_keeps_the_numbers_that_both_name_and_assumes_the_others(
    servo: Actuator,
) -> None:
    made = with_law(servo, "friction", "m2")
    assert made.laws["friction"].name == "m2"
    assert {name: n for name, n in made.numbers.items() if name in servo.numbers} == {
        name: servo.numbers[name] for name in made.fields
    }
    back = with_law(made, "friction", "m4")
    for name in ("K_l", "K_ls"):
        assert back.numbers[f"friction.{name}"] == Number(0.0, "1", "law m4", "assumed", 0.0, 2.0)
    assert back.numbers["friction.v_s"] == servo.numbers["friction.v_s"]
    assert back.sources["law m4"] == (
        "range of the law m4, limited to what the servo can have; not identified"
    )
    assert not [n for n in made.numbers if n.startswith("friction.K_l")]


def test_another_law_changes_nothing_but_its_port(servo: Actuator) -> None:
    made = with_law(servo, "timing", "command_delay")
    assert made.name == "xl330_bam_m4_command_delay"
    assert made.numbers["timing.delay"].value == 0.0
    assert {n: x for n, x in made.numbers.items() if n in servo.numbers} == servo.numbers
    assert {p: law for p, law in made.laws.items() if p != "timing"} == {
        p: law for p, law in servo.laws.items() if p != "timing"
    }
    assert made.bench == servo.bench
    assert servo.laws["timing"].name == "immediate"


def test_the_law_that_is_there_already_changes_nothing(servo: Actuator) -> None:
    assert with_law(servo, "friction", "m4") is servo


def test_a_new_number_that_may_not_be_zero_begins_in_the_middle_of_its_decades(
    servo: Actuator,
) -> None:
    made = with_law(with_law(servo, "friction", "m1"), "friction", "m2")
    assert made.value("friction.v_s") == pytest.approx(np.sqrt(1e-3 * 10.0))
    assert made.value("friction.K_cs") == 0.0


def own_law(folder: Path, fields: str) -> str:
    """A friction law of one's own with these parameters."""
    path = folder / "own.py"
    path.write_text(
        '"""Own friction."""\n\nfrom typing import Annotated, NamedTuple\n\n\n'
        f"class P(NamedTuple):\n    {fields}\n\n\n"
        "def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:\n    return 0.1\n"
    )
    return str(path)


@pytest.mark.parametrize(
    ("given", "value", "low", "high"),
    [
        ("", 0.0, None, None),
        (", (2.0, 8.0)", 4.0, 2.0, 8.0),
        (", (-8.0, -2.0)", -4.0, -8.0, -2.0),
        (", (-1.0, 3.0)", 0.0, -1.0, 3.0),
        (", (2.0, 1e999)", 2.0, 2.0, None),
        (", (-1e999, -2.0)", -2.0, None, -2.0),
    ],
)
def test_where_a_new_number_begins(
    servo: Actuator, tmp_path: Path, given: str, value: float, low: float, high: float
) -> None:
    made = with_law(servo, "friction", own_law(tmp_path, f'a: Annotated[float, "1"{given}]'))
    assert made.numbers["friction.a"] == Number(value, "1", "law own", "assumed", low, high)
    assert made.name == "xl330_bam_m4_own"


@pytest.mark.parametrize(
    ("plain", "law", "protected"),
    [
        ("xl330_bam_m6", "dynamixel_shutdown", "xl330_m6_shutdown"),
        ("sts3032_6V_bam_m1", "feetech_overload", "sts3032_6V_m1_protected"),
    ],
)
def test_a_protection_begins_with_the_registers_of_the_factory(
    plain: str, law: str, protected: str
) -> None:
    """As the file of the same servo has them, and not searched: at 0 it would be off at once."""
    made, known = with_law(load_actuator(plain), "protection", law), load_actuator(protected)
    names = [name for name in known.fields if name.startswith("protection.")]
    assert len(names) == 5
    assert {n: made.value(n) for n in names} == {n: known.value(n) for n in names}
    searched = set(search_space(made, fit={"motor.R": None}).names)
    assert searched & {*names} <= {"protection.Overload_Torque"}  # the duty of a model is in doubt


def test_a_number_of_the_same_name_in_another_unit_does_not_stay(
    servo: Actuator, tmp_path: Path
) -> None:
    law = own_law(tmp_path, 'K_c: Annotated[float, "N m/rad", (0.0, 5.0)]')
    made = with_law(servo, "friction", law)
    assert made.numbers["friction.K_c"] == Number(0.0, "N m/rad", "law own", "assumed", 0.0, 5.0)


def test_a_port_that_is_not_there_is_refused_with_the_nearest(servo: Actuator) -> None:
    with pytest.raises(PliantError) as caught:
        with_law(servo, "frictoin", "m1")
    assert str(caught.value) == (
        "law: topology rigid_servo has no such port; found 'frictoin'; did you mean 'friction'?; "
        "accepted: control, driver, friction, gear_load, motor, protection, reversal, sensing, thermal, timing, unpowered"
    )


def test_a_law_that_is_not_there_is_refused_with_the_nearest(servo: Actuator) -> None:
    with pytest.raises(PliantError) as caught:
        with_law(servo, "timing", "comand_delay")
    assert str(caught.value) == (
        "unknown timing law; found 'comand_delay'; did you mean 'command_delay'?; accepted: "
        + ", ".join(sorted(law_files("timing")))
    )


def test_a_law_that_speaks_of_another_command_is_refused(servo: Actuator) -> None:
    with pytest.raises(PliantError) as caught:
        with_law(servo, "control", "current_pd")
    assert "laws: laws disagree about the command's unit; found " in str(caught.value)


def test_other_values_have_another_source_and_no_deviation(servo: Actuator) -> None:
    measured = {**servo.numbers, "motor.R": replace(servo.numbers["motor.R"], std=0.1)}
    made = replace(servo, numbers=measured).with_values({"motor.R": 3.5}, "multimeter", "measured")
    found = made.numbers["motor.R"]
    assert (found.value, found.source, found.how, found.std) == (
        3.5,
        "multimeter",
        "measured",
        None,
    )
    assert (found.low, found.high) == (servo.numbers["motor.R"].low, servo.numbers["motor.R"].high)
    assert made.sources == {**servo.sources, "multimeter": "multimeter"}
    assert {n: x for n, x in made.numbers.items() if n != "motor.R"} == {
        n: x for n, x in servo.numbers.items() if n != "motor.R"
    }
    assert servo.value("motor.R") != 3.5


def test_a_source_that_is_known_keeps_its_text(servo: Actuator) -> None:
    made = servo.with_values({"motor.R": 3.5}, "published", "identified")
    assert made.sources == servo.sources


def test_values_of_an_unknown_parameter_are_refused_with_the_nearest(servo: Actuator) -> None:
    text = "actuator 'xl330_bam_m4' has no such parameter; found 'motor.r'; did you mean 'motor.R'"
    with pytest.raises(PliantError) as caught:
        servo.with_values({"motor.r": 3.0}, "test", "assumed")
    assert str(caught.value).startswith(text)
    with pytest.raises(PliantError) as caught:
        servo.value("motor.r")
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("value", [0.0, -1.0, 1e6, float("nan"), float("inf")])
def test_values_outside_the_range_of_their_law_are_refused(servo: Actuator, value: float) -> None:
    with pytest.raises(PliantError) as caught:
        servo.with_values({"motor.R": value}, "test", "assumed")
    assert str(caught.value) == (
        f"motor.R: outside the range of its law; found {value!r}; accepted: 0.001 to 1000.0 Ohm"
    )


def test_an_infinite_value_is_refused_where_the_law_gives_no_range(
    servo: Actuator, tmp_path: Path
) -> None:
    made = with_law(servo, "friction", own_law(tmp_path, 'a: Annotated[float, "1"]'))
    with pytest.raises(PliantError):
        made.with_values({"friction.a": float("inf")}, "test", "assumed")


def test_a_choice_that_is_made_by_hand_is_checked_like_a_file(servo: Actuator) -> None:
    lacking = {n: x for n, x in servo.numbers.items() if n != "motor.k_t"}
    with pytest.raises(PliantError) as caught:
        assemble(replace(servo, numbers=lacking, path=None))
    assert str(caught.value) == (
        "parameters.motor.k_t: parameter is missing; "
        'accepted: { value = ..., unit = "N m/A", source = ..., how = ... }'
    )
    with pytest.raises(PliantError) as caught:
        assemble(replace(servo, laws={**servo.laws, "motor": load_law("motor", "dc_current")}))
    assert "laws disagree about the command's unit" in str(caught.value)


def test_bounds_of_a_law_swapped_in_come_from_the_servo() -> None:
    """An STS3032 stalls at 0.7 N m: the law's 100 N m of dry friction are not searched."""
    servo = load_actuator("sts3032_6V_bam_m1")
    stall = 0.493361113420458 / 4.091639039952612 * 6.0 * 0.97
    rich = with_law(servo, "friction", "m6")
    assert rich.numbers["friction.K_cs"].high == pytest.approx(0.2 * stall)
    assert rich.numbers["friction.K_mq"].high == 2.0 < 1.5 / stall, "the law's own"
    assert rich.numbers["friction.v_s"].high == 10.0
    assert rich.numbers["friction.K_c"].high == servo.numbers["friction.K_c"].high == 0.2
    bare = with_law(load_actuator("ak80_6_dfki_m1"), "friction", "m2")
    assert bare.numbers["friction.K_cs"].high == pytest.approx(0.2 * 18.0)
    late = with_law(servo, "timing", "command_delay")
    assert late.numbers["timing.delay"].high == 0.1, "no servo tells how late its bus is"


def test_a_winding_that_was_not_known_is_bounded_by_the_data_sheet() -> None:
    """An STS3215 of 12 V, known by torques alone; what was identified of one of 7.4 V lies within."""
    known = load_actuator("feetech_sts3215_7_4V_bam_m1")
    laws = {"control": "firmware_position", "motor": "dc_voltage"}
    found = with_laws(load_actuator("sts3215_menagerie"), laws)
    torque, speed, current, volts = 2.94, np.pi / 3.0 / 0.222, 2.7, 12.0
    k_t, resistance = found.numbers["motor.k_t"], found.numbers["motor.R"]
    assert k_t.value == pytest.approx(volts / speed, rel=1e-3)
    assert resistance.value == pytest.approx(volts / speed * volts / torque, rel=1e-3)
    for one in (k_t, resistance):
        assert one.low is not None and one.high is not None and one.high < 40.0 * one.low
    assert k_t.low is not None and k_t.high is not None
    assert k_t.low < known.value("motor.k_t") < k_t.high
    known_by = tuple(f for f in found.datasheet if f.fact != "no_load_speed")
    slow = with_laws(replace(load_actuator("sts3215_menagerie"), datasheet=known_by), laws)
    assert slow.value("motor.k_t") == pytest.approx(torque / current)
    assert slow.value("motor.R") == pytest.approx(volts / current)
    bare = with_laws(replace(load_actuator("sts3215_menagerie"), datasheet=()), laws)
    assert (bare.numbers["motor.R"].low, bare.numbers["motor.R"].high) == (1e-3, 1000.0)
    torques = with_law(load_actuator("ak80_6_dfki_m1"), "motor", "scaled_torque")
    assert torques.value("motor.k_t") == 1.0  # of torques, not of a winding


def test_every_winding_identified_is_within_what_its_data_sheet_allows() -> None:
    seen = 0
    for actuator in map(load_actuator, actuator_files()):
        for name in ("motor.k_t", "motor.R"):
            if actuator.laws.get("motor") is None or name not in actuator.numbers:
                continue
            bounds = winding_bounds(actuator.fields[name], actuator.datasheet)
            if bounds is not None and actuator.laws["motor"].name == "dc_voltage":
                assert bounds[0] < actuator.value(name) < bounds[1], actuator.name
                seen += 1
    assert seen > 60
