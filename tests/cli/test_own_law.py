"""A broken law of one's own: what `pliant check` and the compiler say of it."""

from pathlib import Path

import pytest

from .conftest import TINY, Pliant

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_law"
LAW = '''"""Friction of mine."""
from typing import Annotated, NamedTuple
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
'''
BROKEN = {
    "return p.Q": "line 6: P has no such field; found 'Q'; accepted: K_c",
    "if v > 0.0:\n        y = p.K_c\n    return y": "line 8: is not set on every path to here; found 'y'; accepted: an "
    "assignment on every path before it",
    "return p.K_c * v": "budget(): returns another unit than its family's; found 'kg m^2 s^-3'; accepted: "
    '"N m", which is kg m^2 s^-2',
    "return p.K_c + v": "budget(), line 6: mixes units: sum: kg m^2 s^-2 with s^-1",
}


@pytest.fixture
def law(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


@pytest.mark.parametrize(("body", "said"), BROKEN.items())
def test_check(pliant: Pliant, law: Path, body: str, said: str) -> None:
    law.write_text(f"{LAW}    {body}\n", encoding="utf-8")
    ended = pliant("check", law)
    assert ended.code == 1
    assert f"  error: {said}\n" in ended.out


def test_a_variable_of_two_kinds_is_refused_before_the_compiler(
    pliant: Pliant, law: Path, logs: list[Path]
) -> None:
    law.write_text(
        f"{LAW}    x = p\n    if v > 0.0:\n        x = p.K_c\n    return x\n", encoding="utf-8"
    )
    ended = pliant(
        "identify", logs[0], *TINY, "--actuator", "xl330_bam_m1", "--law", f"friction={law}"
    )
    assert ended.code == 1
    last = ended.err.splitlines()[-1]
    assert (
        last
        == f"pliant: {law}: line 8: a variable can have only one kind; found 'x'; accepted: a P"
    )


def test_show_and_check_say_which_files_they_would_compile(pliant: Pliant, tmp_path: Path) -> None:
    for name in ("tanh_friction.py", "xl330_tanh.toml"):
        (tmp_path / name).write_text((EXAMPLE / name).read_text())
    own = tmp_path / "tanh_friction.py"
    assert f"friction is compiled from {own}\n" in pliant("show", tmp_path / "xl330_tanh.toml").out
    checked = pliant("check", tmp_path / "xl330_tanh.toml").out
    assert f"  note: friction: would be compiled from {own}\n" in checked
    assert "compiled from" not in pliant("show", "xl330_bam_m1").out
