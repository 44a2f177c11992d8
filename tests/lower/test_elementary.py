"""exp, pow, sin and cos in lanes, against decimal arithmetic of 45 digits and NumPy."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from pliant.lower import elementary, machine
from pliant.lower.link import Linker
from pliant.lower.program import typed
from pliant.lower.source import read_source

BOUND = 1e-14
WIDTH = 8
LOOP = """
from math import cos, exp, pow, sin
from pliant.lower.lanes import put, row

def every(x: Vector, a: Vector, y: Vector, n: int) -> int:
    for k in range(n):
        u = row(x, k)
        put(y, k, exp(u))
        put(y, n + k, pow(u, row(a, k)))
        put(y, 2 * n + k, sin(u))
        put(y, 3 * n + k, cos(u))
    return n
"""


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., np.ndarray]:
    """(4, N) exp x, x^a, sin x, cos x, in lanes."""
    path = tmp_path_factory.mktemp("lanes") / "every.py"
    path.write_text(LOOP)
    linker = Linker()
    entries = {linker.function(read_source(path, "loop"), "every").name: "every"}
    every = machine.compiled(typed(linker, entries, WIDTH), "every").functions["every"]

    def call(x: Any, a: Any = 1.0) -> np.ndarray:
        x, a = np.broadcast_arrays(np.asarray(x, float), a)
        rows = -(-x.size // WIDTH)
        y = np.full(4 * rows * WIDTH, nan)
        every(np.resize(x, rows * WIDTH), np.resize(a, rows * WIDTH), y, rows)
        return y.reshape(4, -1)[:, : x.size]

    return call


def worst(found: np.ndarray, exact: Callable[[int], Decimal]) -> float:
    """Largest relative error."""
    with localcontext() as precise:
        precise.prec = 45
        return max(
            abs(float((Decimal(float(y)) - exact(k)) / exact(k))) for k, y in enumerate(found)
        )


@pytest.mark.parametrize("reach", [1e-20, 1e-3, 1.0, 30.0, 706.0])
def test_exp_is_right_to_two_last_bits(computed: Callable[..., np.ndarray], reach: float) -> None:
    x = np.random.default_rng(1).uniform(-reach, reach, 200)
    assert worst(computed(x)[0], lambda k: Decimal(float(x[k])).exp()) < 4e-16


@pytest.mark.parametrize("spread", [1e-6, 1e-2, 0.3465, 3.0, 300.0, 700.0])
def test_pow_is_right_to_4e_15_even_where_it_is_huge(
    computed: Callable[..., np.ndarray], spread: float
) -> None:
    random = np.random.default_rng(2)
    x = np.exp(random.uniform(-spread, spread, 300))
    a = random.uniform(-700.0, 700.0, 300) / np.abs(np.log(x))
    assert worst(computed(x, a)[1], lambda k: Decimal(float(x[k])) ** Decimal(float(a[k]))) < 4e-15


def test_sine_and_cosine_of_an_eighth_turn_are_right_to_the_last_bit(
    computed: Callable[..., np.ndarray],
) -> None:
    x = np.linspace(-0.785, 0.785, 400)
    _, _, *found = computed(x)
    with localcontext() as precise:
        precise.prec = 45
        for k, angle in enumerate(map(Decimal, x.tolist())):
            terms, term = [Decimal(1)], Decimal(1)
            for n in range(1, 30):
                term *= angle / n
                terms.append(term * (-1) ** (n // 2))
            for values, exact in zip(found, (sum(terms[1::2]), sum(terms[::2])), strict=True):
                assert abs(Decimal(float(values[k])) - exact) < 1.0e-16


@pytest.mark.parametrize("reach", [1e-10, 1.0, 30.0, 9e4, 1e12])
def test_sine_and_cosine_are_numpys(computed: Callable[..., np.ndarray], reach: float) -> None:
    x = np.random.default_rng(3).uniform(-reach, reach, 500)
    np.testing.assert_allclose(computed(x)[2], np.sin(x), rtol=0.0, atol=2.5e-16)
    np.testing.assert_allclose(computed(x)[3], np.cos(x), rtol=0.0, atol=2.5e-16)


def test_in_python_they_are_what_they_are_in_lanes(computed: Callable[..., np.ndarray]) -> None:
    x = np.random.default_rng(4).uniform(0.0, 30.0, 50)
    lanes = computed(x, -1.7)
    for k, one in enumerate(x.tolist()):
        found = elementary.exp(one), elementary.power(one, -1.7)
        assert [*found, elementary.sin(one), elementary.cos(one)] == pytest.approx(
            lanes[:, k], rel=1e-15, abs=2e-16
        )


def test_the_ends_are_those_of_the_c_library(computed: Callable[..., np.ndarray]) -> None:
    """Zeros, infinities, no numbers, powers of negative ones; below 1e-307 exp may be 0."""
    ends = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -3.0, inf, -inf, nan, 1e-310, 1.7e308]
    x, a = map(np.ravel, np.meshgrid(ends, [*ends, -0.5, 3.0, 1e20, 1e-20]))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(computed(ends)[0], np.exp(ends), rtol=BOUND, atol=1e-307)
        np.testing.assert_allclose(computed(x, a)[1], np.power(x, a), rtol=BOUND, atol=1e-307)
