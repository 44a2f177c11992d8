"""Random parameters, states and arguments for every law of the catalogue, from what it declares."""

import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from pliant.catalogue import Field, Physics, law_files, load_law
from pliant.lower.law import Lowered, Target, lower
from pliant.lower.source import source_of
from pliant.lower.units import arguments, functions, units
from pliant.ports import FAMILIES

DRAWS = 60
"""Calls per property."""


@cache
def laws(family: str) -> list[Physics]:
    return [load_law(family, name) for name in sorted(law_files(family))]


ALL = [law for family in FAMILIES for law in laws(family)]


def each(family: str) -> pytest.MarkDecorator:
    """Run a test for every law of `family`."""
    return pytest.mark.parametrize("law", laws(family), ids=lambda law: law.name)


EVERY = pytest.mark.parametrize("law", ALL, ids=lambda law: f"{law.kind}-{law.name}")


EVERY_FUNCTION = pytest.mark.parametrize(
    ("law", "name"),
    [
        pytest.param(law, name, id=f"{law.kind}-{law.name}-{name}")
        for law in ALL
        for name in functions(law)
    ],
)


@cache
def lowered(target: Target) -> dict[tuple[str, str], Lowered]:
    """Every law of the catalogue in `target`, in one module."""
    done = lower([source_of(law) for law in ALL], target)
    return {(law.kind, law.name): one for law, one in zip(ALL, done, strict=True)}


def random(law: Physics, what: str = "") -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(f"{law.kind} {law.name} {what}".encode()))


def signed(rng: np.random.Generator, low: float, high: float) -> float:
    """Either sign, magnitude log-uniform."""
    return float(rng.choice([-1.0, 1.0]) * np.exp(rng.uniform(np.log(low), np.log(high))))


def number(field: Field, rng: np.random.Generator) -> float:
    """In the declared range: log-uniform over the upper decades of a wide one, at times its end."""
    low, high = max(field.low, -1e3), min(field.high, 1e3)
    if rng.uniform() < 0.1 and field.low == 0.0:
        return 0.0
    if low >= 0.0 and high > 100.0 * low:
        return float(np.exp(rng.uniform(np.log(max(low, 1e-5 * high)), np.log(high))))
    return float(rng.uniform(low, high))


def parameters(law: Physics, rng: np.random.Generator) -> Any:
    return law.module.P(*(number(field, rng) for field in law.parameters))


def draws(law: Physics, what: str = "") -> Iterator[tuple[Any, np.random.Generator]]:
    """Parameters for `law`, and the generator for the rest."""
    rng = random(law, what)
    for _ in range(DRAWS):
        yield parameters(law, rng), rng


def argument(name: str, unit: str, rng: np.random.Generator) -> float:
    if name == "on":
        return float(rng.integers(2))
    if name == "h":
        return size(rng, 1e-4, 1e-2)
    if name in {"supply", "bus", "resistance"}:
        return size(rng, 1.0, 50.0)
    if unit == "rad" and rng.uniform() < 0.5:
        return signed(rng, 1e-6, 3.0)
    low, high = {"rad": (0.1, 3.0), "1": (0.01, 1.5), "s": (1e-3, 100.0)}.get(unit, (1e-3, 30.0))
    return signed(rng, low, high)


def size(rng: np.random.Generator, low: float, high: float) -> float:
    """Log-uniform."""
    return abs(signed(rng, low, high))


def call(law: Physics, name: str, p: Any, rng: np.random.Generator) -> list[Any]:
    """Arguments for one call of function `name`; a state is one that the law comes to itself."""
    given = units(law, name)
    values: list[Any] = []
    for a in arguments(law, name):
        if a == "p":
            values.append(p)
        elif a == "s":
            values.append(state(law, p, rng))
        else:
            values.append(argument(a, given[a], rng))
    return values


def state(law: Physics, p: Any, rng: np.random.Generator) -> Any:
    s = law.module.start(*call(law, "start", p, rng))
    steps = ("drift", "kick") if law.kind == "rotor" else ("step",)
    for _ in range(int(rng.integers(4))):
        for name in steps:
            given = units(law, name)
            moved = [argument(a, u, rng) for a, u in given.items() if a not in {"return", "h"}]
            step = [argument("h", "s", rng)] if "h" in given else []
            s = getattr(law.module, name)(s, *moved, p, *step)
    return s


def flat(values: Any) -> list[float]:
    """The numbers in nested tuples."""
    if isinstance(values, (tuple, list)):
        return [number for value in values for number in flat(value)]
    return [float(values)]
