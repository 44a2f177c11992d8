"""A broken law of one's own: what `pliant check` and the compiler say of it."""

from pathlib import Path

import pytest

from .conftest import TINY, Pliant

LAW = '''"""Friction of mine."""
from typing import Annotated, NamedTuple
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
'''
BROKEN = {
    "return p.Q": "line 6: P has no such field; found 'Q'; accepted: K_c",
    "if v > 0.0:\n        y = p.K_c\n    return y": "line 8: is read where not every path has given it a value; found 'y'; accepted: an "
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
    law.write_text(f"{LAW}    {body}\n")
    ended = pliant("check", law)
    assert ended.code == 1
    assert f"  error: {said}\n" in ended.out


def test_what_the_compiler_refuses(pliant: Pliant, law: Path, logs: list[Path]) -> None:
    law.write_text(f"{LAW}    x = p\n    if v > 0.0:\n        x = p.K_c\n    return x\n")
    ended = pliant(
        "identify", logs[0], *TINY, "--actuator", "xl330_bam_m1", "--law", f"friction={law}"
    )
    assert ended.code == 1
    last = ended.err.splitlines()[-1]
    assert last.startswith(f"pliant: {law}: cannot be compiled: Cannot unify friction_budget_mine_")
    assert last.endswith("__P(float64 x 1) and float64 for 'x.2'")
    assert "fault of Pliant" not in ended.err
