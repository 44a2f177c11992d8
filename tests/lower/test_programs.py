"""Random programs of the subset: every target computes what Python makes of the text."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lower.interpreter import run
from pliant.lower import machine
from pliant.lower.infer import Inference
from pliant.lower.law import lower
from pliant.lower.link import Linker
from pliant.lower.program import typed
from pliant.lower.source import read_source
from pliant.lower.verify import verify

HEAD = """from math import cos, copysign, exp, floor, hypot, pow, sin, sqrt, tanh
from typing import NamedTuple

class P(NamedTuple):
    k: float
    d: float

"""
CALLS = (
    "sin({})",
    "cos({})",
    "exp(-abs({}))",
    "sqrt(abs({}))",
    "floor({})",
    "tanh({})",
    "abs({})",
    "copysign({}, {})",
    "hypot({}, {})",
    "pow(1.0 + abs({}), 0.3)",
    "min({}, {}, {})",
    "max({}, {})",
    "float({} > {})",
    "{} / (1.0 + abs({}))",
)
WIDTHS = (1, 2, 4, 8)
"""Lanes of a vector, from machines without vectors to AVX-512."""
LOOP = """
from pliant.lower.lanes import put, row

def lanes(x: Vector, y: Vector, n: int) -> int:
    for k in range(n):
        p = P(row(x, 5 * k + 3), row(x, 5 * k + 4))
        put(y, k, f(row(x, 5 * k), row(x, 5 * k + 1), row(x, 5 * k + 2), p))
    return n
"""


class Writer:
    """A function of the subset, by chance."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = ["a", "b", "c", "p.k", "p.d"]

    def number(self, depth: int) -> str:
        kind = self.rng.randrange(6) if depth else 0
        if kind <= 1:
            return self.rng.choice([*self.names, repr(round(self.rng.uniform(-2, 2), 2)), "2"])
        if kind == 2:
            text = self.rng.choice(CALLS)
            return text.format(*(self.number(depth - 1) for _ in range(text.count("{}"))))
        if kind == 3:
            test = self.test(depth - 1)
            return f"({self.number(depth - 1)} if {test} else {self.number(depth - 1)})"
        x, y = self.number(depth - 1), self.number(depth - 1)
        return f"({x} {self.rng.choice('+-*')} {y})"

    def test(self, depth: int) -> str:
        compare = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        x, y = self.number(depth), self.number(depth)
        text = f"{x} {compare} {y}"
        kind = self.rng.randrange(5) if depth else 0
        if kind == 1:
            return f"({text}) {self.rng.choice(['and', 'or'])} ({self.test(depth - 1)})"
        if kind == 2:
            return f"not ({text})"
        return f"-1.0 < {x} < {y}" if kind == 3 else text

    def block(self, depth: int, indent: str) -> list[str]:
        known, lines = [*self.names], list[str]()
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.randrange(5) if depth else self.rng.randrange(2)
            own = [name for name in self.names if len(name) == 2]
            if kind == 0 and own:
                lines.append(f"{indent}{self.rng.choice(own)} += {self.number(2)}")
            elif kind <= 1:
                name = f"x{len(self.names)}"
                lines.append(f"{indent}{name} = {self.number(2)}")
                self.names.append(name)
            else:
                lines += [f"{indent}if {self.test(1)}:", *self.block(depth - 1, indent + "    ")]
                if kind == 3:
                    lines.append(f"{indent}    return {self.number(2)}")
                if kind == 4:
                    lines += [f"{indent}else:", *self.block(depth - 1, indent + "    ")]
        self.names = known if depth < 2 else self.names
        return lines

    def text(self) -> str:
        body = [*self.block(2, "    "), f"    return {self.number(3)}"]
        return "\n".join([HEAD, "def f(a: float, b: float, c: float, p: P) -> float:", *body, ""])


def in_lanes(path: Path, x: np.ndarray, width: int) -> np.ndarray:
    """f of `width` rows of x at a time."""
    linker = Linker()
    entries = {linker.function(read_source(path, "own"), "lanes").name: "lanes"}
    program = typed(linker, entries, width)
    verify(program)
    y = np.empty(len(x))
    flat = x.reshape(-1, width, x.shape[1]).transpose(0, 2, 1).ravel().copy()
    machine.compiled(program, "random").functions["lanes"](flat, y, len(x) // width)
    return y


def in_python(text: str, x: np.ndarray) -> np.ndarray:
    """f of each row, as Python runs the text itself."""
    space: dict[str, Any] = {}
    exec(text, space)
    return np.array([space["f"](*row[:3], space["P"](*row[3:])) for row in x.tolist()])


@pytest.mark.parametrize("seed", range(60))
def test_every_target_computes_what_python_does(tmp_path: Path, seed: int) -> None:
    text = Writer(seed).text()
    path = tmp_path / "own.py"
    path.write_text(text)
    x = np.random.default_rng(seed).uniform(-2.0, 2.0, (16, 5))
    expected = in_python(text, x)
    linker = Linker()
    name = linker.function(read_source(path, "own"), "f").name
    inference = Inference(linker)
    function = inference.declared(name)
    verify(inference.program)
    tree = [run(function, [*row[:3], tuple(row[3:])]) for row in x.tolist()]
    np.testing.assert_array_equal(tree, expected)
    for target, tolerance in (("python", 0.0), ("llvm", 1e-14)):
        [lowered] = lower([read_source(path, "own")], target)
        np.testing.assert_allclose(lowered.evaluate("f", x)[:, 0], expected, tolerance, 1e-15)
    loop = tmp_path / "loop.py"
    loop.write_text(text + LOOP)
    found = in_lanes(loop, x, WIDTHS[seed % len(WIDTHS)])
    np.testing.assert_allclose(found, expected, 1e-13, 1e-14)


def test_warp_computes_what_python_does(tmp_path: Path) -> None:
    """In float32, where a rounding does not decide between two branches: all programs in one module."""
    pytest.importorskip("warp")
    texts = [Writer(seed).text() for seed in range(60)]
    paths = [tmp_path / f"own_{k}.py" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    rng = np.random.default_rng(1)
    x = rng.uniform(-2.0, 2.0, (32, 5)).astype(np.float32).astype(np.float64)
    compared = 0
    for text, one in zip(
        texts, lower([read_source(path, path.stem) for path in paths], "warp"), strict=True
    ):
        expected = in_python(text, x)
        near = [
            in_python(text, x * (1.0 + 1e-5 * rng.uniform(-1.0, 1.0, x.shape))) for _ in "12345"
        ]
        spread, size = np.ptp([expected, *near], axis=0), 1.0 + np.abs(expected)
        smooth = spread < 1e-3 * size
        off = np.abs(one.evaluate("f", x)[:, 0] - expected)
        assert (off <= 3.0 * spread + 2e-5 * size)[smooth].all(), text
        compared += smooth.sum()
    assert compared > 0.9 * len(texts) * len(x)
