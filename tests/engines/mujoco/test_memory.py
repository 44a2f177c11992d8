"""What compiled code reads and writes in MuJoCo's structures against the bindings' view of them."""

import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest
import toy

from pliant.arrays import Int32, Vector
from pliant.engines.mujoco.native.structs import MjData, MjModel
from pliant.engines.mujoco.plugin.layout import types_of
from pliant.errors import PliantError
from pliant.lower.kernel import compiled
from pliant.lower.memory import floats_at

HERE = Path(__file__)
TYPES = types_of()


def read(model: MjModel, data: MjData, out: Vector) -> None:
    out[0] = model.opt.timestep
    out[1] = model.opt.integrator
    out[2] = model.nbody
    out[3] = data.time
    out[4] = data.nf
    out[5] = model.jnt_type[1]
    out[6] = model.actuator_ctrllimited[1]
    out[7] = model.actuator_ctrlrange[1, 1]
    row = data.xipos[2]
    out[8] = row[1]
    out[9] = data.qpos[1:][1]
    out[10] = model.names[model.name_actuatoradr[1]]
    out[11] = floats_at(data.plugin_data[0])[1]


def write(model: MjModel, data: MjData) -> None:
    data.qpos[2] = 7.5
    model.actuator_trnid[1, 0] = -4
    row = data.xfrc_applied[1]
    row[5] += 2.0


def turned(number: Int32) -> Int32:
    return 2 * abs(number)


def no_such_field(model: MjModel) -> float:
    return model.opt.gravitation


@pytest.fixture(scope="module")
def code():
    return compiled(HERE, ["read", "write", "turned"], types=TYPES)


@pytest.fixture
def pair() -> tuple[mujoco.MjModel, mujoco.MjData]:
    body = (
        '<body><joint name="a" frictionloss="1"/><geom size=".1"/></body><body><joint name="q" '
        'type="slide"/><joint frictionloss="1"/><geom size=".1" pos="1 2 3"/></body>'
    )
    actuators = toy.actuator("a", "0 0 0 0") + '<motor name="servo" joint="q" ctrlrange="-3 4"/>'
    option = 'timestep="0.007" integrator="implicit"'
    model = mujoco.MjModel.from_xml_string(toy.mjcf(body, actuators, option=option))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.1, 0.2, 0.3
    mujoco.mj_step(model, data)
    return model, data


def test_every_kind_of_field_is_what_the_bindings_say(code, pair):
    model, data = pair
    behind = np.array([1.5, 2.5])
    data.plugin_data[0] = behind.ctypes.data
    out = np.empty(12)
    code.functions["read"](model._address, data._address, out)
    data.plugin_data[0] = 0
    expected = [0.007, model.opt.integrator, 3, data.time, 2, model.jnt_type[1], 1, 4.0]
    expected += [data.xipos[2, 1], data.qpos[2], ord("s"), 2.5]
    np.testing.assert_array_equal(out, expected)


def test_what_is_written_is_there(code, pair):
    model, data = pair
    code.functions["write"](model._address, data._address)
    assert (data.qpos[2], data.xfrc_applied[1, 5]) == (7.5, 2.0)
    np.testing.assert_array_equal(model.actuator_trnid[1], [-4, -1])


def test_of_an_integer_of_32_bits_the_others_mean_nothing(code):
    wide = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses["turned"])
    assert ctypes.c_int32(wide((9 << 32) | (2**32 - 3))).value == 6
    assert code.functions["turned"](-21) == 42


def test_a_field_that_this_mujoco_lacks_is_named():
    with pytest.raises(PliantError, match="its mjOption has no gravitation"):
        types_of(HERE)
    with pytest.raises(PliantError) as refused:
        compiled(HERE, ["no_such_field"], types=TYPES)
    said = str(refused.value)
    assert f"mjOption of MuJoCo {mujoco.__version__} has no such field; found 'gravitation'" in said
    assert "no_such_field()" in said
