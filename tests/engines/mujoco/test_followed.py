"""The pool whose one simulation is told step by step: its energies need the instant before any step."""

import mujoco
import numpy as np

from pliant.engines.mujoco.batch.pools import FollowedPool

PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="a" type="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/></body></worldbody>
<actuator><motor joint="a"/></actuator></mujoco>"""


def test_every_instant_is_told_once_from_the_start_on():
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    told, ends = [], []
    pool = FollowedPool(model)
    pool.note = lambda data: told.append((data.time, data.qpos[0]))
    pool.ended = lambda: ends.append(len(told))
    pool.start(np.array([[0.7]]), np.array([[0.0]]))
    found = pool.run(np.full((1, 5, 1), 0.02))
    assert np.allclose([time for time, _ in told], 0.01 * np.arange(6))
    assert told[0][1] == 0.7
    assert [q for _, q in told[1:]] == list(found[0, :, 0])
    assert ends == [6]
