"""The catalogue's contents, and its answer to names that it does not have."""

import os
from pathlib import Path

import pytest

from pliant.catalogue import (
    Field,
    actuator_files,
    law_files,
    load_law,
    load_topology,
    ports,
    topology_files,
)
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.ports import FAMILIES

SPRING = '''"""An own spring."""
from typing import Annotated, NamedTuple

class P(NamedTuple):
    k: Annotated[float, "N m/rad", (0.0, 10.0)]

def energy(phi: float, p: P) -> float:
    return 0.5 * p.k * phi * phi

def torque(phi: float, p: P) -> float:
    return p.k * phi

def stiffness(phi: float, p: P) -> float:
    return p.k

def damping(rate: float, p: P) -> float:
    return 0.0
'''


def refusal(family: str, name: str | Path) -> str:
    with pytest.raises(PliantError) as caught:
        load_law(family, str(name))
    return str(caught.value)


def changed(folder: Path, old: str, new: str) -> Path:
    assert old in SPRING
    path = folder / "own.py"
    path.write_text(SPRING.replace(old, new))
    return path


def test_everything_in_the_catalogue_loads() -> None:
    for family in FAMILIES:
        for name in law_files(family):
            law = load_law(family, name)
            assert (law.name, law.kind) == (name, family)
            assert law.title.endswith(".")
    for name in topology_files():
        assert load_topology(name).title.endswith(".")


def test_files_that_begin_with_an_underscore_are_parts_of_laws() -> None:
    found = law_files("friction_budget")
    assert {"m1", "m6"} <= set(found)
    assert not [name for name in found if name.startswith("_")]


def test_parameters_have_unit_and_range() -> None:
    law = load_law("friction_state", "dahl")
    assert law.parameters[1] == Field("k_z", "N m/rad", 1.0, 1e5)
    assert [f.name for f in law.state] == ["z"]
    assert law.remembers
    assert not load_law("motor", "dc_voltage").remembers


def test_ports_are_in_the_order_of_the_file() -> None:
    assert list(ports(load_topology("rigid_servo")).items()) == [
        ("timing", "timing"),
        ("sensing", "sensing"),
        ("control", "control"),
        ("driver", "driver"),
        ("motor", "motor"),
        ("friction", "friction_budget"),
        ("protection", "protection"),
        ("thermal", "thermal"),
        ("gear_load", "gear_load"),
        ("reversal", "reversal"),
        ("unpowered", "unpowered"),
    ]


def test_an_unknown_law_is_refused_with_the_nearest() -> None:
    assert refusal("motor", "dc_votlage") == (
        "unknown motor law; found 'dc_votlage'; did you mean 'dc_voltage' or 'dc_voltage_coast'?; accepted: "
        + ", ".join(sorted(law_files("motor")))
    )


def test_an_unknown_topology_is_refused_with_the_nearest() -> None:
    with pytest.raises(PliantError) as caught:
        load_topology("rigid_sevro")
    assert str(caught.value) == (
        "unknown topology; found 'rigid_sevro'; did you mean 'rigid_servo'?; accepted: "
        + ", ".join(sorted(topology_files()))
    )


def test_an_unknown_family_is_refused_with_the_nearest() -> None:
    assert refusal("complience", "linear_spring") == (
        "unknown family of laws; found 'complience'; did you mean 'compliance'?; accepted: "
        + ", ".join(sorted(FAMILIES))
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "no.py"
    assert refusal("motor", path) == f"{path}: no such motor law file"


def test_a_path_is_taken_from_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "springs").mkdir()
    path = changed(tmp_path / "springs", "An own", "Another")
    law = load_law("compliance", "springs/own.py", near=tmp_path / "device.toml")
    assert law.path == path
    assert law.module.torque(0.5, law.module.P(4.0)) == 2.0


def test_a_law_without_a_function_of_its_family(tmp_path: Path) -> None:
    path = changed(tmp_path, "def stiffness(phi", "def stiff(phi")
    assert refusal("compliance", path) == (
        f"{path}: stiffness: compliance law without the right stiffness(); found 'nothing'; "
        "accepted: stiffness(phi: float, p: P) -> float"
    )


