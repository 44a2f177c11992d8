"""Offsets of the installed MuJoCo, proved against its own views of live memory."""

import ctypes

import mujoco
import pytest

from pliant.engines.mujoco.plugin import layout as module
from pliant.engines.mujoco.plugin.layout import layout
from pliant.engines.mujoco.plugin.offsets import DataOffsets, ModelOffsets
from pliant.errors import PliantError


def test_layout_is_that_of_the_installed_version():
    assert layout().version == mujoco.__version__


def test_offsets_find_what_the_bindings_show_of_another_model():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.007"/><worldbody><body><joint name="a" frictionloss=".5"/>'
        '<geom size=".1"/></body></worldbody><actuator><motor joint="a" user="7 8"/></actuator>'
        "</mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3)
    found = layout()
    time = ctypes.c_double.from_address(data._address + found.data.time)
    step = ctypes.c_double.from_address(model._address + found.model.opt_timestep)
    rows = ctypes.c_size_t.from_address(data._address + found.data.iefc_frictionloss)
    assert (time.value, step.value) == (data.time, 0.007)
    assert rows.value == data.iefc_frictionloss.ctypes.data


@pytest.mark.parametrize("part", ["model", "data"])
@pytest.mark.parametrize("shift", [-8, -4, 4, 8])
def test_a_field_inserted_or_removed_anywhere_is_noticed(part, shift):
    right = layout()
    offsets = getattr(right, part)
    for first in offsets:
        moved = type(offsets)(*(o + shift if o >= first else o for o in offsets))
        with pytest.raises(PliantError, match="not where its introspection says"):
            module._verify(right._replace(**{part: moved}))


@pytest.mark.parametrize("version", ["3.10.0", "2.3.7", "5.0.0", "dev"])
def test_other_versions_are_refused_with_the_range(version, monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", version)
    with pytest.raises(PliantError) as refused:
        module._check_version(version)
    assert str(refused.value) == (
        "installed mujoco: this MuJoCo cannot run native actuators: its memory layout is not"
        f" known; found '{version}'; accepted: mujoco >=3.11,<5"
    )


def test_parts_print_as_the_source_that_makes_them():
    names = {"ModelOffsets": ModelOffsets, "DataOffsets": DataOffsets}
    assert eval(repr(layout().model), names) == layout().model
    assert eval(repr(layout().data), names) == layout().data
