"""Actuator files: what is read, what is refused and how, what is written."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pliant.assemble import Actuator, with_law
from pliant.catalogue import actuator_files, law_files, topology_files
from pliant.errors import PliantError
from pliant.io.actuator_file import actuator_text, load_actuator, write_actuator

DRIVE = """title = "A drive"
device = "drive"
topology = "rigid_servo"

[laws]
timing = "immediate"
sensing = "ideal"
control = "direct_current"
driver = "ideal_supply"
motor = "torque_source"
friction = "m1"

[sources]
sheet = "its data sheet"
guess = "assumed here"

[parameters.own]
armature = {value = 0.02, unit = "kg m^2", source = "sheet", how = "datasheet"}
voltage = {value = 24, unit = "V", source = "sheet", how = "datasheet"}

[parameters.control]
limit = {value = 12.0, unit = "A", source = "sheet", how = "firmware"}

[parameters.motor]
k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet", std = 0.01}

[parameters.friction]
K_c = {value = 0.2, unit = "N m", source = "guess", how = "assumed", low = 0.0, high = 1.0}
K_v = {value = 0.1, unit = "N m s/rad", source = "guess", how = "assumed"}

[bench]
arm_mass = {value = 0.05, unit = "kg", source = "sheet", how = "measured"}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drive.toml"


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """The file with each text replaced by another."""
    text = DRIVE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)
    return path


def refusal(path: Path, *changes: tuple[str, str]) -> str:
    """Refusal of the file, without its name."""
    changed(path, *changes)
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    return str(caught.value).removeprefix(f"{path}: ")


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


def same(a: Actuator, b: Actuator) -> bool:
    parts = ("name", "title", "device", "topology", "numbers", "sources", "bench", "identification")
    return all(getattr(a, part) == getattr(b, part) for part in parts) and dict(a.laws) == b.laws


def test_all_eight_servos_are_there_in_their_published_models() -> None:
    six = ("mx64", "mx106", "xl320", "xl330", "erob80_50", "erob80_100")
    named = {f"{device}_bam_m{k}" for device in six for k in range(1, 7)}
    named |= {"feetech_sts3215_7_4V_bam_m1", "sts3032_6V_bam_m1"}
    assert named <= set(actuator_files())


