"""The text that was checked is the text that runs, and it reaches nothing."""

import os
import py_compile
import sys
from pathlib import Path

import pytest

from pliant.catalogue import load_law
from pliant.errors import PliantError
from pliant.lower.law import lower_law
from pliant.lower.units import check_units
from pliant.subset import check_source

from .laws import RUN, with_


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


@pytest.mark.filterwarnings("error")
def test_an_escape_that_python_warns_of_is_no_matter(here: Path) -> None:
    path = here / "mine.py"
    path.write_text(with_().replace('"""', '"""\\s ', 1))
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5


def test_a_constant_in_no_unit_is_told_with_its_place(here: Path) -> None:
    path = here / "mine.py"
    path.write_text(with_('G: Annotated[float, "counts/s^2"] = 9.81'))
    with pytest.raises(PliantError, match=r"mine\.py: G: not a unit; found 'counts/s\^2'"):
        check_units(load_law("friction_budget", str(path)))
