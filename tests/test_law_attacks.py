"""Files that try to run something, to grow without end, or to be something else than was checked.

Every one is refused with one error that names the file, and nothing runs: the docs list them
(docs/own_laws.md). What Python would make of an attack is not asked: the marker would tell.
"""

import os
import py_compile
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pliant.catalogue import law_files, load_law, load_topology, topology_files
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.lower.law import lower_law
from pliant.lower.units import check_units
from pliant.ports import FAMILIES
from pliant.subset import check_source

HEAD = '''"""Friction."""
from math import exp
from typing import Annotated, NamedTuple
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
'''
BODY = """def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c
"""
RUN = "__import__('os').mkdir('ran')"


def with_(top: str = "", *, body: str = "return p.K_c", bottom: str = "") -> str:
    budget = f"def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:\n    {body}\n"
    return f"{HEAD}{top}\n{budget}{bottom}\n"


REFUSED = {
    # Imports.
    "sys out of typing": with_(
        "from typing import sys\nOS = 'os'\nCMD = 'mkdir ran'",
        body="return p.K_c + 0.0 * sys.modules.get(OS).system(CMD)",
    ),
    "sys out of typing, under another name": with_("from typing import sys as pi"),
    "typing's own collections": with_("from typing import collections"),
    "builtins": with_("from builtins import eval"),
    "the import system": with_("from importlib import import_module"),
    "a module of the package": with_("from pliant.catalogue import importlib"),
    "what ports imports": with_("from pliant.ports import Any"),
    "a dunder of a law": with_("from pliant.laws.friction_budget.m1 import __builtins__"),
    "a law's own import": with_("from pliant.laws.friction_budget._stribeck import exp"),
    "the loader of a family": with_("from pliant.laws.friction_budget import __loader__"),
    "a family that is none": with_("from pliant.laws import friction_budget"),
    "up and out of the laws": with_("from pliant.laws...catalogue import os"),
    "a law in other letters": with_("from pliant.laws.friction_budget import M1"),
    "a family in other letters": with_("from pliant.laws.Friction_budget import m1"),
    "everything": with_("from math import *"),
    "everything of typing": with_("from typing import *"),
    "the future": with_("from __future__ import annotations"),
    "a module as such": with_("import math"),
    "a module in a function": with_(body="import os\n    return p.K_c"),
    "a family with a dot": with_("from pliant.laws.friction_budget.m1.P import count"),
    # Names.
    "float is a string that is evaluated": HEAD.replace("class P", f'float = "{RUN}"\nclass P')
    + BODY,
    "float is another function": with_("from math import exp as float"),
    "NamedTuple is another": with_("from math import floor as NamedTuple"),
    "Annotated is a law": with_("from pliant.laws.friction_budget import m1 as Annotated"),
    "a name of builtins": with_(body=f"return eval({RUN!r})"),
    "the builtins": with_(body="return __builtins__"),
    "the loader": with_(body="return __loader__.path"),
    "a dunder that is defined": with_("__getattr__ = 1.0"),
    "a function that Python would call": with_(
        "def __getattr__(name: float) -> float:\n    return name"
    ),
    "hooks of the class": with_().replace("    K_c", "    __slots__: float\n    K_c"),
    "a field that hides a method": with_().replace("    K_c", "    count: float\n    K_c"),
    "a field of the tuple": with_(body="return p._asdict()"),
    "a method of the tuple": with_(body="return p.count(1.0)"),
    "a method of a number": with_(body="return v.hex()"),
    "a part of a number": with_(body="return v.real"),
    "a dunder of a number": with_(body="return v.__class__"),
    "a dunder of a function": with_(body="return exp.__self__"),
    "a dunder of a literal": with_(body="return (1.0).__class__"),
    "letters that look alike": with_(body="return p.K\u0441"),  # Cyrillic
    "letters that Python makes others of": with_(body="return \uff3f\uff3fimport\uff3f\uff3f"),
    "two of one name": with_("def budget(v: float) -> float:\n    return v"),
    "two arguments of one name": with_("def f(v: float, v: float) -> float:\n    return v"),
    "an argument given twice": with_(body="return budget(v=v, v=v, tau_m=v, tau_e=v, p=p)"),
    "two underscores": with_("def math__exp(v: float) -> float:\n    return v"),
    "a name of 10 000 letters": with_(f"{'a' * 10_000} = 1.0"),
    # Strings, and what evaluates them.
    "an annotation that is a string": with_().replace("-> float", f"-> {RUN!r}"),
    "an argument's annotation": with_().replace("v: float", f"v: {RUN}"),
    "an annotation of a field": with_().replace("Annotated[float, ", f"Annotated[{RUN!r}, "),
    "a call in a field's annotation": with_().replace('"N m"', RUN),
    "a call in a range": with_().replace("(0.0, 1.0)", f"({RUN}, 1.0)"),
    "an annotation of a variable": with_(body=f"x: {RUN} = v\n    return x"),
    "an annotation of a constant": with_(f"X: {RUN} = 1.0"),
    "an annotation of a port": with_(f"x: {RUN}"),
    "a port that is a string": with_(f"x: {RUN!r}"),
    "a format": with_(body=f"return f'{{{RUN}}}'"),
    "a format for a docstring": with_(f'f"{{{RUN}}}"'),
    "a docstring that is added to": with_(f'"" + {RUN}'),
    "bytes": with_(body="return b'x'"),
    "a string in a constant": with_("CMD = 'mkdir ran'"),
    "a string in a unit": with_('COMMAND = "os; import os"'),
    "a string in a reduction": with_('REDUCES_TO = {"../m1": {"K_c": 0.0}}'),
    "a call in a reduction": with_(f'REDUCES_TO = {{"m1": {{"K_c": {RUN}}}}}'),
    "a reduction that unpacks": with_('REDUCES_TO = {**{"m1": {}}}'),
    "a second string in a function": with_(body='"one"\n    "two"\n    return p.K_c'),
    # Statements.
    "a decorator": with_().replace("def budget", f"@{RUN}\ndef budget"),
    "a decorator of a class": with_().replace("class P", "@exp\nclass P"),
    "a default": with_().replace("p: P)", f"p: P = {RUN})"),
    "a keyword default": with_().replace("p: P)", f"*, p: P = {RUN})"),
    "a class body": with_().replace("    K_c", f"    {RUN}\n    K_c"),
    "a method": with_().replace(
        "    K_c", "    def f(self) -> float:\n        return 1.0\n    K_c"
    ),
    "a value of a field": with_().replace(", (0.0, 1.0)]", f"] = {RUN}"),
    "a metaclass": with_().replace("(NamedTuple)", f"(NamedTuple, metaclass={RUN})"),
    "a base": with_().replace("(NamedTuple)", f"({RUN})"),
    "a statement at the end": with_(bottom=RUN),
    "a statement behind a semicolon": with_(f"X = 1.0; {RUN}"),
    "a statement in an if": with_(f"if True:\n    {RUN}"),
    "an assignment in an expression": with_(body=f"return (x := {RUN})"),
    "a lambda": with_(body=f"return (lambda: {RUN})()"),
    "a comprehension": with_(body=f"return max(x for x in {RUN})"),
    "an await": with_(body=f"return await {RUN}"),
    "a yield": with_(body=f"yield {RUN}"),
    "a global": with_(body="global K\n    K = 1.0\n    return p.K_c"),
    "a delete": with_(body="del p\n    return v"),
    "a match": with_(body="match v:\n        case float():\n            return v"),
    "a star": with_(body="return max(*p)"),
    "two stars": with_(body="return budget(**p)"),
    "an index": with_(body="return p[0]"),
    "a subscript of a type": with_(body="return float[0]"),
    "a target that is an attribute": with_(body="p.K_c = 1.0\n    return v"),
    "a constant that unpacks": with_("(A, B) = (1.0, 2.0)"),
    "a matrix product": with_(body="return v @ v"),
    "a power": with_(body="return 9 ** 9 ** 9"),
    "a shift": with_(body="return 1 << 99999999"),
    # Functions as values.
    "a function in a variable": with_(body="f = exp\n    return f(v)"),
    "a function handed on": with_(body="return max(exp, v)"),
    "a class as a value": with_(body="q = P\n    return v"),
    "a law as a value": with_(
        "from pliant.laws.friction_budget import m1", body="q = m1\n    return v"
    ),
    "what a law imported": with_(
        "from pliant.laws.friction_budget import m2", body="return m2.m1.budget(v, v, v, p)"
    ),
    "a tuple that doubles": with_(body="q = p + p\n    return v"),
    "a tuple that is multiplied": with_(body="q = p * 1000000000\n    return v"),
    "a truth that counts": with_(body="return (v > 0.0) + (v > 0.0)"),
    "a call of what was called": with_(body="return exp(v)(v)"),
    "a builtin with other arguments": with_(body="return float(p)"),
    "a builtin by keyword": with_(body="return max(v, v, key=exp)"),
    # Size.
    "an integer of 5 000 digits": with_(body=f"return {'9' * 5000}"),
    "an integer of 400 digits": with_(body=f"return {'9' * 400}"),
    "an imaginary number": with_(body="return 1j"),
    "199 calls in each other": with_(body=f"return {'abs(' * 199}v{')' * 199}"),
    "1 000 brackets": with_(body=f"return {'(' * 1000}v{')' * 1000}"),
    "10 000 signs": with_(body=f"return {'-' * 10_000}v"),
    "100 000 sums": with_(body=f"return {'v + ' * 100_000}v"),
    "5 000 dots": with_(body=f"return p{'.K_c' * 5000}"),
    "100 ifs in each other": with_(
        body="".join(f"{' ' * (4 * k)}if v > 0.0:\n    " for k in range(90))
        + " " * 360
        + "return v"
    ),
    "500 elifs": with_(
        body="if v > 0.0:\n        return v\n    "
        + "".join(f"elif v > {k}.0:\n        return v\n    " for k in range(500))
        + "return v"
    ),
    "a function that calls itself": with_(body="return budget(v, tau_m, tau_e, p)"),
    "two that call each other": with_(
        "def f(v: float) -> float:\n    return g(v)\ndef g(v: float) -> float:\n    return f(v)"
    ),
    "a law of a million lines": with_("X = 1.0\n" * 200_000),
    "calls that double, 60 deep": with_(
        "def f0(v: float) -> float:\n    return v\n"
        + "".join(
            f"def f{k}(v: float) -> float:\n    return f{k - 1}(v) + f{k - 1}(v)\n"
            for k in range(1, 60)
        ),
        body="return f59(v)",
    ),
    "300 calls in each other": with_(
        "".join(f"def f{k}(v: float) -> float:\n    return f{k + 1}(v)\n" for k in range(300))
        + "def f300(v: float) -> float:\n    return v\n",
        body="return f0(v)",
    ),
    # Text.
    "a null byte": with_("X = 1.0\0"),
    "a line that is not finished": with_("X = (1.0,"),
    "spaces and tabs": with_(body="x = v\n\treturn x"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A law that is run makes a folder here."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_no_law_is_refused(here: Path, text: str) -> None:
    path = here / "mine.py"
    path.write_text(text, "utf-8")
    with pytest.raises(PliantError) as caught:
        load_law("friction_budget", str(path))
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert len(said) < 1000


def test_the_law_that_all_of_them_change_is_accepted(here: Path) -> None:
    path = here / "mine.py"
    path.write_text(with_())
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5


@pytest.mark.parametrize(
    "cookie", ["# coding: utf-7", "# -*- coding: rot13 -*-", "# vim: set fileencoding=utf-16 :"]
)
def test_a_cookie_does_not_change_what_is_read(here: Path, cookie: str) -> None:
    """In UTF-7 `+AAo-` is a line break: the comment would end, and code begin."""
    path = here / "mine.py"
    path.write_text(f"{cookie}\n# +AAo-{RUN}\n{with_()}")
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5


def test_letters_that_python_folds_are_those_that_were_checked(here: Path) -> None:
    """`\uff45xp` is `exp` to Python, and was checked as such."""
    path = here / "mine.py"
    path.write_text(with_(body="return p.K_c * \uff45xp(0.0)"), "utf-8")
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5


def test_bytecode_beside_a_law_is_not_run(here: Path) -> None:
    """As Python would: of the same name, size and time."""
    path, evil = here / "mine.py", here / "evil.py"
    clean = with_()
    path.write_text(clean)
    evil.write_text(f"{RUN}\n{clean}")
    cache = here / "__pycache__" / f"mine.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(
        str(evil), str(cache), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5
    assert lower_law(law, "python").functions
    made = sorted(p.name for p in here.rglob("*.pyc"))
    assert made == [cache.name]


def test_what_is_compiled_is_what_was_checked(here: Path) -> None:
    """The file changes between the check and the compiler."""
    path = here / "mine.py"
    path.write_text(with_())
    check_source(path)
    path.write_text(f"{RUN}\n{with_(body='return 2.0 * p.K_c')}")
    law = load_law("friction_budget", str(path))
    lowered = lower_law(law, "python")
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5
    assert lowered.functions["budget"](1.0, 0.0, 0.0, lowered.structures["P"](0.5)) == 0.5


def test_a_checked_law_reaches_nothing(here: Path) -> None:
    path = here / "mine.py"
    path.write_text(with_())
    law = load_law("friction_budget", str(path))
    reached = law.module.budget.__globals__
    assert set(reached["__builtins__"]) == {"abs", "min", "max", "float"}
    assert not [name for name, value in reached.items() if type(value) is type(os)]
    assert law.module.__name__ not in sys.modules


def test_whole_numbers_do_not_grow(here: Path) -> None:
    """`floor` gives an integer in Python: squared 60 times it would fill the memory."""
    squares = "\n    ".join(["n = n * n"] * 60)
    path = here / "mine.py"
    path.write_text(
        with_(
            "from math import ceil, floor, trunc",
            body=f"n = floor(v) * 3\n    {squares}\n    return n",
        )
    )
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1e9, 0.0, 0.0, law.module.P(0.5)) == float("inf")
    lowered = lower_law(law, "python")
    assert lowered.functions["budget"](1e9, 0.0, 0.0, lowered.structures["P"](0.5)) == float("inf")


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "large"])
def test_what_is_no_file_of_text_is_refused_at_once(here: Path, kind: str) -> None:
    path = here / "mine.py"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text(f"{with_()}#{' ' * 2_000_000}")
    with pytest.raises(PliantError):
        check_source(path)
    with pytest.raises(PliantError):
        load_law("friction_budget", str(path))