PUBLISHED = {
    "xl330_bam_m6": {
        "motor.k_t": 0.36601349688984386,
        "motor.R": 2.8113923539223227,
        "own.armature": 0.0018077432831600838,
        "friction.K_c": 0.004771183165566,
        "friction.K_cs": 0.004676345799486616,
        "friction.K_m": 0.2667860954283698,
        "friction.K_e": 8.515871897059342e-06,
        "friction.K_ms": 1.0722918395099123e-05,
        "friction.K_es": 0.08077928978935671,
        "friction.K_mq": 0.009972471242139415,
        "friction.K_eq": 0.004902565732332559,
        "friction.v_s": 2.890372094130307,
        "friction.alpha": 8.683259907618984,
        "friction.K_v": 0.005359668274599504,
        "bench.position_offset": 0.0271132870444849,
    },
    "mx106_bam_m4": {
        "motor.k_t": 2.23138890457851,
        "motor.R": 2.3717487904639545,
        "own.armature": 0.02457397334336701,
        "friction.K_c": 6.653380436533205e-13,
        "friction.K_cs": 0.10491060771568866,
        "friction.K_l": 0.009150334028953775,
        "friction.K_ls": 0.22235912179095094,
        "friction.v_s": 1.6232949773728853,
        "friction.alpha": 1.323485668999259,
        "friction.K_v": 0.05096082506010955,
        "control.gain": 0.158,
        "control.limit": 0.9625,
    },
    "sts3032_6V_bam_m1": {
        "motor.k_t": 0.493361113420458,
        "motor.R": 4.091639039952612,
        "own.armature": 0.001013109857077197,
        "friction.K_c": 0.005396014620122246,
        "friction.K_v": 0.0015897121338153768,
        "control.gain": 0.166 * 0.9003093479218511,
        "control.speed_limit": 34.48457063069969,
        "bench.position_offset": -0.12583519139736365,
    },
    "erob80_100_bam_m5": {
        "motor.k_t": 8.7651105517004,
        "own.armature": 0.7444198326018837,
        "friction.K_c": 0.0008544416565456324,
        "friction.K_cs": 3.8971701985820273,
        "friction.K_m": 0.0014386633405137944,
        "friction.K_e": 3.392293448680981e-06,
        "friction.K_ms": 7.95025355007889e-05,
        "friction.K_es": 0.2544739333707678,
        "friction.v_s": 1.8499219470996635,
        "friction.alpha": 2.999117024168752,
        "friction.K_v": 8.888393828048388,
        "control.limit": 12.0,
        "control.damping_gain": 2.0,
    },
}
"""From the JSON files of Rhoban/bam 1b5a1ce and qua-robotics/bam 3e596d6, and the firmware facts of
servos_and_friction."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers_are_the_published_ones(name: str) -> None:
    actuator = load_actuator(name)
    known = {**actuator.numbers, **{f"bench.{n}": x for n, x in actuator.bench.items()}}
    assert {key: known[key].value for key in PUBLISHED[name]} == PUBLISHED[name]
    origin = actuator.sources["published"]
    assert "Apache-2.0" in origin and "bam" in origin
    assert {known[key].source for key in PUBLISHED[name] if not key.startswith("control.")} == {
        "published"
    }


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
            "parameters.motor.k_t.unit: wrong unit (the same dimension; write it the same way); "
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
            "parameters.motor.k_t.source: names no source of this file; found 'sheets'; "
            "did you mean 'sheet'?; accepted: guess, sheet",
        ),
        (
            'k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "guessed"}',
            "parameters.motor.k_t.how: should be 'datasheet', 'identified', 'measured', "
            "'firmware', 'assumed' or 'convention'; found 'guessed'",
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
            "unknown topology; found 'rigid_sevro'; did you mean 'rigid_servo'?; accepted: "
            + ", ".join(sorted(topology_files())),
        ),
        (
            'motor = "torque_source"',
            'motor = "torque_sauce"',
            "unknown motor law; found 'torque_sauce'; did you mean 'torque_source'?; accepted: "
            + ", ".join(sorted(law_files("motor"))),
        ),
        (
            'motor = "torque_source"',
            'motors = "torque_source"',
            "laws: topology rigid_servo has no such port; found 'motors'; did you mean 'motor'?; "
            "accepted: control, driver, friction, motor, sensing, timing",
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
            "accepted: control, driver, friction, motor, own, sensing, timing",
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
            "device, format, identification, laws, maker, parameters, sources, title, topology",
        ),
        ('device = "drive"\n', "", "device: is missing"),
        ("[sources]", "[source]", "sources: is missing"),
        (
            'title = "A drive"',
            "title = A drive",
            "is not TOML; found 'Invalid value (at line 1, column 9)'",
        ),
        (
            "[laws]",
            "[laws",
            "is not TOML; found \"Expected ']' at the end of a table declaration "
            '(at line 5, column 6)"',
        ),
        (
            "arm_mass",
            "arm_mas",
            "bench: no plant has this parameter; found 'arm_mas'; did you mean 'arm_mass'?; "
            "accepted: arm_mass, inertia, length, mass, position_offset",
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
    assert str(caught.value).startswith(f"{path}: is not TOML; found ")


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


OWN_LAW = '''"""Friction that is always the same."""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c
'''


def test_a_law_of_ones_own_is_named_by_its_path_from_the_file(path: Path) -> None:
    (path.parent / "laws").mkdir()
    own = path.parent / "laws" / "constant.py"
    own.write_text(OWN_LAW)
    drive = load_actuator(changed(path, ('friction = "m1"', 'friction = "laws/constant.py"')))
    law = drive.laws["friction"]
    assert (law.name, law.path) == ("constant", own)
    elsewhere = path.parent / "elsewhere" / "copy.toml"
    write_actuator(drive, elsewhere)
    copied = load_actuator(elsewhere).laws["friction"]
    assert copied.path == elsewhere.parent / "constant.py"
    assert copied.path.read_text() == OWN_LAW
    below = path.parent / "copy.toml"
    write_actuator(drive, below)
    assert load_actuator(below).laws["friction"].path == own
    assert 'friction = "laws/constant.py"' in below.read_text()
    assert 'motor = "torque_source"' in elsewhere.read_text()


def test_a_copied_law_overwrites_no_other(path: Path) -> None:
    own = path.parent / "constant.py"
    own.write_text(OWN_LAW)
    drive = load_actuator(changed(path, ('friction = "m1"', 'friction = "constant.py"')))
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "constant.py").write_text("another")
    write_actuator(drive, elsewhere / "copy.toml")
    copied = load_actuator(elsewhere / "copy.toml").laws["friction"].path
    assert copied.read_text() == OWN_LAW
    assert (elsewhere / "constant.py").read_text() == "another"


def test_a_law_that_is_not_there_is_refused_with_its_path(path: Path) -> None:
    said = refusal(path, ('friction = "m1"', 'friction = "laws/constant.py"'))
    assert said == (
        f"{path.parent / 'laws' / 'constant.py'}: no such friction_budget law file; "
        f"asked for by {path}: laws.friction"
    )


def test_text_that_looks_like_toml_survives(path: Path, tmp_path: Path) -> None:
    """Names of logs and sources are the users': quotes, dots, line ends, other alphabets."""
    odd = 'run "3".b\n\u03b8 = [1]'
    drive = load_actuator(changed(path))
    made = replace(
        drive,
        title=odd,
        sources={**drive.sources, "a.b c": odd},
        identification={"logs": {odd: "0" * 64}, "starts_mrad": [1.5, 2.0], "interrupted": False},
    )
    write_actuator(made, tmp_path / "odd.toml")
    assert same(replace(made, name="odd"), load_actuator(tmp_path / "odd.toml"))


