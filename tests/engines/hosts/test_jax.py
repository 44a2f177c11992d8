"""An actuator in JAX: Python's numbers, and gradients that are slopes, finite everywhere."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.catalogue import actuator_files
from pliant.errors import PliantError

from .cases import H, driven, known

if importlib.util.find_spec("jax") is None:
    pytest.skip("JAX is not installed", allow_module_level=True)

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

NAMES = ["delayed", *sorted(actuator_files())]
KINDS = {
    (a.topology, tuple(a.laws.values())): name
    for name, a in ((x, known(x)) for x in reversed(NAMES))
}
"""Of every choice of laws, one actuator: gradients are theirs, and take long to compile."""


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def stepped(servo: Any, p: Any, state: Any, row: Any) -> tuple[Any, Any]:
    goal, preset, q, v, load, _, supply, on = row
    state, out = servo.step(p, state, goal, q, v, preset=preset, load=load, supply=supply, on=on)
    return state, jnp.stack([out.torque, out.budget])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_jax_gives_the_numbers_of_python(name: str) -> None:
    actuator = known(name)
    rows, expected = driven(actuator, history=3, count=200, inertia_known=False)
    servo = pliant.jax.actuator(actuator, H)
    run = jax.jit(
        lambda s: jax.lax.scan(lambda s, x: stepped(servo, servo.parameters, s, x), s, rows)
    )
    found = run(servo.start(servo.parameters, rows[0, 2]))[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def point(actuator: Any) -> tuple[Callable[[Any], Any], Floats]:
    """Torque and budget after three steps, of parameters, goal, preset, angle, speed, load and supply."""
    servo = pliant.jax.actuator(actuator, H)
    numbers, shaped = ravel_pytree(servo.parameters)

    def after(x: Any) -> Any:
        p, (goal, preset, q, v, load, supply, on) = shaped(x[:-7]), x[-7:]
        state, out = servo.start(p, q + 0.01), None
        for k in range(3):
            row = (goal, preset, q + k * H * v, v, load, 0.0, supply, on)
            state, out = stepped(servo, p, state, row)
        return out

    rest = [0.31, 0.02, 0.07, 0.4, -0.2, actuator.value("own.voltage"), 1.0]
    return after, np.concatenate([numbers, rest])


GRID = {
    "at rest": {-4: 0.0},
    "at rest at the goal": {-7: 0.0, -6: 0.0, -5: -0.01, -4: 0.0, -3: 0.0},
    "torque off": {-1: 0.0},
    "at rest with torque off": {-4: 0.0, -1: 0.0},
    "beyond stops": {-5: 3.0, -4: 20.0},
    "saturated": {-7: 50.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS.values())
def test_gradients_are_slopes_and_finite_at_rest_at_stops_and_with_torque_off(name: str) -> None:
    after, x = point(known(name))
    each, slopes = jax.jit(jax.vmap(after)), jax.jit(jax.jacfwd(after))
    steps = 1e-5 * np.maximum(np.abs(x), 1e-2)
    up, down = (np.asarray(each(x + sign * np.diag(steps))) for sign in (1.0, -1.0))
    middle = np.asarray(after(x))
    right, left = (up - middle) / steps[:, None], (middle - down) / steps[:, None]
    found = np.asarray(slopes(x)).T
    size = (
        np.maximum(np.abs(right), np.abs(left))
        + 1e-6 * np.abs(middle).max() / np.abs(steps / 1e-5)[:, None]
    )
    smooth = np.abs(right - left) < 1e-2 * size  # elsewhere there is a corner, and no slope
    assert smooth.mean() > 0.8
    off = np.abs(0.5 * (right + left) - found) / size
    assert off[smooth].max() < 1e-5
    np.testing.assert_allclose(jax.jit(jax.jacrev(after))(x).T, found, rtol=1e-9, atol=1e-12)
    for what, changes in GRID.items():
        there = x.copy()
        for k, value in changes.items():
            there[k] = value
        assert np.isfinite(slopes(there)).all(), what


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


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PliantError, match="step: not a step; found -1"):
        pliant.jax.actuator("xl330_bam_m6", -1)
    with pytest.raises(PliantError, match=r"did you mean 'xl330_bam_m\d'"):
        pliant.jax.actuator("xl330_bam_m66", 1e-3)
