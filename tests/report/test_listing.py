"""A device is found by whatever somebody knows of it."""

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import pliant
from pliant import actuators
from pliant.cli import main
from pliant.errors import PliantError

ACTUATORS = Path(pliant.__file__).parent / "actuators"


@pytest.mark.parametrize(
    ("search", "name"),
    [
        ("XL330-M288-T", "xl330_bam_m6"),
        ("xl330", "xl330_bam_m1"),
        ("robotis m6", "mx106_bam_m6"),
        ("MX 106", "mx106_bam_m4"),
        ("feetech sts3215", "feetech_sts3215_7_4V_bam_m1"),
        ("sinh_spring antagonistic", "qbmove_maker_pro"),
        ("erob80 48V", "erob80_50_bam_m2"),
    ],
)
def test_words_of_maker_model_law_or_supply_find_it(search: str, name: str) -> None:
    assert name in pliant.actuators(search).names


def test_all_words_must_fit() -> None:
    assert pliant.actuators("robotis m6").names == [
        *(f"{device}_bam_m6" for device in ("mx106", "mx64", "xl320", "xl330")),
        "xl330_m6_shutdown",
    ]
    with pytest.raises(PliantError):
        pliant.actuators("xl330 24V")


def test_without_words_all_are_listed_with_what_their_files_say() -> None:
    found = pliant.actuators()
    assert found.names == sorted(path.stem for path in ACTUATORS.glob("*.toml"))
    for one in found:
        text = one.path.read_text("utf-8")
        maker = re.search(r'^maker = "(.*)"', text, re.MULTILINE)
        voltage = re.search(r"^voltage = \{value = ([\d.]+)", text, re.MULTILINE)
        assert one.maker == (maker[1] if maker else "")
        assert one.voltage == (float(voltage[1]) if voltage else None)


def test_torque_is_that_of_the_stalled_motor() -> None:
    one = pliant.actuators("xl330_bam_m1")[0]
    actuator = pliant.load_actuator("xl330_bam_m1")
    stall = actuator.value("own.voltage") / actuator.value("motor.R") * actuator.value("motor.k_t")
    assert one.torque == pytest.approx(stall, rel=1e-9)


@pytest.mark.parametrize(("search", "meant"), [("xl33o", "xl330_bam_m1"), ("qbmov", None)])
def test_nothing_found_tells_the_nearest(search: str, meant: str | None) -> None:
    if meant is None:
        assert pliant.actuators(search)
        return
    with pytest.raises(PliantError, match=f"did you mean '{meant}'"):
        pliant.actuators(search)


def test_the_list_prints_as_a_table_and_is_one_for_pandas() -> None:
    found = pliant.actuators("xl330 bam")
    lines = repr(found).splitlines()
    assert lines[0].split() == ["name", "maker", "title", "V", "N", "m", "law"]
    assert lines[-1].startswith("xl330_bam_m6  ROBOTIS  Dynamixel XL330-M288-T")
    table = found.to_pandas()
    assert table.loc["xl330_bam_m6", "maker"] == "ROBOTIS"


def test_an_actuators_numbers_are_a_table() -> None:
    actuator = pliant.load_actuator("xl330_bam_m6")
    numbers = actuator.to_dict()
    assert list(numbers) == [*actuator.fields, "plant.position_offset"]
    assert numbers["motor.k_t"]["unit"] == "N m/A"
    assert "ICRA 2025" in str(numbers["motor.k_t"]["source"])
    table = actuator.to_pandas()
    assert list(table["value"][:-1]) == pytest.approx(list(actuator.values))


def test_a_robot_has_the_actuators_of_its_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert actuators(robot="SO-101").names == [
        "feetech_sts3215_7_4V_bam_m1",
        "sts3215_menagerie",
        "sts3215_so101",
    ]
    assert actuators(robot="so_100").names == actuators(robot="so101").names
    assert set(actuators("m1", robot="toddlerbot").names) == set(
        actuators(robot="toddlerbot").names
    )
    known = tomllib.loads((files("pliant") / "data" / "robots.toml").read_text())
    devices = {one.device for one in actuators()}
    for name, robot in known.items():
        assert set(robot["devices"]) <= devices, name
        assert robot["source"] and robot["title"]
    with pytest.raises(PliantError, match=r"no such robot; found 'so10'; did you mean 'so101'"):
        actuators(robot="so10")
    assert main(["actuators", "--robot", "kbot", "--torque", "15:100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["actuators"]
    assert list(found) == ["robstride_02_ksim", "robstride_03_ksim"]


@pytest.mark.parametrize(
    ("words", "found"), [("--size small", "'small'"), ("--torque 2:1", "'2:1'")]
)
def test_a_size_is_a_stall_torque(
    capsys: pytest.CaptureFixture[str], words: str, found: str
) -> None:
    assert main(["actuators", *words.split()]) == 1
    assert f"--torque: is not a range; found {found}" in capsys.readouterr().err
    assert main(["actuators", "--size", "0.66:0.7", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["actuators"]) == ["xc330_toddlerbot"]


def test_makers_voltages_sizes_and_laws_are_those_of_the_files() -> None:
    found = actuators(maker="robotis", law="m6", voltage=(7.0, 8.0), torque=(0.1, 1.0))
    wanted: list[str] = []
    for path in (files("pliant") / "actuators").iterdir():
        document = tomllib.loads(path.read_text()) if path.name.endswith(".toml") else {}
        own = document.get("parameters", {}).get("own", {})
        if (
            document.get("maker") == "ROBOTIS"
            and "m6" in document["laws"].values()
            and 7.0 <= own["voltage"]["value"] <= 8.0
        ):
            wanted.append(path.name.removesuffix(".toml"))
    assert found.names == sorted(name for name in wanted if 0.1 <= actuators(name)[0].torque <= 1.0)
    assert found.names
    ports = actuators(maker="robotis", law="friction=m6", voltage=(7.0, 8.0), torque=(0.1, 1.0))
    assert ports.names == found.names


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--maker", "robots"], "no such maker; found 'robots'; did you mean 'ROBOTIS'"),
        (["--law", "m7"], "no actuator has this law; found 'm7'"),
        (
            ["--law", "frictoin=m6"],
            "no actuator has this port; found 'frictoin'; did you mean 'friction'",
        ),
        (["--law", "friction=m7"], "no actuator has this law; found 'friction=m7'; accepted: "),
        (["--maker", "feetech", "--voltage", "900"], "no actuator matches all of this"),
        (["--voltage", ":"], "--voltage: is not a range; found ':'"),
    ],
)
def test_what_no_actuator_is_is_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["actuators", *words]) != 0
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
