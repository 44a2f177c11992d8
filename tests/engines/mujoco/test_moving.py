"""Data and models that are copied and pickled on the way go on as the original."""

import copy
import pickle

import mujoco
import numpy as np
import pytest
from rigs import wheels

STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def begun() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A simulation that is on its way: of a servo, and of one with a state of its own."""
    model = wheels({"a": "xl330_bam_m6", "b": "qbmove_maker_pro"})
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.5
    mujoco.mj_step(model, data, 100)
    return model, data


def gone_on(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    data.ctrl[:] = -0.3
    mujoco.mj_step(model, data, 100)
    return np.concatenate([data.qpos, data.qvel, data.act])


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_copies_go_on_as_the_original(way) -> None:
    model, data = begun()
    twin = way(data)
    theirs = way(model)
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    moved = mujoco.MjData(theirs)
    mujoco.mj_setState(theirs, moved, state, STATE)
    expected = gone_on(model, data)
    np.testing.assert_array_equal(gone_on(model, twin), expected)
    np.testing.assert_array_equal(gone_on(theirs, moved), expected)


def test_pickled_data_goes_on_as_the_original() -> None:
    model, data = begun()
    twin = pickle.loads(pickle.dumps(data))
    mujoco.mj_forward(model, twin)
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(gone_on(model, twin), gone_on(model, data))
