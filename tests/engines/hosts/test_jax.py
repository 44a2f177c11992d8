"""An actuator in JAX: Python's numbers, and gradients that are slopes, finite everywhere."""

import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial, wraps
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.engines.hosts.c_header import KERNEL
from pliant.errors import PliantError
from pliant.lower.array_text import array_text
from pliant.lower.kernel import tree

from .cases import FEW, LAWS, H, check_slopes, corners, driven, known, middle

if importlib.util.find_spec("jax") is None:
    pytest.skip("JAX is not installed", allow_module_level=True)
pytestmark = pytest.mark.long


@pytest.fixture(autouse=True, scope="module")
def process() -> Iterator[None]:
    """JAX and what it compiles take 250 MB, which no worker gets back: a process of their own."""
    global pool
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(Path(__file__).parents[1])])
        with ProcessPoolExecutor(1, get_context("spawn"), double) as pool:
            yield


def double() -> None:
    global jax, jnp, ravel_pytree  # noqa: PLW0603
    import jax
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree

    jax.config.update("jax_enable_x64", True)
    warnings.simplefilter("error")


def there(test: Callable[..., None]) -> Callable[..., None]:
    """A test that is run in that process."""

    @wraps(test)
    def run(**given: Any) -> None:
        pool.submit(_run, test.__name__, given).result()

    return run


def _run(name: str, given: dict[str, Any]) -> None:
    globals()[name].__wrapped__(**given)


def stepped(servo: Any, p: Any, state: Any, row: Any) -> tuple[Any, Any]:
    goal, preset, q, v, load, inertia, supply, on = row
    state, out = servo.step(
        p, state, goal, q, v, preset=preset, load=load, inertia=inertia, supply=supply, on=on
    )
    return state, jnp.stack([out.torque, out.budget])


QUICK = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}
"""Compiled in half the time; the numbers of each topology are those of what users compile."""


@pytest.mark.parametrize("name", LAWS)
@there
def test_jax_gives_the_numbers_of_python(name: str) -> None:
    actuator = known(name)
    rows, expected = driven(actuator, history=9, count=200)
    servo = pliant.jax.actuator(actuator, H)
    run = jax.jit(
        lambda s: jax.lax.scan(lambda s, x: stepped(servo, servo.parameters, s, x), s, rows),
        compiler_options={} if name in FEW else QUICK,
    )
    found = run(servo.start(servo.parameters, rows[0, 2]))[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@there
def test_what_is_no_command_makes_no_number_and_the_next_one_does() -> None:
    servo = pliant.jax.actuator("xl330_bam_m6", H)
    state, torque = servo.start(servo.parameters, 0.0), []
    for goal in (0.3, 1.1e10, -np.inf, np.nan, 0.3, 1e10):
        state, out = servo.step(servo.parameters, state, goal, 0.0, 0.0)
        torque.append(float(out.torque))
    assert np.isnan(torque).tolist() == [False, True, True, True, False, False]


def point(actuator: Any) -> tuple[Callable[[Any], Any], Floats]:
    """Torque and budget after two steps, of parameters, goal, preset, angle, speed, load and supply."""
    servo = pliant.jax.actuator(actuator, H)
    _, shaped = ravel_pytree(servo.parameters)

    def after(x: Any) -> Any:
        p, (goal, preset, q, v, load, inertia, supply, on) = shaped(x[:-8]), x[-8:]

        def step(state: Any, k: Any) -> Any:
            row = (goal, preset, q + k * H * v, v, load, inertia, supply, on)
            return stepped(servo, p, state, row)

        return jax.lax.scan(step, servo.start(p, q + 0.01), jnp.arange(2.0))[1][1]

    return after, middle(actuator)


def is_slope_and_finite(
    after: Callable[[Any], Any], slopes: Callable[[Any], Any], x: Floats
) -> None:
    """Against differences, `slopes` (2, X) of `after` at a point; finite at corners too."""
    check_slopes(slopes(x).T, x, lambda points: np.stack([after(one) for one in points]))
    for what, there in corners(x).items():
        assert np.isfinite(slopes(there)).all(), what


@pytest.mark.parametrize("name", LAWS)
@there
def test_gradients_are_slopes_and_finite_at_rest_at_stops_and_with_torque_off(name: str) -> None:
    after, x = point(known(name))
    both = jax.jit(  # compiled once
        lambda at, along: jax.jvp(after, (at,), (along,)), compiler_options=QUICK
    )
    is_slope_and_finite(
        lambda at: both(at, 0.0 * at)[0],
        lambda at: np.stack([both(at, along)[1] for along in np.eye(len(x))], axis=1),
        x,
    )


@pytest.mark.parametrize("name", FEW)
@there
def test_so_are_those_of_reverse_mode(name: str) -> None:
    """Of each topology one: JAX transposes the same derivatives of laws."""
    after, x = point(known(name))
    jit = partial(jax.jit, compiler_options=QUICK)
    is_slope_and_finite(jit(after), jit(jax.jacrev(after)), x)


@there
def test_many_joints_run_at_once_and_a_parameter_is_found_by_its_gradient() -> None:
    servo = pliant.jax.actuator("xl330_bam_m6", 1e-3)
    goals = jnp.linspace(-1.0, 1.0, 5)

    def torques(k_t: Any) -> Any:
        p = servo.parameters
        p = p._replace(motor=p.motor._replace(k_t=k_t))
        states = jax.vmap(lambda q: servo.start(p, q))(jnp.zeros(5))
        step = jax.vmap(lambda s, g: servo.step(p, s, g, 0.0, 1.0)[1].torque)
        return step(states, goals)

    true = float(servo.parameters.motor.k_t)
    loss = jax.jit(jax.value_and_grad(lambda k: jnp.sum((torques(k) - torques(true)) ** 2)))
    k, rate = 0.8 * true, 0.02
    for _ in range(200):
        k -= rate * float(loss(k)[1])
    assert k == pytest.approx(true, rel=1e-3)


@there
def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PliantError, match="step: not a step; found -1"):
        pliant.jax.actuator("xl330_bam_m6", -1)
    with pytest.raises(PliantError, match=r"did you mean 'xl330_bam_m\d'"):
        pliant.jax.actuator("xl330_bam_m66", 1e-3)


def test_what_arrays_cannot_do_is_refused_by_file_and_line() -> None:
    actuator = known("sea_walkman_200")
    program = tree(KERNEL, ["remember"], actuator.equations, branches=False)
    with pytest.raises(PliantError, match=r"kernel\.py: line \d+, remember\(\): cannot be written"):
        array_text(program, "pliant.lower.jax_math")
