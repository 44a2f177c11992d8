"""Every public name says what it takes, what it raises, and in which units."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_origin

import pytest

PACKAGES = ("pliant", "pliant.identify", "pliant.robots", "pliant.estimate", "pliant.learn")


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