def test_a_law_with_other_arguments_than_its_family(tmp_path: Path) -> None:
    path = changed(tmp_path, "def torque(phi: float, p: P)", "def torque(p: P, phi: float)")
    assert refusal("compliance", path) == (
        f"{path}: torque: compliance law without the right torque(); "
        "found 'torque(p: P, phi: float) -> float'; accepted: torque(phi: float, p: P) -> float"
    )


def test_a_law_with_a_memory_but_no_state(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    text = load_law("friction_state", "none").path.read_text()
    path.write_text(text.replace("class S(NamedTuple):\n    pass\n", "").replace("S", "P"))
    expected = f"{path}: declares no S; accepted: class S(NamedTuple)"
    assert refusal("friction_state", path) == expected


def test_a_law_without_parameters_says_so(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text('"""Nothing."""\n')
    assert refusal("timing", path) == (
        f"{path}: declares no P; accepted: class P(NamedTuple) with units"
    )


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        (
            "float",
            "has no unit; accepted: "
            'Annotated[float, "unit"] or Annotated[float, "unit", (low, high)]',
        ),
        (
            'Annotated[float, "N*m"]',
            "not a unit; found 'N*m'; accepted: products like "
            '"N m s/rad" of 1, rad, kg, m, s, A, K, N, J, W, V, Ohm, H',
        ),
        (
            'Annotated[float, "N m/rad", (5.0, 1.0)]',
            "not a range; found (5.0, 1.0); accepted: (low, high) with low < high",
        ),
        (
            'Annotated[float, "N m/rad", 5.0]',
            "not a range; found 5.0; accepted: (low, high) with low < high",
        ),
    ],
)
def test_a_parameter_needs_a_unit_and_a_true_range(
    tmp_path: Path, declaration: str, problem: str
) -> None:
    path = changed(tmp_path, 'Annotated[float, "N m/rad", (0.0, 10.0)]', declaration)
    assert refusal("compliance", path) == f"{path}: P.k: {problem}"


def test_an_import_of_a_law_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        "from typing import Annotated, NamedTuple",
        "from typing import Annotated, NamedTuple\nfrom pliant.laws.motor import m9",
    )
    assert refusal("compliance", path).startswith(
        f"{path}: line 3: no such law; found 'pliant.laws.motor.m9'; did you mean "
    )


def test_a_name_that_is_no_field_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SPRING.replace("p.k", "p._k").replace("    k:", "    _k:"))
    assert refusal("compliance", path) == (
        f"{path}: line 5: not a name that a law may use; found '_k'; accepted: letters, digits and "
        "single underscores after a letter, at most 64"
    )


