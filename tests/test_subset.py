"""The subset of Python for laws: what is accepted, and the messages where it is not."""

from pathlib import Path

import pytest

from pliant.errors import PliantError
from pliant.subset import MATH, check_source

ACCEPTED = (
    "; accepted: floats, if, assignment, + - * / and comparisons, abs, min, max, functions of "
    "math, other laws, named tuples"
)
OUTSIDE = "outside the subset of Python for laws; found "
HEAD = "from math import exp\nfrom typing import Annotated, NamedTuple\n"
BODY = {
    "for i in p:\n        x = 1.0\n    return x": "a loop",
    "while x > 0.0:\n        x = x - 1.0\n    return x": "a loop",
    "return [x for y in x]": "a comprehension",
    "return max(y for y in x)": "a comprehension",
    "return x[0]": "an index",
    "return x ** 2": "** (use math.pow)",
    "return x % 2.0": "% (use math.floor)",
    "return x // 2.0": "// (use math.floor)",
    "return x @ x": "MatMult",
    "return f'{x}'": "a string",
    "return 'fast'": "\"'fast'\"",
    "return None": "'None'",
    "return": "'return'",
    "return (x, x)": "a tuple",
    "return [x]": "a list",
    "return {1.0: x}": "a dictionary",
    "return (lambda y: y)(x)": "a lambda",
    "raise ValueError": "raise",
    "assert x > 0.0\n    return x": "assert",
    "try:\n        return x\n    finally:\n        x = 1.0": "try",
    "with x:\n        return x": "with",
    "import os\n    return x": "import",
    "def g(y: float) -> float:\n        return y\n    return g(x)": "a function in a function",
    "class G:\n        pass\n    return x": "a class in a function",
    "global Y\n    return x": "'global Y'",
    "exp(x)\n    return x": "'exp(x)'",
    "x.y = 2.0\n    return x": "'x.y = 2.0'",
    "x.y += 2.0\n    return x": "'x.y += 2.0'",
    "x, y = 1.0, 2.0\n    return x": "'x, y = (1.0, 2.0)'",
    "x = y = 1.0\n    return x": "'x = y = 1.0'",
    "y: float\n    return x": "'y: float'",
    "return exp(*x)": "'*x'",
    "return exp(**x)": "'x'",
    "return (y := x)": "'(y := x)'",
    "return x if x is x else 1.0": "Is",
    "return 1j * x": "'1j'",
}


def law(folder: Path, text: str) -> Path:
    path = folder / "law.py"
    path.write_text(text)
    return path


