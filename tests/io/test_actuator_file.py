"""Actuator files: what is read, and what a file of another form is."""

from pathlib import Path

import pytest

from pliant.catalogue import actuator_files
from pliant.errors import PliantError
from pliant.io.actuator_file import actuator_text, load_actuator, write_actuator

from .drive import DRIVE, changed, same


def test_a_file_is_read_with_every_number_and_where_it_comes_from(path: Path) -> None:
    drive = load_actuator(changed(path))
    assert (drive.name, drive.title, drive.device) == ("drive", "A drive", "drive")
    assert drive.topology.name == "rigid_servo"
    assert {port: law.name for port, law in drive.laws.items()} == {
        "timing": "immediate",
        "sensing": "ideal",
        "control": "direct_current",
        "driver": "ideal_supply",
        "motor": "torque_source",
        "friction": "m1",
        "thermal": "none",
        "gear_load": "none",
        "protection": "none",
        "reversal": "none",
        "unpowered": "none",
    }
    assert drive.values.tolist() == [0.02, 24.0, 12.0, 0.5, 0.2, 0.1]
    k_t = drive.numbers["motor.k_t"]
    assert (k_t.unit, k_t.source, k_t.how, k_t.std) == ("N m/A", "sheet", "datasheet", 0.01)
    dry = drive.numbers["friction.K_c"]
    assert (dry.low, dry.high, dry.std) == (0.0, 1.0, None)
    assert drive.bench["arm_mass"].value == 0.05
    assert drive.sources == {"sheet": "its data sheet", "guess": "assumed here"}
    assert load_actuator(str(path)).values.tolist() == drive.values.tolist()


@pytest.mark.parametrize("name", sorted(actuator_files()))
def test_every_file_of_the_catalogue_loads_and_survives_a_round_trip(
    name: str, tmp_path: Path
) -> None:
    first = load_actuator(name)
    assert first.name == name
    write_actuator(first, tmp_path / f"{name}.toml")
    back = load_actuator(tmp_path / f"{name}.toml")
    assert same(first, back)
    assert actuator_text(back) == actuator_text(first)


def test_all_eight_servos_are_there_in_their_published_models() -> None:
    six = ("mx64", "mx106", "xl320", "xl330", "erob80_50", "erob80_100")
    named = {f"{device}_bam_m{k}" for device in six for k in range(1, 7)}
    named |= {"feetech_sts3215_7_4V_bam_m1", "sts3032_6V_bam_m1"}
    assert named <= set(actuator_files())


@pytest.mark.parametrize("version", [None, "0.0", "0.9", "1.0", "1.1", "1.2", "1.3"])
def test_files_of_before_and_of_the_form_of_today_are_read_alike(
    path: Path, version: str | None
) -> None:
    plain = load_actuator(changed(path))
    if version is not None:
        path.write_text(f'format = "{version}"\n{DRIVE}', encoding="utf-8")
    assert same(load_actuator(path), plain)
    assert actuator_text(plain).startswith('format = "1.3"\n')


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (
            '"1.4"',
            "format: is newer than this Pliant reads; found '1.4'; accepted: up to \"1.3\": "
            "update Pliant",
        ),
        (
            '"2.0"\nnew = 1',
            "format: is newer than this Pliant reads; found '2.0'; accepted: up to \"1.3\": "
            "update Pliant",
        ),
        ("1", 'format: is not a version; found 1; accepted: "1.3"'),
        ('"1"', "format: is not a version; found '1'; accepted: \"1.3\""),
        ('"1.0.0"', "format: is not a version; found '1.0.0'; accepted: \"1.3\""),
    ],
)
def test_a_newer_form_is_refused_whatever_else_is_in_it(
    path: Path, version: str, said: str
) -> None:
    path.write_text(f"format = {version}\n{DRIVE}", encoding="utf-8")
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    assert str(caught.value) == f"{path}: {said}"
