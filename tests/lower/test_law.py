"""A law from outside the package, in each target language."""

import math
import sys
from math import asinh, atanh, copysign, expm1, floor, hypot, log1p, pi
from pathlib import Path

import numpy as np
import pytest

from pliant.catalogue import Physics, load_law
from pliant.errors import PliantError
from pliant.lower.law import Target, lower, lower_actuator, lower_law
from pliant.lower.source import read_source, source_of
from pliant.subset import MATH, check_source

OWN = '''"""Everything that the subset has, in one spring."""
from math import acosh, asinh, atanh, copysign, expm1, fabs, floor, hypot, log1p, pi
from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m1
from pliant.laws.friction_budget._stribeck import fading as stribeck

class P(NamedTuple):
    k: Annotated[float, "N m/rad", (0, 10)]
    d: Annotated[float, "N m s/rad"]

SCALE = 2

def helper(phi: float, p: P) -> float:
    """Early returns, elif, boolean operators, a chained comparison."""
    if phi > 1 and not phi > 2:
        a = phi
    elif phi < -1 or phi == 0.0:
        a = -2 * phi
    else:
        a = 5
    if -0.5 < phi < 0.5:
        return a * SCALE
    a += 1
    b: float = a if a > 2.0 else 2
    return b + (3 if phi > 0 else 0.25)

def energy(phi: float, p: P) -> float:
    return helper(phi=phi, p=p) + p.k * min(max(phi, -0.3, -0.4), 0.9, 0.8)

def torque(phi: float, p: P) -> float:
    x = floor(phi / 0.25) + copysign(0.5, phi) + hypot(phi, 1) + asinh(phi)
    return x + expm1(phi) + log1p(fabs(phi)) + atanh(phi / 4) + acosh(1.0 + abs(phi)) + pi

def stiffness(phi: float, p: P) -> float:
    return stribeck(phi, 0.7, 2.0) + m1.budget(phi, 0.0, 0.0, m1.P(K_v=p.d, K_c=p.k))

def damping(rate: float, p: P) -> float:
    return p.d * rate
'''
X = np.array([-2.5, -1.5, -0.7, -0.4, -1e-4, 0.0, 3e-5, 0.3, 0.6, 1.5, 2.5])
K, D = 3.0, 0.5


def _helper(phi: float) -> float:
    a = phi if 1.0 < phi <= 2.0 else (-2.0 * phi if phi < -1.0 or phi == 0.0 else 5.0)
    if abs(phi) < 0.5:
        return 2.0 * a
    return max(a + 1.0, 2.0) + (3.0 if phi > 0.0 else 0.25)


EXPECTED = {
    "energy": [_helper(x) + K * min(max(x, -0.3), 0.8) for x in X],
    "torque": [
        floor(x / 0.25)
        + copysign(0.5, x)
        + hypot(x, 1.0)
        + asinh(x)
        + expm1(x)
        + log1p(abs(x))
        + atanh(x / 4.0)
        + float(np.arccosh(1.0 + abs(x)))
        + pi
        for x in X
    ],
    "stiffness": [float(np.exp(-((x / 0.7) ** 2))) + K + D * abs(x) for x in X],
    "damping": [D * x for x in X],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Physics:
    """In a file whose name is no identifier."""
    path = tmp_path_factory.mktemp("outside") / "my own-spring.py"
    path.write_text(OWN)
    return load_law("compliance", str(path))


@pytest.mark.parametrize("target", ["python", "llvm", "warp"])
def test_an_own_law_gives_its_numbers(own: Physics, target: Target) -> None:
    if target == "warp":
        pytest.importorskip("warp")
    lowered = lower_law(own, target)
    rows = np.column_stack([X, np.full_like(X, K), np.full_like(X, D)])
    assert lowered.columns["torque"] == ["phi", "p.k", "p.d"]
    for name, expected in EXPECTED.items():
        found = lowered.evaluate(name, rows)[:, 0]
        rtol = 3e-6 if target == "warp" else 1e-14
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=name)


TWO = {"atan2", "copysign", "hypot", "pow"}
CONSTANTS = {"pi", "e", "tau", "inf"}


