"""Texts of laws: the one that is accepted, and those that are not."""

from pathlib import Path

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
    "a number where the parameters belong, doubled": with_().replace("p: P", "p: float"),
    "parameters of another law": with_("from pliant.laws.friction_budget.m6 import P as Q").replace(
        "p: P)", "p: Q)"
    ),
    # What one compiler takes and another does not, or takes otherwise.
    "a number as a condition": with_(body="return 1.0 if v else 0.0"),
    "the first number that is not 0": with_(body="return v or p.K_c"),
    "a number or a truth": with_(body="return p.K_c if v > 0.0 else v > 1.0"),
    "a truth made a number": with_(body="return float(v > 0.0)"),
    "a field called like a type of C": with_("class Q(NamedTuple):\n    int: float"),
    "an argument that Warp has too": with_("def f(ret: float) -> float:\n    return ret"),
    # Names that the assembly gives.
    "parameters of its own making": with_(
        "class Parameters(NamedTuple):\n    K_c: float\n    more: float\n"
        "def load_parameters(a: float, i: float) -> Parameters:\n    return Parameters(a, i)"
    ),
    "its own reader of numbers": with_(
        "def load_parameters(a: float, i: float) -> P:\n    return P(a)"
    ),
    "its own writer of numbers": with_(
        "def store_state(s: float, a: float, i: float) -> float:\n    return s"
    ),
    "its own width": with_("N_PARAMETERS = 300.0"),
    "another law's parameters as the whole's": with_(
        "from pliant.laws.friction_budget.m6 import P as Parameters"
    ),
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


TOML = Path(__file__).parents[2] / "examples" / "own_law" / "xl330_tanh.toml"
