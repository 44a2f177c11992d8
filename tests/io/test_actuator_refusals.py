"""Actuator files that cannot be used, and what is said about them."""

from pathlib import Path

import pytest

from pliant.catalogue import law_files, topology_files
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

from .drive import DRIVE, refusal

K_T = 'k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet", std = 0.01}'


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            'k_t = {value = 0.5, unit = "N m/rad", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.unit: wrong unit; found 'N m/rad'; accepted: \"N m/A\"",
        ),
        (
            'k_t = {value = 0.5, unit = "V s/rad", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.unit: wrong unit (same dimension, other spelling); "
            "found 'V s/rad'; accepted: \"N m/A\"",
        ),
        (
            'k_t = {value = 0.5, unit = "Nm/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.unit: wrong unit; found 'Nm/A'; accepted: \"N m/A\"",
        ),
        (
            'k_t = {value = 0.5, source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.unit: is missing",
        ),
        (
            "",
            "parameters.motor.k_t: parameter is missing; "
            'accepted: { value = ..., unit = "N m/A", source = ..., how = ... }',
        ),
        (
            f'{K_T}\nk_T = {{value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet"}}',
            "parameters.motor: motor torque_source has no such parameter; found 'k_T'; "
            "did you mean 'k_t'?; accepted: k_t",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", how = "datasheet"}',
            "parameters.motor.k_t.source: is missing",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "", how = "datasheet"}',
            "parameters.motor.k_t.source: string should have at least 1 character; found ''",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "sheets", how = "datasheet"}',
            "parameters.motor.k_t.source: is not a key of [sources]; found 'sheets'; "
            "did you mean 'sheet'?; accepted: guess, sheet",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "guessed"}',
            "parameters.motor.k_t.how: is not a choice; found 'guessed'; "
            "accepted: assumed, convention, datasheet, firmware, identified, measured",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet", hihg = 1.0}',
            "parameters.motor.k_t.hihg: unknown key; found 'hihg'; did you mean 'high'?; "
            "accepted: high, how, low, source, std, unit, value",
        ),
        (
            'k_t = {value = "0.5", unit = "N m/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.value: should be a valid number; found '0.5'",
        ),
        (
            'k_t = {value = true, unit = "N m/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.value: should be a valid number; found True",
        ),
        (
            'k_t = {value = nan, unit = "N m/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.value: should be a finite number; found nan",
        ),
        (
            'k_t = {value = -inf, unit = "N m/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.value: should be a finite number; found -inf",
        ),
        (
            'k_t = {value = 500.0, unit = "N m/A", source = "sheet", how = "datasheet"}',
            "parameters.motor.k_t.value: outside the range of its law; found 500.0; "
            "accepted: 0.001 to 100.0 N m/A",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet", low = 0.0}',
            "parameters.motor.k_t.low: outside the range of its law; found 0.0; "
            "accepted: 0.001 to 100.0 N m/A",
        ),
        (
            'k_t = {value = 1, unit = "N m/A", source = "sheet", how = "assumed", low = 2, high = 1}',
            "parameters.motor.k_t.low: bounds out of order; found 2.0; "
            "accepted: less than high = 1.0",
        ),
        (
            "k_t = 0.5",
            "parameters.motor.k_t: is not a table; found 0.5; "
            "accepted: { value = ..., unit = ..., source = ..., how = ... }",
        ),
    ],
)
def test_a_number_that_cannot_be_used_is_refused(path: Path, new: str, said: str) -> None:
    assert refusal(path, (K_T, new)) == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'topology = "rigid_servo"',
            'topology = "rigid_sevro"',
            "topology: unknown topology; found 'rigid_sevro'; did you mean 'rigid_servo'?; accepted: "
            + ", ".join(sorted(topology_files())),
        ),
        (
            'motor = "torque_source"',
            'motor = "torque_sauce"',
            "laws.motor: unknown motor law; found 'torque_sauce'; did you mean 'torque_source'?; accepted: "
            + ", ".join(sorted(law_files("motor"))),
        ),
        (
            'motor = "torque_source"',
            'motors = "torque_source"',
            "laws: topology rigid_servo has no such port; found 'motors'; did you mean 'motor'?; "
            "accepted: control, driver, friction, gear_load, motor, protection, reversal, sensing, thermal, timing, unpowered",
        ),
        (
            'motor = "torque_source"\n',
            "",
            "laws.motor: no law at this port; accepted: a law of the family motor",
        ),
        (
            'motor = "torque_source"',
            "motor = 3",
            "laws.motor: should be a valid string; found 3",
        ),
        (
            "[parameters.motor]",
            "[parameters.motr]",
            "parameters: topology rigid_servo has no such port; found 'motr'; did you mean 'motor'?; "
            "accepted: control, driver, friction, gear_load, motor, own, protection, reversal, sensing, thermal, timing, unpowered",
        ),
        (
            'control = "direct_current"',
            'control = "firmware_position"',
            "laws: laws disagree about the command's unit; found 'firmware_position (control): "
            '"1", torque_source (motor): "A"\'; accepted: all "1" (duty), all "A" (current) or all '
            '"N m" (torque)',
        ),
        (
            'title = "A drive"',
            'title = "A drive"\ntopolgy = "rigid_servo"',
            "topolgy: unknown key; found 'topolgy'; did you mean 'topology'?; accepted: bench, "
            "datasheet, device, ensemble, format, identification, laws, maker, parameters, sources, title, topology",
        ),
        ('device = "drive"\n', "", "device: is missing"),
        (
            "[sources]",
            "[source]",
            "source: unknown key; found 'source'; did you mean 'sources'?; accepted: bench, "
            "datasheet, device, ensemble, format, identification, laws, maker, parameters, sources, title, topology",
        ),
        (
            "device = ",
            "devise = ",
            "devise: unknown key; found 'devise'; did you mean 'device'?; accepted: bench, "
            "datasheet, device, ensemble, format, identification, laws, maker, parameters, sources, title, topology",
        ),
        (
            'title = "A drive"',
            "title = A drive",
            "line 1, column 9: is not TOML; found 'Invalid value'",
        ),
        (
            "[laws]",
            "[laws",
            "line 5, column 6: is not TOML; found \"Expected ']' at the end of a table "
            'declaration"',
        ),
        (
            "arm_mass",
            "arm_mas",
            "bench: is not a parameter of the bench; found 'arm_mas'; did you mean 'arm_mass'?; "
            "accepted: arm_mass, command_offset, inertia, length, mass, position_offset",
        ),
        (
            'unit = "kg", source',
            'unit = "g", source',
            "bench.arm_mass.unit: wrong unit; found 'g'; accepted: \"kg\"",
        ),
        (
            'how = "measured"',
            'how = "measured", low = -1.0',
            "bench.arm_mass.low: outside the range of its law; found -1.0; accepted: 0.0 to 100.0 kg",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(path: Path, old: str, new: str, said: str) -> None:
    assert refusal(path, (old, new)) == said


@pytest.mark.parametrize(
    "text", [b"a = " + b"[" * 5000, b"a = " + b"1" * 5000], ids=["too deep", "too long a number"]
)
def test_a_file_that_breaks_the_parser_is_refused(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    place = "line 1: " if text.endswith(b"1") else ""
    assert str(caught.value).startswith(f"{path}: {place}is not TOML; found ")


def test_a_file_that_is_not_text_is_refused(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    assert str(caught.value).startswith(f"{path}: byte 0: is not UTF-8 text")


def test_an_unknown_actuator_is_refused_with_the_nearest() -> None:
    with pytest.raises(PliantError) as caught:
        load_actuator("xl330_bam_m7")
    text = str(caught.value)
    assert text.startswith("unknown actuator; found 'xl330_bam_m7'; did you mean 'xl330_bam_m")
    assert "mx106_bam_m4" in text.partition("accepted: ")[2]


@pytest.mark.parametrize("name", ["nowhere.toml", "nowhere"])
def test_a_path_without_a_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PliantError) as caught:
        load_actuator(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: no such actuator file"


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ('fact = "stall_torque"', "datasheet.stall_torque.value: is missing"),
        ('value = 1.0\nunit = "A"', "datasheet.0.fact: is missing"),
        (
            'fact = "stall_current"\nvalue = "1"\nunit = "A"\nsource = "sheet"\nvoltage = 5.0',
            "datasheet.stall_current.value: should be a valid number; found '1'",
        ),
    ],
)
def test_a_fact_of_a_data_sheet_is_told_by_its_name(tmp_path: Path, fact: str, said: str) -> None:
    path = tmp_path / "drive.toml"
    path.write_text(f"{DRIVE}\n[[datasheet]]\n{fact}\n")
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    assert f"{path}: {said}" in str(caught.value)