def message(path: Path) -> str:
    with pytest.raises(PliantError) as caught:
        check_source(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


@pytest.mark.parametrize(("body", "found"), BODY.items(), ids=lambda text: text.split("\n")[0])
def test_outside_the_subset(tmp_path: Path, body: str, found: str) -> None:
    path = law(tmp_path, f"{HEAD}\ndef f(x: float) -> float:\n    {body}\n")
    shown = found if found[0] in "'\"" else repr(found)
    assert message(path) == f"line 5: {OUTSIDE}{shown}{ACCEPTED}"


def test_the_line_is_the_one_of_the_fault(tmp_path: Path) -> None:
    path = law(
        tmp_path,
        f"{HEAD}\ndef f(x: float) -> float:\n    if x > 1.0:\n        x = x[0]\n    return x\n",
    )
    assert message(path).startswith("line 6: ")


IMPORTS = "a law imports only math, typing and other laws; found "
MODULES = "; accepted: math, typing, pliant.laws, pliant.ports"
NAMES = "a law imports names, not modules; found "
FUNCTIONS = (
    "a law's functions need annotated positional arguments and results (float, or a named tuple), "
    "and no defaults or decorators; found 'def f'"
)
CLASSES = (
    "a law's only classes are named tuples of floats, without methods or defaults; found 'class P'"
)
MODULE = {
    "import numpy as np": f"{IMPORTS}'numpy'{MODULES}",
    "from numpy import exp": f"{IMPORTS}'numpy'{MODULES}",
    "from . import m1": f"{IMPORTS}'a relative import'{MODULES}",
    "from pliant.lawsuit import x": f"{IMPORTS}'pliant.lawsuit'{MODULES}",
    "import math": NAMES
    + "'import math'; accepted: from math import exp; from pliant.laws.friction_budget import m1",
    "from math import fsum": "not a function of math available in every target; found 'fsum'; "
    "accepted: " + ", ".join(sorted(MATH)),
    "def f(x: float, y: float = 1.0) -> float:\n    return x": FUNCTIONS,
    "def f(x) -> float:\n    return x": FUNCTIONS,
    "def f(x: float):\n    return x": FUNCTIONS,
    "def f(x: 'float') -> float:\n    return x": FUNCTIONS,
    "def f(*x: float) -> float:\n    return 1.0": FUNCTIONS,
    "def f(x: float, /) -> float:\n    return x": FUNCTIONS,
    "def f(*, x: float) -> float:\n    return x": FUNCTIONS,
    "@exp\ndef f(x: float) -> float:\n    return x": FUNCTIONS,
    "def f(x: float) -> float:\n    if x > 0.0:\n        return x": "a law's function must return on every path; found 'def f'",
    "class P:\n    k: float": CLASSES,
    "class P(NamedTuple):\n    k: float = 1.0": CLASSES,
    "class P(NamedTuple):\n    k: Annotated[float, print()]": CLASSES,
    "class P(NamedTuple):\n    k: Annotated[int, '1']": CLASSES,
    "class P(NamedTuple):\n    def f(self) -> float:\n        return 1.0": CLASSES,
    "class P(NamedTuple, metaclass=exp):\n    k: float": CLASSES,
    "for i in ():\n    pass": OUTSIDE + "'a loop'" + ACCEPTED,
    "print('hello')": OUTSIDE + "\"print('hello')\"" + ACCEPTED,
    "G = 2.0 * 9.81": OUTSIDE + "'G = 2.0 * 9.81'" + ACCEPTED,
    "G: print() = 1.0": OUTSIDE + "'G: print() = 1.0'" + ACCEPTED,
    "async def f(x: float) -> float:\n    return x": OUTSIDE
    + "'async def f(x: float) -> float:\\n    return x'"
    + ACCEPTED,
}


@pytest.mark.parametrize(("text", "expected"), MODULE.items(), ids=lambda text: text.split("\n")[0])
def test_what_else_is_refused_in_a_law(tmp_path: Path, text: str, expected: str) -> None:
    line = 4 if text.startswith("@") else 3
    assert message(law(tmp_path, HEAD + text + "\n")) == f"line {line}: {expected}"


def test_an_unknown_name_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = law(tmp_path, f"{HEAD}\ndef f(speed: float) -> float:\n    return exp(sped)\n")
    assert message(path) == (
        "line 5: unknown name; found 'sped'; did you mean 'speed'?; accepted: "
        "abs, exp, f, float, max, min, speed"
    )


def test_what_is_no_python_is_refused(tmp_path: Path) -> None:
    assert message(law(tmp_path, "def f(:\n")) == "line 1: is not Python; found 'invalid syntax'"


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "law.py"
    path.write_bytes(b"\xff\xfe\x00")
    assert message(path) == "byte 0: is not UTF-8 text"


def test_the_whole_subset_is_accepted(tmp_path: Path) -> None:
    check_source(
        law(
            tmp_path,
            HEAD
            + '''
G: Annotated[float, "m/s^2"] = 9.81
SYMMETRIC = True
"""What it says."""

class P(NamedTuple):
    """Parameters."""
    k: Annotated[float, "N m/rad", (-1.0, 1e3)]

def f(x: float, p: P) -> float:
    """Text."""
    y: float = 2 * x
    y -= +G
    if not (x > 0 and y <= 1.0 or x != p.k):
        y = -exp(y) if 0 < x < 1 else min(x, y, 0.0)
    elif x == 2.0:
        return abs(x)
    else:
        return float(p.k)
    return y / x
''',
        )
    )


P = 'class P(NamedTuple):\n    K_c: Annotated[float, "N m"]\n    K_v: Annotated[float, "1"]\n'


def test_a_field_that_the_named_tuple_has_not_is_refused(tmp_path: Path) -> None:
    path = law(tmp_path, f"{HEAD}{P}def f(v: float, p: P) -> float:\n    return v * p.K_w\n")
    assert message(path) == (
        "line 7: P has no such field; found 'K_w'; did you mean 'K_v' or 'K_c'?; accepted: K_c, K_v"
    )


def test_a_field_of_an_empty_named_tuple_is_refused(tmp_path: Path) -> None:
    empty = "class S(NamedTuple):\n    pass\n"
    path = law(tmp_path, f"{HEAD}{empty}def f(s: S) -> float:\n    return s.x\n")
    assert message(path) == (
        "line 6: S has no such field; found 'x'; accepted: none: it has no fields"
    )


UNASSIGNED = {
    "if v > 0.0:\n        y = v\n    return y": 6,
    "if v > 0.0:\n        y = v\n    elif v < 0.0:\n        y = -v\n    return exp(y)": 8,
    "if v > 0.0:\n        z = v\n    else:\n        y = v\n    return y": 8,
    "y += v\n    return v": 4,
    "y = y + v\n    return y": 4,
    "if y > 0.0:\n        y = v\n    return v": 4,
}


@pytest.mark.parametrize(("body", "line"), UNASSIGNED.items())
def test_a_name_without_a_value_on_some_path_is_refused(
    tmp_path: Path, body: str, line: int
) -> None:
    assert message(law(tmp_path, f"{HEAD}def f(v: float) -> float:\n    {body}\n")) == (
        f"line {line}: is not set on every path to here; found 'y'; accepted: "
        "an assignment on every path before it"
    )


ASSIGNED = [
    "if v > 0.0:\n        y = v\n    else:\n        y = -v\n    return y",
    "if v > 0.0:\n        y = v\n    else:\n        return v\n    return y",
    "if v > 0.0:\n        return v\n    y = v\n    y += v\n    return y",
    "if v > 0.0:\n        v = -v\n    return v",
]


@pytest.mark.parametrize("body", ASSIGNED)
def test_a_name_with_a_value_on_every_path_is_accepted(tmp_path: Path, body: str) -> None:
    check_source(law(tmp_path, f"{HEAD}def f(v: float) -> float:\n    {body}\n"))