def test_deep_laws_are_refused_on_a_small_stack_too(here: Path) -> None:
    """In a thread whose stack is the smallest that threads are given."""
    path = here / "mine.py"
    path.write_text(REFUSED["100 000 sums"])
    said: list[str] = []

    def check() -> None:
        try:
            check_source(path)
        except PliantError as error:
            said.append(str(error))

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert said and said[0].startswith(f"{path}: ")


def test_the_deepest_law_that_is_accepted_compiles(here: Path) -> None:
    def nested(levels: int) -> str:
        return with_(body=f"return {'abs(' * levels}p.K_c{')' * levels}")

    path = here / "deep.py"
    path.write_text(nested(54))
    law = load_law("friction_budget", str(path))
    for target in ("python", "numba"):
        lowered = lower_law(law, target)
        assert lowered.functions["budget"](1.0, 0.0, 0.0, lowered.structures["P"](0.5)) == 0.5
    path = here / "deeper.py"
    path.write_text(nested(60))
    with pytest.raises(PliantError, match="is nested too deeply"):
        load_law("friction_budget", str(path))


TOML = Path(__file__).parents[1] / "examples" / "own_law" / "xl330_tanh.toml"


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


def test_the_law_of_the_report(here: Path) -> None:
    """`pliant show` of an actuator whose law imports `sys` through `typing` ran its command."""
    (here / "tanh_friction.py").write_text(REFUSED["sys out of typing"])
    (here / "device.toml").write_text(TOML.read_text())
    ended = subprocess.run(
        [sys.executable, "-m", "pliant.cli", "show", "device.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert f"{here / 'tanh_friction.py'}: line " in ended.stderr
    assert "Traceback" not in ended.stderr


MUTATIONS = int(os.environ.get("PLIANT_MUTATIONS", "300"))
ODD = [RUN, "lambda: 0", "eval", "__class__", "sys", "'x'", "1j", "9" * 30, "1e999", "None", "..."]
ODD += [
    "@",
    "await",
    "import",
    "from",
    "**",
    ":=",
    "[0]",
    "{}",
    "\0",
    "\u0441",
    "\uff45",
    "_x",
    "a__b",
]
ODD += ["\\", "\f", "\t", "#", "if True:", "class", "return", "float", "P", "S", "Parameters", "\n"]


def mutated(text: str, words: list[str], rng: random.Random) -> str:
    """Some of its words replaced, put in, left out, exchanged or said twice."""
    for _ in range(rng.randint(1, 4)):
        parts = re.findall(r"\w+|[^\w\s]|\s+", text)
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(5):
            case 0:
                parts[i] = rng.choice(words)
            case 1:
                parts.insert(i, rng.choice(words))
            case 2:
                del parts[i]
            case 3:
                parts[i], parts[j] = parts[j], parts[i]
            case _:
                parts[i:i] = parts[i : i + rng.randint(1, 60)]
        text = "".join(parts)
    return text


@pytest.mark.parametrize("seed", range(4))
def test_mutated_laws_are_laws_or_refused_with_their_place(here: Path, seed: int) -> None:
    rng = random.Random(seed)
    known = [(f, p.read_text()) for f in FAMILIES for p in law_files(f).values()]
    known += [("topology", p.read_text()) for p in topology_files().values()]
    words = ODD + sorted({w for _, text in known for w in re.findall(r"\w+|[^\w\s]", text)})
    for k in range(MUTATIONS // 4):
        family, text = rng.choice(known)
        path = here / f"mutated_{k}.py"
        path.write_text(mutated(text, words, rng), "utf-8", newline="")
        try:
            if family == "topology":
                load_topology(str(path))
            else:
                check_units(load_law(family, str(path)))
        except PliantError as error:
            said = str(error)
        else:
            continue
        assert said.startswith(str(path))
