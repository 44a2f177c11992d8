"""Every public name says what it takes, what it raises, and in which units."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_origin

import pytest

PACKAGES = ("pliant", "pliant.identification", "pliant.robots", "pliant.estimate", "pliant.learn")


ARRAY = re.compile(r"Floats|Bools|NDArray|ndarray")
SHAPE = re.compile(
    r"\((?:(?:[A-Za-z0-9]+|…)(?: [+*-] \w+)?, ?)+(?:(?:[A-Za-z0-9]+|…)(?: [+*-] \w+)?)?\)"
)
"""(N,), (V, T, m), (L + 1,), (…, 12, n)."""
UNIT = re.compile(r"\[[^\]]+\]|\bunits?\b|%|\bin N m\b|\bas a part\b")
"""[rad], "in its unit", "0.2 for 20 %"."""


def public() -> Iterator[tuple[str, Any]]:
    """Every name that a package lists."""
    for package in PACKAGES:
        for name in import_module(package).__all__:
            yield f"{package}.{name}", getattr(import_module(package), name)


def functions() -> Iterator[tuple[str, Any]]:
    """Public functions, and the methods of public classes."""
    for name, thing in public():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for method, function in vars(thing).items():
                bare = getattr(function, "__func__", function)
                if inspect.isfunction(bare) and not method.startswith("_"):
                    yield f"{name}.{method}", bare


@pytest.mark.parametrize(
    ("name", "thing"), list(public()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_public_name_has_a_docstring_of_its_own(name: str, thing: Any) -> None:
    thing = get_origin(thing) or thing  # an alias says what its class says
    said = vars(thing).get("__doc__") if inspect.isclass(thing) else inspect.getdoc(thing)
    assert said is not None and len(said) > 20, name
    assert not said.startswith(f"{getattr(thing, '__name__', '')}("), f"{name}: only a signature"


@pytest.mark.parametrize(
    ("name", "function"), list(functions()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_function_that_raises_says_so(name: str, function: Any) -> None:
    said = inspect.getdoc(function) or ""
    assert said, name
    if "raise PliantError" in inspect.getsource(function):
        assert "Raises:" in said and "PliantError:" in said, name


@pytest.mark.parametrize("name", [name for name, thing in public() if inspect.isfunction(thing)])
def test_a_public_function_names_its_arguments(name: str) -> None:
    package, _, own = name.rpartition(".")
    function = getattr(import_module(package), own)
    said = inspect.getdoc(function) or ""
    for argument in inspect.signature(function).parameters:
        assert re.search(rf"\b{argument}\b", said), f"{name}: {argument}"


@pytest.mark.parametrize("name", [n for n, thing in public() if dataclasses.is_dataclass(thing)])
def test_a_public_dataclass_says_what_its_fields_are(name: str) -> None:
    package, _, own = name.rpartition(".")
    kind = getattr(import_module(package), own)
    text = inspect.getsource(kind)
    for field in dataclasses.fields(kind):
        if field.name.startswith("_"):
            continue
        own_text = re.search(rf'^    {field.name}: .*\n    """', text, re.MULTILINE)
        listed = re.search(rf"\b{field.name}\b", inspect.getdoc(kind) or "")
        assert own_text or listed, f"{name}.{field.name}"


def _quantity(annotation: object) -> bool:
    """Whether a value of this type has a unit."""
    text = str(getattr(annotation, "__name__", annotation))
    number = re.search(r"\bfloat\b|Floats|ndarray", str(annotation) + text)
    return number is not None and "bool" not in str(annotation)


def _method_said(name: str, function: Any) -> str:
    """Its docstring; "See `Update`." stands for what that says of the method of the same name."""
    said = inspect.getdoc(function) or ""
    if told := re.match(r"See `(\w+)`", said):
        home = getattr(inspect.getmodule(function), told[1])
        return inspect.getdoc(getattr(home, name.rpartition(".")[2])) or ""
    return said


@pytest.mark.parametrize(
    ("name", "function"), list(functions()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_arrays_have_shapes_and_quantities_units(name: str, function: Any) -> None:
    said, signature = _method_said(name, function), inspect.signature(function)
    taken = [p.annotation for p in signature.parameters.values()]
    for annotation in [*taken, signature.return_annotation]:
        if ARRAY.search(str(annotation)):
            assert SHAPE.search(said), f"{name}: no shape in\n{said}"
        if _quantity(annotation):
            assert UNIT.search(said), f"{name}: no unit in\n{said}"


@pytest.mark.parametrize("name", [n for n, thing in public() if dataclasses.is_dataclass(thing)])
def test_fields_that_are_arrays_have_shapes_and_quantities_units(name: str) -> None:
    package, _, own = name.rpartition(".")
    kind = getattr(import_module(package), own)
    source, listed = inspect.getsource(kind), inspect.getdoc(kind) or ""
    for field in dataclasses.fields(kind):
        if field.name.startswith("_"):
            continue
        below = re.search(
            rf'^    {field.name}: [^\n]*\n    """(.*?)"""', source, re.MULTILINE | re.DOTALL
        )
        among = re.search(
            rf"\b{field.name}\b[\w, ]*:(.*?)(?=\n *\w[\w, ]*:|\. \w+:|\Z)", listed, re.DOTALL
        )
        said = below[1] if below else among[1] if among else listed
        if ARRAY.search(str(field.type)):
            assert SHAPE.search(said), f"{name}.{field.name}: no shape in\n{said}"
        if _quantity(field.type):
            assert UNIT.search(said), f"{name}.{field.name}: no unit in\n{said}"
