"""Random sequences of calls on threads end where the same sequences end one after another."""

import copy
import os
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant

SEQUENCES = int(os.environ.get("PLIANT_SEQUENCES", "40"))
"""More on demand."""
CALLS, THREADS = 30, 4
PHYSICS = mujoco.mjtState.mjSTATE_INTEGRATION


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    spec = spec_of(wheel("a") + wheel("b") + wheel("c"), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": "xl330_bam_m6", "b": "qbmove_maker_pro", "c": "mx106_bam_m4"})
    return spec.compile()


def state(model, data) -> np.ndarray:
    found = np.empty(mujoco.mj_stateSize(model, PHYSICS))
    mujoco.mj_getState(model, data, found, PHYSICS)
    return found


def sequence(model: mujoco.MjModel, seed: int) -> np.ndarray:
    """(calls, S) the state after each of some random calls on data, and copies, of its own."""
    rng = np.random.default_rng(seed)
    own = copy.copy(model)
    data, kept = mujoco.MjData(own), mujoco.MjData(own)
    states = []
    for _ in range(CALLS):
        match rng.integers(8):
            case 0:
                mujoco.mj_resetData(own, data)
            case 1:
                mujoco.mj_copyData(kept, own, data)
            case 2:
                mujoco.mj_copyData(data, own, kept)
            case 3:
                data.qpos[:] = rng.uniform(-1, 1, own.nq)
            case 4:
                mujoco.mj_forward(own, data)
            case 5:
                mujoco.mj_setState(own, data, state(own, kept), PHYSICS)
            case _:
                data.ctrl[:] = rng.uniform(-1, 1, own.nu)
                mujoco.mj_step(own, data, nstep=int(rng.integers(1, 40)))
        states.append(state(own, data))
    return np.array(states)


def test_threads_end_where_one_thread_ends(model):
    expected = [sequence(model, seed) for seed in range(SEQUENCES)]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda seed: sequence(model, seed), range(SEQUENCES)))
    np.testing.assert_array_equal(found, expected)
    assert np.isfinite(found).all()
    assert np.ptp(np.array(found)[:, -1], axis=0).max() > 0.1
