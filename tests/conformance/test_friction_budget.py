"""Friction budgets: bounds that do not depend on the direction of looking, and their table."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from conformance.drawn import draws, each, laws, lowered, parameters, random, signed
from pliant.catalogue import Physics, load_law
from pliant.lower.law import Lowered

Array = np.ndarray
GOVERNED = [law for law in laws("friction_budget") if hasattr(law.module, "REDUCES_TO")]


@each("friction_budget")
def test_is_never_negative(law: Physics) -> None:
    for p, rng in draws(law):
        assert law.module.budget(*_motion(rng), p) >= 0.0


@each("friction_budget")
def test_is_symmetric_where_declared(law: Physics) -> None:
    for p, rng in draws(law):
        v, tau_m, tau_e = _motion(rng)
        if getattr(law.module, "SYMMETRIC", False):
            assert law.module.budget(v, tau_m, tau_e, p) == law.module.budget(-v, -tau_m, -tau_e, p)


@each("friction_budget")
def test_does_not_jump_at_standstill(law: Physics) -> None:
    """The speed is taken small against a Stribeck speed, to the power of its exponent."""
    for p, rng in draws(law):
        _, tau_m, tau_e = _motion(rng)
        v = getattr(p, "v_s", 1.0) * 1e-8 ** (1.0 / min(getattr(p, "alpha", 1.0), 1.0))
        at_rest = law.module.budget(0.0, tau_m, tau_e, p)
        viscous = getattr(p, "K_v", 0.0) * v
        assert law.module.budget(v, tau_m, tau_e, p) == pytest.approx(at_rest + viscous, rel=1e-7)


@each("friction_budget")
def test_grows_with_speed_like_viscous_friction_only(law: Physics) -> None:
    for p, rng in draws(law):
        _, tau_m, tau_e = _motion(rng)
        far = 1e3 * getattr(p, "v_s", 1.0) * 40.0 ** (1.0 / getattr(p, "alpha", 1.0))
        slow, fast = (law.module.budget(v, tau_m, tau_e, p) for v in (far, 2.0 * far))
        assert (fast - slow) / far == pytest.approx(getattr(p, "K_v", 0.0), rel=1e-6, abs=1e-9)


def _reductions() -> Iterator[Any]:
    for law in GOVERNED:
        for name, rule in law.module.REDUCES_TO.items():
            yield pytest.param(law, name, rule, id=f"{law.name} is {name}")


@pytest.mark.parametrize(("law", "name", "rule"), list(_reductions()))
def test_reduces_as_declared(law: Physics, name: str, rule: dict[str, float | str]) -> None:
    simple = load_law("friction_budget", name)
    for p, rng in draws(simple, law.name):
        motion = _motion(rng)
        rich = _enriched(law, rule, p._asdict(), rng)
        assert law.module.budget(*motion, rich) == pytest.approx(
            simple.module.budget(*motion, p), rel=1e-13
        )


@pytest.mark.parametrize("name", ["m5", "m4", "m3", "m2", "m1"])
def test_m6_with_zeros_is(name: str) -> None:
    """By the chain of declarations, whatever the way."""
    m6, simple = load_law("friction_budget", "m6"), load_law("friction_budget", name)
    ways = list(_ways("m6", name))
    assert ways
    for p, rng in draws(simple, "m6"):
        motion = _motion(rng)
        for way in ways:
            values = p._asdict()
            for rich, poor in reversed(list(pairwise(way))):
                law = load_law("friction_budget", rich)
                values = _enriched(law, law.module.REDUCES_TO[poor], values, rng)._asdict()
            assert m6.module.budget(*motion, m6.module.P(**values)) == pytest.approx(
                simple.module.budget(*motion, p), rel=1e-13
            )


def _ways(rich: str, poor: str) -> Iterator[list[str]]:
    if rich == poor:
        yield [poor]
        return
    for nxt in getattr(load_law("friction_budget", rich).module, "REDUCES_TO", {}):
        for way in _ways(nxt, poor):
            yield [rich, *way]


def _enriched(
    law: Physics, rule: dict[str, float | str], simple: dict[str, float], rng: np.random.Generator
) -> Any:
    """Parameters of `law` with which it is the simple one; those that then do not matter, drawn."""
    values = parameters(law, rng)._asdict() | simple
    for symbol, value in rule.items():
        values[symbol] = simple[value] if isinstance(value, str) else value
    return law.module.P(**{field.name: values[field.name] for field in law.parameters})


def _s(v: Array, v_s: Array, alpha: Array) -> Array:
    return np.exp(-(np.abs(v / v_s) ** alpha))


def _m1(v: Array, m: Array, e: Array, K_c: Array, K_v: Array) -> Array:
    return K_v * np.abs(v) + K_c


def _m2(v, m, e, K_c, K_v, K_cs, v_s, alpha):
    return K_v * np.abs(v) + K_c + _s(v, v_s, alpha) * K_cs


def _m3(v, m, e, K_c, K_v, K_l):
    return K_v * np.abs(v) + K_c + K_l * np.abs(m - e)


def _m4(v, m, e, K_c, K_v, K_l, K_cs, K_ls, v_s, alpha):
    return (
        K_v * np.abs(v)
        + K_c
        + K_l * np.abs(m - e)
        + _s(v, v_s, alpha) * (K_cs + K_ls * np.abs(m - e))
    )


def _m4_sided(v, m, e, K_side, K_v, **m4):
    dry = _m4(v, m, e, K_v=0.0, **m4)
    return K_v * np.abs(v) + (1.0 + K_side * np.sign(e)) * dry


def _m5(v, m, e, K_c, K_v, K_m, K_e, K_cs, K_ms, K_es, v_s, alpha):
    steady = K_v * np.abs(v) + K_c + np.abs(K_m * m - K_e * e)
    return steady + _s(v, v_s, alpha) * (K_cs + np.abs(K_ms * m - K_es * e))


def _m6(v, m, e, K_c, K_v, K_m, K_e, K_cs, K_ms, K_es, K_mq, K_eq, v_s, alpha):
    weaker = np.where(np.abs(m) > np.abs(e), K_eq * e**2, K_mq * m**2)
    Q = np.where(np.sign(m) * np.sign(e) < 0, weaker, 0.0)
    return _m5(v, m, e, K_c, K_v, K_m, K_e, K_cs, K_ms, K_es, v_s, alpha) + _s(v, v_s, alpha) * Q


TABLE: dict[str, Callable[..., Array]] = {
    "m1": _m1,
    "m2": _m2,
    "m3": _m3,
    "m4": _m4,
    "m4_sided": _m4_sided,
    "m5": _m5,
    "m6": _m6,
}
"""The model table of servos_and_friction, each row written out by itself."""


@pytest.mark.parametrize("name", TABLE)
def test_is_its_row_of_the_table(name: str) -> None:
    law = load_law("friction_budget", name)
    rng = random(law, "table")
    p = np.array([parameters(law, rng) for _ in range(2000)])
    motion = np.array([_motion(rng) for _ in range(2000)])
    one: Lowered = lowered("llvm")["friction_budget", name]
    found = one.evaluate("budget", np.hstack([motion, p]))[:, 0]
    columns = dict(zip((f.name for f in law.parameters), p.T, strict=True))
    np.testing.assert_allclose(found, TABLE[name](*motion.T, **columns), rtol=1e-12)


def _motion(rng: np.random.Generator) -> tuple[float, float, float]:
    """Speed, motor torque, load."""
    return signed(rng, 1e-3, 30.0), signed(rng, 1e-2, 50.0), signed(rng, 1e-2, 50.0)
