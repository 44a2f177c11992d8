"""Captured graphs, and models in which the actuators do not run."""

from typing import Any

import numpy as np
import pytest

import pliant
from pliant.assemble import Actuator
from pliant.errors import PliantError

from .arms import BOTH, Warp

mjw: Any = pytest.importorskip("mujoco_warp")
wp: Any = pytest.importorskip("warp")


def test_a_model_whose_law_does_not_run_is_found_out() -> None:
    warp = Warp(BOTH)
    with pytest.raises(PliantError, match="the actuators did not run in any step"):
        warp.law.check_running()
    warp.step(np.zeros(2))
    warp.law.check_running()
    warp.m.callback.act_bias = None
    warp.step(np.zeros(2))
    with pytest.raises(PliantError, match="capture the graph again after `install`"):
        warp.law.check_running()


def late() -> Actuator:
    """A servo whose commands act three and a half steps late."""
    servo = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    return servo.with_values({"timing.delay": 0.007}, "test", "assumed")


def captured(warp: Warp, length: int) -> Any:
    """A graph of `length` steps; Warp captures them on the CPU device too, from 1.19 on."""
    try:
        with wp.ScopedCapture(device=warp.d.qpos.device) as capture:
            for _ in range(length):
                mjw.step(warp.m, warp.d)
    except RuntimeError as error:
        pytest.skip(f"this Warp captures no graph here: {error}")
    return capture.graph


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("conditional", [True, False])
def test_a_captured_graph_moves_as_single_steps_do(length: int, conditional: bool) -> None:
    """Bit-equal, of odd and even length, with the solver's loop inside the graph or unrolled."""
    single, replayed = (Warp({"a": "xl330_bam_m6", "b": late()}) for _ in range(2))
    for one in (single, replayed):
        one.m.opt.graph_conditional = conditional
        one.step(np.array([0.3, -0.2]))
    graph = captured(replayed, length)
    for _ in range(12 // length):
        wp.capture_launch(graph)
    replayed.law.check_running()
    for _ in range(12):
        mjw.step(single.m, single.d)
    assert np.abs(single.d.qpos.numpy()).min() > 1e-3
    for name in ("qpos", "qvel", "act"):
        expected = getattr(single.d, name).numpy()
        np.testing.assert_array_equal(getattr(replayed.d, name).numpy(), expected)


def test_a_graph_captured_before_the_actuators_came_is_found_out() -> None:
    warp = Warp({"a": "xl330_bam_m6"})
    callback, warp.m.callback.act_bias = warp.m.callback.act_bias, None
    graph = captured(warp, 1)
    warp.m.callback.act_bias = callback
    wp.capture_launch(graph)
    with pytest.raises(PliantError, match="a graph captured before `install`"):
        warp.law.check_running()
