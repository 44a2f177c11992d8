"""A law of one's own, run on numbers that carry units."""

import math
from pathlib import Path

import pytest

from pliant.catalogue import Physics, load_law
from pliant.errors import PliantError
from pliant.lower.units import check_units, unit_aware
from pliant.quantity import Quantity
from pliant.subset import PACKAGE
from pliant.subset.run import module_of

HEAD = """from math import atan2, exp, fabs, hypot, pow
from typing import Annotated, NamedTuple
from pliant.laws.friction_budget import m1
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
    K_v: Annotated[float, "N m s/rad"]
G: Annotated[float, "rad/s"] = 2.0
PLAIN: float = 2.0
def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
"""


def friction(folder: Path, body: str) -> Physics:
    path = folder / "mine.py"
    path.write_text(f"{HEAD}    {body}\n")
    return load_law("friction_budget", str(path))


HOMOGENEOUS = [
    "return 0.0",
    "return p.K_c + fabs(p.K_v * v) + p.K_v * G * PLAIN",
    "return hypot(p.K_c, tau_m) * atan2(tau_m, tau_e)",
    "return pow(pow(p.K_c, 2.0), 0.5) * exp(-abs(v / G))",
    "return m1.budget(v, tau_m, tau_e, m1.P(p.K_c, p.K_v))",
    "return p.K_c * exp(1e3)",
    "return p.K_c / 0.0",
]


@pytest.mark.parametrize("body", HOMOGENEOUS)
def test_homogeneous(tmp_path: Path, body: str) -> None:
    check_units(friction(tmp_path, body))


FAULTS = {
    "return p.K_c * v": "budget(): returns another unit than its family's; found 'kg m^2 s^-3'; "
    'accepted: "N m", which is kg m^2 s^-2',
    "return 1.0": "budget(): returns another unit than its family's; found '1'; "
    'accepted: "N m", which is kg m^2 s^-2',
    "return p.K_c + v": "budget(), line 10: mixes units: sum: kg m^2 s^-2 with s^-1",
    "return p.K_c + 1.0": "budget(), line 10: mixes units: sum: kg m^2 s^-2 with the plain number 1.0",
    "return p.K_c * exp(-v)": "budget(), line 10: mixes units: a plain number is needed, not s^-1",
    "return m1.budget(tau_m, v, tau_e, m1.P(p.K_c, p.K_v))": "budget(), line 10: mixes units: sum: kg m^2 s^-2 with kg^2 m^4 s^-3",
}


@pytest.mark.parametrize(("body", "said"), FAULTS.items())
def test_fault(tmp_path: Path, body: str, said: str) -> None:
    law = friction(tmp_path, body)
    with pytest.raises(PliantError) as caught:
        check_units(law)
    assert str(caught.value) == f"{law.path}: {said}"


def test_goal_and_command_say_their_units(tmp_path: Path) -> None:
    text = """from typing import Annotated, NamedTuple
class P(NamedTuple):
    gain: Annotated[float, "A/rad"]
class S(NamedTuple):
    pass
GOAL = "rad"
COMMAND = "A"
def start(q: float, p: P) -> S:
    return S()
def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s
def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return p.gain * (goal - q)
"""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(text)
    bad.write_text(text.replace('COMMAND = "A"', 'COMMAND = "1"'))
    check_units(load_law("control", str(good)))
    with pytest.raises(PliantError, match=r"command\(\): returns another unit .* found 'A'; "):
        check_units(load_law("control", str(bad)))


def test_everything_is_as_before_afterwards(tmp_path: Path) -> None:
    law = friction(tmp_path, "return p.K_c")
    stribeck = module_of(PACKAGE / "laws" / "friction_budget" / "_stribeck.py")
    with unit_aware(law):
        assert isinstance(law.module.G, Quantity)
        assert law.module.hypot is not math.hypot
    assert law.module.G == 2.0
    assert law.module.hypot is math.hypot
    assert stribeck.exp is math.exp