@pytest.mark.parametrize("target", ["python", "llvm", "warp"])
def test_every_function_of_math_that_is_accepted_is_there(tmp_path: Path, target: Target) -> None:
    if target == "warp":
        pytest.importorskip("warp")
    names = sorted(MATH)
    fields = "".join(f"    {name}_: float\n" for name in names)
    values = ", ".join(
        name
        if name in CONSTANTS
        else f"{name}(1.0 + x)"
        if name == "acosh"
        else f"{name}(x, 0.7)"
        if name in TWO
        else f"{name}(x)"
        for name in names
    )
    path = tmp_path / "all_of_math.py"
    path.write_text(
        f"from math import {', '.join(names)}\nfrom typing import NamedTuple\n\n"
        f"class S(NamedTuple):\n{fields}\ndef f(x: float) -> S:\n    return S({values})\n"
    )
    check_source(path)
    [lowered] = lower([read_source(path, "all_of_math")], target)
    x = [1e-4, 0.3, 0.9]
    found = lowered.evaluate("f", np.array(x)[:, None])
    for k, name in enumerate(names):
        function = getattr(math, name)
        expected = [
            function
            if name in CONSTANTS
            else function(1.0 + v)
            if name == "acosh"
            else function(v, 0.7)
            if name in TWO
            else function(v)
            for v in x
        ]
        # acosh near 1 keeps what 1 + x keeps
        rtol = 1e-14 if target != "warp" else 1e-3 if name == "acosh" else 2e-6
        np.testing.assert_allclose(found[:, k], expected, rtol=rtol, err_msg=name)


def test_the_fast_hyperbolic_functions_are_those_of_the_c_library() -> None:
    """Over all branches, their seams and what is beyond numbers."""
    wide = np.concatenate(
        [np.logspace(-320, 2.5, 2000), np.linspace(0.4999, 0.5001, 201), [0.0, np.inf]]
    )
    x = np.concatenate([wide, -wide, [np.nan]])
    rows = np.column_stack([x, np.ones_like(x), np.ones_like(x), np.zeros_like(x)])
    spring = lower_law(load_law("compliance", "sinh_spring"), "llvm")
    assert spring.columns["torque"] == ["phi", "p.k", "p.a", "p.d"]
    for name, expected in {"torque": np.sinh(x), "stiffness": np.cosh(x)}.items():
        np.testing.assert_allclose(
            spring.evaluate(name, rows)[:, 0], expected, rtol=1e-15, err_msg=name
        )


def test_functions_and_types_are_there_by_name(own: Physics) -> None:
    lowered = lower_law(own, "python")
    assert lowered.functions["damping"](2.0, lowered.structures["P"](K, D)) == 1.0
    assert set(EXPECTED) <= set(lowered.functions)
    assert lowered.path.is_file()


def test_a_state_goes_in_and_comes_out() -> None:
    lowered = lower_law(load_law("friction_state", "dahl"), "llvm")
    assert lowered.columns["step"] == ["s.z", "dtheta", "p.tau_f", "p.k_z"]
    assert lowered.results["step"] == [".z"]
    assert lowered.evaluate("step", np.array([[0.0, 1.0, 0.5, 1000.0]])) == [[0.5 / 1000.0]]


def test_warp_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warp", None)
    with pytest.raises(PliantError) as caught:
        lower_law(load_law("sensing", "ideal"), "warp")
    assert str(caught.value) == (
        'the package warp is not installed; accepted: pip install "pliant[warp]"'
    )


def test_own_laws_with_the_name_of_ours_stay_apart(tmp_path: Path) -> None:
    ours = load_law("friction_budget", "m1")
    path = tmp_path / "m1.py"
    path.write_text(ours.path.read_text().replace("p.K_c + p.K_v", "7.0 * p.K_c + p.K_v"))
    own = load_law("friction_budget", str(path))
    for order in ([ours, own], [own, ours]):
        done = dict(zip(order, lower([source_of(law) for law in order], "python"), strict=True))
        row = np.array([[2.0, 0.0, 0.0, 1.0, 10.0]])
        assert done[ours].evaluate("budget", row)[0, 0] == 21.0
        assert done[own].evaluate("budget", row)[0, 0] == 27.0


def test_an_actuator_lowers_by_itself() -> None:
    from pliant.io.actuator_file import load_actuator

    actuator = load_actuator("xl330_bam_m1")
    lowered = lower_actuator(actuator, "python")
    found = lowered.evaluate("armature", actuator.values[None])[0, 0]
    assert found == actuator.value("own.armature")
