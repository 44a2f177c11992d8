"""Files that an actuator names are laws or refused; so are topologies."""

from pathlib import Path

import pytest

import pliant
from pliant.catalogue import load_law, load_topology, ports, topology_files
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.lower.assembly import assembly
from pliant.lower.source import source_of

from .laws import RUN, TOML


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("friction", "os"),
        ("friction", "pliant.laws.friction_budget.m1"),
        ("friction", "../../../../usr/lib/python3/antigravity.py"),
        ("friction", "/usr/lib/python3/antigravity.py"),
        ("friction", "file:law.py"),
        ("friction", "M1"),
        ("friction", "m1\\u0000.py"),
        ("friction", "_stribeck"),
        ("friction", "__init__"),
    ],
)
def test_what_a_toml_names_is_a_law_or_refused(here: Path, key: str, name: str) -> None:
    path = here / "device.toml"
    path.write_text(TOML.read_text().replace('"tanh_friction.py"', f'"{name}"'))
    with pytest.raises(PliantError):
        load_actuator(path)


TOPOLOGY = '''"""A motor straight on the joint."""
from typing import NamedTuple
from pliant.ports import {ports}
{top}
class P(NamedTuple):
    pass
def f(s: State, p: Parameters) -> float:
    return {value}
'''


@pytest.mark.parametrize(
    ("ports", "top", "value"),
    [
        ("Motor, Parameters, State", f"motor: Motor = {RUN}", "1.0"),
        ("Motor, Parameters, State", "motor: Motor.__class__", "1.0"),
        ("Motor, Parameters, State", "motor: NamedTuple", "1.0"),
        ("Motor, Parameters, State", "motor: Motor", "p.motor.count"),
        ("Motor, Parameters, State", "motor: Motor", "p.motor._fields"),
        ("Motor, Parameters, State", "motor: Motor", "p.motor.k_t.real"),
        ("Motor, Parameters, State", "motor: Motor", "motor.__globals__"),
        ("Motor, Parameters, State", "motor: Motor", "motor.module"),
        ("Motor, Parameters, State", "motor: Motor", "p.engine"),
        ("Motor, Parameters, State", "own: Motor", "1.0"),
        ("Motor, Parameters, State", "motor: Motor\nN_STATE = 0.0", "1.0"),
        ("Parameters, State, PARTS", "", "1.0"),
        ("Parameters, State, FAMILIES as F", "", "1.0"),
        ("Parameters as float, State", "", "1.0"),
    ],
)
def test_what_is_no_topology_is_refused(here: Path, ports: str, top: str, value: str) -> None:
    path = here / "mine.py"
    path.write_text(TOPOLOGY.format(ports=ports, top=top, value=value))
    with pytest.raises(PliantError) as caught:
        load_topology(str(path))
    assert str(caught.value).startswith(f"{path}: line ")
    (checked,) = pliant.check(path)
    assert any(str(caught.value).endswith(one.message) for one in checked.remarks)


def test_a_port_called_like_one_of_a_part_is_refused(here: Path) -> None:
    """The catalogue would count its numbers once, the compiled code twice."""
    path = here / "mine.py"
    text = topology_files()["series_elastic"].read_text()
    text = text.replace("side: MotorSide", "side: MotorSide\nmotor: Motor", 1)
    path.write_text(text.replace("MotorSide, ", "Motor, MotorSide, ", 1))
    with pytest.raises(PliantError, match=r"mine\.py: has two ports of the same name.*'motor'"):
        ports(load_topology(str(path)))


def test_compiled_code_counts_the_numbers_that_its_files_declare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a law would make of its names: the arrays would be read past their end."""
    actuator = load_actuator("xl330_bam_m6")
    wider = {**actuator.laws, "friction": load_law("friction_budget", "m1")}
    monkeypatch.setattr(
        "pliant.lower.assembly.source_of", lambda _: source_of(actuator.laws["friction"])
    )
    with pytest.raises(PliantError, match="is compiled for a different number"):
        assembly(actuator.topology, wider)