TOPOLOGY = topology_files()["rigid_servo"].read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "HAS_BUDGET = True",
            "HAS = True",
            "HAS_BUDGET: does not state whether its friction acts on the joint; "
            "accepted: HAS_BUDGET = True, or False",
        ),
        (
            "def voltage(",
            "def tension(",
            "voltage: topology without the right voltage(); found 'nothing'; "
            "accepted: voltage(p: Parameters) -> float",
        ),
        (
            "def armature(p: ",
            "def armature(h: float, p: ",
            "armature: topology without the right armature(); "
            "found 'armature(h: float, p: Parameters) -> float'; "
            "accepted: armature(p: Parameters) -> float",
        ),
        (
            "REFERENCES = 1",
            "REFERENCES = 1e999",
            "REFERENCES: is not a valid number of commands; found inf; accepted: 1 or 2",
        ),
    ],
)
def test_a_topology_offers_what_engines_call(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(TOPOLOGY.replace(old, new))
    with pytest.raises(PliantError) as caught:
        load_topology(str(path))
    assert str(caught.value) == f"{path}: {said}"


def test_a_file_names_files_in_its_own_folder_or_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links count as what they lead to."""
    (tmp_path / "device" / "laws").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    inside = changed(tmp_path / "device" / "laws", "An own", "Inside")
    outside = changed(tmp_path / "elsewhere", "An own", "Outside")
    (tmp_path / "device" / "link.py").symlink_to(outside)
    (tmp_path / "device" / "round.py").symlink_to(tmp_path / "device" / "round.py")
    near = tmp_path / "device" / "device.toml"
    assert load_law("compliance", "laws/own.py", near).path == inside
    for name in ("../elsewhere/own.py", str(outside), "link.py", "laws/../../elsewhere/own.py"):
        with pytest.raises(PliantError) as caught:
            load_law("compliance", name, near)
        said = str(caught.value)
        assert said.startswith(
            f"{near}: names a compliance law file outside its own folder; found "
        )
        assert said.endswith("or below; or set PLIANT_LAW_PATH to the folder of the file")
    for name in ("round.py", "no\0name.py", "laws.py"):
        with pytest.raises(PliantError):
            load_law("compliance", name, near)
    with monkeypatch.context() as patch:
        patch.setenv("PLIANT_LAW_PATH", f"/nowhere{os.pathsep}{tmp_path / 'elsewhere'}")
        assert load_law("compliance", "../elsewhere/own.py", near).path == outside
    load_law("compliance", str(outside))
    assert load_law("compliance", "../elsewhere/own.py", near).path == outside  # the user gave it


def test_every_servo_has_a_data_sheet() -> None:
    servos = [a for a in map(load_actuator, actuator_files()) if a.topology.name == "rigid_servo"]
    assert not [a.name for a in servos if not a.datasheet]


@pytest.mark.parametrize(
    ("name", "gears", "rotors"),
    [
        ("unitree_5020_mjlab", (46 / 18 + 1, 56 / 16 + 1), (0.139e-4, 0.017e-4, 0.169e-4)),
        ("unitree_7520_14_mjlab", (4.5, 48 / 22 + 1), (0.489e-4, 0.098e-4, 0.533e-4)),
        ("unitree_7520_22_mjlab", (4.5, 5.0), (0.489e-4, 0.109e-4, 0.738e-4)),
        ("unitree_4010_mjlab", (5.0, 5.0), (0.068e-4, 0.0, 0.0)),
    ],
)
def test_a_unitree_s_armature_is_that_of_its_sheet_s_rotor_and_two_stages(
    name: str, gears: tuple[float, float], rotors: tuple[float, float, float]
) -> None:
    """armature = J2 + J1 i2^2 + Jr (i1 i2)^2, as Unitree's unitree_actuators.py has it."""
    actuator = load_actuator(name)
    stated = {fact.fact: fact.value for fact in actuator.datasheet}
    (first, second), (rotor, one, two) = gears, rotors
    assert stated["gear_ratio"] == pytest.approx(first * second, rel=1e-4)
    assert stated["rotor_inertia"] == pytest.approx(rotor)
    whole = two + one * second**2 + rotor * (first * second) ** 2
    assert actuator.value("own.armature") == pytest.approx(whole, rel=1e-4)
    assert stated["stall_torque"] <= 1.01 * actuator.value("control.limit")


@pytest.mark.parametrize("teeth", [191, 147])
def test_a_leader_s_servo_is_the_follower_s_behind_another_gear(teeth: int) -> None:
    """At the motor both have the same torque per current, inertia and stalled friction; the sheet tells the gear."""
    one, other = load_actuator("sts3215_so101"), load_actuator(f"sts3215_{teeth}_so101_leader")
    for actuator, gear in ((one, 345), (other, teeth)):
        assert gear in {fact.value for fact in actuator.datasheet if fact.fact == "gear_ratio"}
    for name, power in (("motor.k_t", 1), ("friction.K_c", 1), ("own.armature", 2)):
        at_motor = [a.value(name) / gear**power for a, gear in ((one, 345), (other, teeth))]
        assert at_motor[1] == pytest.approx(at_motor[0], rel=1e-3)
