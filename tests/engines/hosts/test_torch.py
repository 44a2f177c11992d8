"""An actuator in torch: Python's numbers, and gradients that are slopes, finite everywhere."""

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.errors import PliantError

from .cases import BY_LAWS, H, check_slopes, corners, driven, known, middle

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def stepped(servo: Any, state: Any, row: Any) -> tuple[Any, Any]:
    goal, preset, q, v, load, inertia, supply, on = row
    state, out = servo(
        state, goal, q, v, preset=preset, load=load, inertia=inertia, supply=supply, on=on
    )
    return state, torch.stack([out.torque, out.budget], dim=-1)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_LAWS)
def test_torch_gives_the_numbers_of_python_to_each_of_several_joints(name: str) -> None:
    actuator = known(name)
    rows, expected = driven(actuator, history=9, count=60)
    servo = pliant.torch.Actuator(actuator, H)
    state, found = servo.start(torch.full((2, 3), rows[0, 2])), []
    with torch.no_grad():
        for row in torch.from_numpy(rows):
            state, out = stepped(servo, state, row[:, None, None].expand(8, 2, 3))
            found.append(out[1, 2].numpy())
            assert (out == out[0, 0]).all()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_LAWS)
def test_gradients_are_slopes_and_finite_at_rest_at_stops_and_with_torque_off(name: str) -> None:
    actuator = known(name)
    servo = pliant.torch.Actuator(actuator, H)

    def after(points: Any) -> Any:
        """(N, 2) torque and budget after two steps, of (N, X) parameters and inputs."""
        goal, preset, q, v, load, inertia, supply, on = points.T[-8:]
        del servo.numbers
        servo.numbers = points.T[:-8]
        state, out = servo.start(q + 0.01), None
        for k in range(2):
            row = (goal, preset, q + k * H * v, v, load, inertia, supply, on)
            state, out = stepped(servo, state, row)
        return out

    def slopes(x: Any) -> Any:
        point = torch.from_numpy(x[None]).requires_grad_()
        out = after(point)
        rows = [
            torch.autograd.grad(out[0, k], point, retain_graph=True, allow_unused=True)
            for k in (0, 1)
        ]
        return np.array([np.zeros(len(x)) if g is None else g[0].numpy() for (g,) in rows]).T

    x = middle(actuator)
    check_slopes(slopes(x), x, lambda points: after(torch.from_numpy(points)).detach().numpy())
    for what, there in corners(x).items():
        assert np.isfinite(slopes(there)).all(), what


def test_a_parameter_of_each_joint_is_found_by_its_gradient() -> None:
    servo = pliant.torch.Actuator("xl330_bam_m6", 1e-3)
    state = servo.start(torch.zeros(5))
    goal, speed = torch.linspace(-1.0, 1.0, 5), torch.ones(5)
    with torch.no_grad():
        expected = servo(state, goal, torch.zeros(5), speed)[1].torque
        k = servo.names.index("motor.k_t")
        true = servo.numbers[k].item()
        servo.numbers[k] *= 0.8
    for _ in range(200):
        off = servo(state, goal, torch.zeros(5), speed)[1].torque - expected
        (slopes,) = torch.autograd.grad((off**2).sum(), servo.numbers)
        with torch.no_grad():
            servo.numbers[k] -= 0.02 * slopes[k]
    assert servo.numbers[k].item() == pytest.approx(true, rel=1e-3)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PliantError, match="step: not a step; found 0"):
        pliant.torch.Actuator("xl330_bam_m6", 0)