def test_a_changed_law_is_written_with_what_is_assumed(tmp_path: Path) -> None:
    made = with_law(load_actuator("xl330_bam_m1"), "friction", "m6")
    write_actuator(made, tmp_path / f"{made.name}.toml")
    assert same(made, load_actuator(tmp_path / f"{made.name}.toml"))


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(path: Path) -> None:
    drive = load_actuator(changed(path))
    with pytest.raises(PliantError) as caught:
        write_actuator(drive, path)
    assert str(caught.value) == (f"{path}: exists already; accepted: another name, or --overwrite")
    assert path.read_text() == DRIVE
    write_actuator(drive, path, overwrite=True)
    assert path.read_text() != DRIVE
    assert same(drive, load_actuator(path))


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_writing_that_is_broken_off_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    drive = load_actuator(changed(path))

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", broken)
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises((KeyboardInterrupt, PliantError)):
        write_actuator(drive, path, overwrite=True)
    with pytest.raises((KeyboardInterrupt, PliantError)):
        write_actuator(drive, path.parent / "new.toml")
    assert path.read_text() == DRIVE
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("version", [None, "0.0", "0.9", "1.0", "1.1"])
def test_files_of_before_and_of_the_form_of_today_are_read_alike(
    path: Path, version: str | None
) -> None:
    plain = load_actuator(changed(path))
    if version is not None:
        path.write_text(f'format = "{version}"\n{DRIVE}')
    assert same(load_actuator(path), plain)
    assert actuator_text(plain).startswith('format = "1.1"\n')


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (
            '"1.2"',
            "format: is newer than this Pliant reads; found '1.2'; accepted: up to \"1.1\": "
            "update Pliant",
        ),
        (
            '"2.0"\nnew = 1',
            "format: is newer than this Pliant reads; found '2.0'; accepted: up to \"1.1\": "
            "update Pliant",
        ),
        ("1", 'format: is not a version; found 1; accepted: "1.1"'),
        ('"1"', "format: is not a version; found '1'; accepted: \"1.1\""),
        ('"1.0.0"', "format: is not a version; found '1.0.0'; accepted: \"1.1\""),
    ],
)
def test_a_newer_form_is_refused_whatever_else_is_in_it(
    path: Path, version: str, said: str
) -> None:
    path.write_text(f"format = {version}\n{DRIVE}")
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    assert str(caught.value) == f"{path}: {said}"
