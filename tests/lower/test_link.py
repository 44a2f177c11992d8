"""The linker: one flat module in which every name is the right one."""

import ast
from pathlib import Path

import pytest

from pliant.catalogue import load_law
from pliant.errors import PliantError
from pliant.lower.link import Linker
from pliant.lower.program import for_python
from pliant.lower.source import read_source, source_of


def linked(path: Path, entry: str, *known: Path) -> tuple[Linker, dict[str, object]]:
    linker = Linker()
    for other in known:
        linker.add(read_source(other, other.stem))
    linker.function(read_source(path, "own"), entry)
    names: dict[str, object] = {}
    exec(for_python(linker), names)
    return linker, names


def test_a_law_that_calls_another_brings_it_along_once() -> None:
    linker = Linker()
    linker.function(source_of(load_law("friction_budget", "m6")), "budget")
    names = [definition.name for definition in linker.definitions]
    assert len(names) == len(set(names))
    assert names.index("friction_budget_m1__budget") < names.index("friction_budget_m5__budget")
    assert names.index("friction_budget_m5__budget") < names.index("friction_budget_m6__budget")
    assert "friction_budget__stribeck__fading" in names
    assert not [n for n in names if "_m3_" in n or "_m4_" in n]


def test_constants_stand_where_they_are_used() -> None:
    linker = Linker()
    linker.function(source_of(load_law("plant", "pendulum")), "load")
    text = for_python(linker)
    assert "9.81" in text
    assert "G" not in {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}


def test_a_constant_of_another_law(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from pliant.laws.plant.pendulum import G\n\ndef weight(m: float) -> float:\n"
        "    return m * G\n"
    )
    _, names = linked(path, "weight")
    assert names["own__weight"](2.0) == 19.62


def test_a_constant_that_is_computed_stays_in_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pliant.lower.link.module_name", lambda path: path.stem)
    path = tmp_path / "loop.py"
    path.write_text("A, B = range(2)\nN = len('abc')\n\ndef f(x):\n    return x + B + N\n")
    linker = Linker()
    linker.function(read_source(path, "loop"), "f")
    assert sorted(linker.externals.values()) == [("loop", "B"), ("loop", "N")]


def test_a_local_name_hides_a_global_one(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from math import exp\n\nG = 5.0\n\ndef f(exp: float) -> float:\n"
        "    G = exp + 1.0\n    return G\n"
    )
    linker, names = linked(path, "f")
    assert names["own__f"](1.0) == 2.0
    assert not linker.math


def test_two_sources_import_different_things_under_one_name(tmp_path: Path) -> None:
    """An engine's loops may import more than laws."""
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("from operator import add as op\n\ndef f(x):\n    return op(x, 3.0)\n")
    two.write_text("from operator import mul as op\n\ndef f(x):\n    return op(x, 3.0)\n")
    linker = Linker()
    called = [
        ast.unparse(linker.function(read_source(path, path.stem), "f").node) for path in (one, two)
    ]
    named = {"op": ("operator", "add"), "two__op": ("operator", "mul")}
    assert linker.externals == named
    assert ["op(x, 3.0)" in called[0], "two__op(x, 3.0)" in called[1]] == [True, True]


def test_an_unknown_name_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text("def f(x):\n    return sinus(x)\n")
    with pytest.raises(PliantError) as caught:
        linked(path, "f")
    assert str(caught.value) == f"{path}: line 2: unknown name 'sinus'"


def test_wrong_fields_of_a_named_tuple_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text(
        "from typing import NamedTuple\n\nclass P(NamedTuple):\n    a: float\n\n"
        "def f(x):\n    return P(b=x)\n"
    )
    with pytest.raises(PliantError) as caught:
        linked(path, "f")
    assert str(caught.value) == f"{path}: line 7: own__P takes the fields a"


def test_fields_given_by_name_arrive_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from typing import NamedTuple\n\nclass P(NamedTuple):\n    a: float\n"
        "    b: float\n\ndef f(x: float) -> P:\n"
        "    return P(b=x, a=2.0 * x)\n"
    )
    _, names = linked(path, "f")
    assert names["own__f"](1.0) == (2.0, 1.0)
