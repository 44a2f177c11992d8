"""The typed tree: types and constants as they must be, and errors with the law and its line."""

from pathlib import Path

import pytest

from pliant.errors import PliantError
from pliant.lower import typed as t
from pliant.lower.infer import Inference
from pliant.lower.link import Linker
from pliant.lower.python_text import shown
from pliant.lower.source import read_source
from pliant.lower.types import FLOAT, INTEGER, TRUTH
from pliant.lower.verify import verify

HEAD = "from typing import NamedTuple\n\nclass P(NamedTuple):\n    k: float\n\n"


def tree(tmp_path: Path, text: str, *kinds: object) -> t.Function:
    path = tmp_path / "own.py"
    path.write_text(HEAD + text)
    linker = Linker()
    name = linker.function(read_source(path, "own"), "f").name
    return Inference(linker).function(name, list(kinds))  # type: ignore[arg-type]


def test_a_tree_can_be_read(tmp_path: Path) -> None:
    f = tree(
        tmp_path,
        "def f(x: float):\n    n = 0\n    if x > 1:\n        n = 2 * x\n    return n\n",
        FLOAT,
    )
    assert shown(t.Program([f])).splitlines() == [
        "def own__f(x: float) -> float:  # own.py",
        "    n: float = 0.0  # 7",
        "    if (x > 1.0):  # 8",
        "        n: float = (2.0 * x)  # 9",
        "    return n  # 10",
    ]


def test_constants_are_folded_and_dead_branches_gone(tmp_path: Path) -> None:
    text = "A = 2\n\ndef f(x: float):\n    if A * 3 == 6 and not A > 2:\n        return x\n    return 1 / 0\n"
    [only] = tree(tmp_path, text, FLOAT).body
    assert isinstance(only, t.Return) and isinstance(only.value, t.Var)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "def f(x: float):\n    if x > 0.0:\n        y = P(x)\n    else:\n        y = x\n    return y\n",
            "line 10, f(): y cannot hold both types; found 'float'; accepted: own__P",
        ),
        (
            "def g(p: P) -> float:\n    return p.k\n\ndef f(x: float):\n    return g(x)\n",
            "line 10, f(): p takes another type; found 'float'; accepted: own__P",
        ),
        (
            "def f(x: float) -> float:\n    return P(x)\n",
            "line 7, f(): returns another type; found 'own__P'; accepted: float",
        ),
        (
            "def f(x: float):\n    return P(x).j\n",
            "line 7, f(): own__P has no such field; found 'j'; accepted: ['k']",
        ),
        ("def f(x: float):\n    return P(x) + 1\n", "line 7, f(): is not a number; found 'own__P'"),
        (
            "def f(x: float):\n    return x or 2.0 * x\n",
            "line 7, f(): joins numbers; found 'x or 2.0 * x'; accepted: comparisons",
        ),
    ],
)
def test_types_that_do_not_fit_are_refused_with_both(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PliantError) as caught:
        tree(tmp_path, text, FLOAT)
    assert str(caught.value) == f"{tmp_path / 'own.py'}: {said}"


def unsound() -> dict[str, list[t.Statement]]:
    x, n = t.Var(FLOAT, "x"), t.Const(INTEGER, 1)
    return {
        "x has another type": [t.Set(3, "x", n)],
        "no such variable": [t.Set(3, "y", x)],
        "a test has another type": [t.If(3, x, [], [])],
        "an operand has another type": [t.Do(3, t.Binary(FLOAT, "add", x, n))],
        "a comparison has another type": [t.Do(3, t.Compare(FLOAT, "lt", x, x))],
        "what is returned has another type": [t.Return(3, t.Const(TRUTH, True))],
        "break outside a loop": [t.Break(3)],
        "no element": [t.Do(3, t.Load(FLOAT, x, [n]))],
        "no such field": [t.Do(3, t.Get(FLOAT, x, 0))],
    }


@pytest.mark.parametrize("problem", list(unsound()))
def test_an_unsound_tree_is_refused_with_its_line(problem: str) -> None:
    function = t.Function("own__f", "own__f", Path("own.py"), [("x", FLOAT)], {"x": FLOAT}, FLOAT)
    function.body = [t.While(2, t.Const(TRUTH, False), []), *unsound()[problem]]
    with pytest.raises(
        PliantError, match=f"own.py: line 3, f.*the typed tree is unsound: {problem}"
    ):
        verify(t.Program([function]))


UNSET = {
    "if x > 0.0:\n        y = x\n    return y": 9,
    "for k in range(n):\n        y = x\n    return y": 9,
    "while x > 0.0:\n        y = x\n        x -= 1.0\n    return 2.0 * y": 10,
    "for k in range(n):\n        if x > k:\n            break\n        y = x\n    return y": 11,
}
SET = [
    "if x > 0.0:\n        y = x\n    else:\n        return x\n    return y",
    "for k in range(n):\n        if x > k:\n            continue\n        y = x\n        x = y\n    return x",
    "y = x\n    for k in range(n):\n        y += x\n    return y",
    "if n > 0 and x > 1.0:\n        y, z = x, n\n        x = y * z\n    return x",
]


@pytest.mark.parametrize(("body", "line"), [*UNSET.items(), *((body, 0) for body in SET)])
def test_a_variable_that_a_path_leaves_unset_is_refused_with_its_line(
    tmp_path: Path, body: str, line: int
) -> None:
    f = tree(tmp_path, f"def f(x: float, n: int):\n    {body}\n", FLOAT, INTEGER)
    if not line:
        verify(t.Program([f]))
        return
    with pytest.raises(PliantError) as caught:
        verify(t.Program([f]))
    assert str(caught.value) == (
        f"{tmp_path / 'own.py'}: line {line}, f(): the typed tree is unsound: a variable may be unset; "
        "found 'y'; accepted: an assignment on every path before it"
    )
