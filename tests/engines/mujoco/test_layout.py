"""Offsets of the installed MuJoCo, proved against its own views of live memory."""

import ctypes
from dataclasses import replace
from pathlib import Path

import mujoco
import pytest

from pliant.engines.mujoco import native
from pliant.engines.mujoco.plugin import layout as module
from pliant.engines.mujoco.plugin.layout import records, used, verify
from pliant.errors import PliantError

FILES = [*Path(native.__file__).parent.glob("*.py")]


def test_offsets_find_what_the_bindings_show_of_another_model():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.007"/><worldbody><body><joint name="a" frictionloss=".5"/>'
        '<geom size=".1"/></body></worldbody><actuator><motor joint="a" user="7 8"/></actuator>'
        "</mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3)

    def place(structure: str, field: str) -> int:
        return records()[structure].fields[field][0]

    time = ctypes.c_double.from_address(data._address + place("mjData", "time"))
    option = model._address + place("mjModel", "opt")
    step = ctypes.c_double.from_address(option + place("mjOption", "timestep"))
    rows = ctypes.c_size_t.from_address(data._address + place("mjData", "iefc_frictionloss"))
    assert (time.value, step.value) == (data.time, 0.007)
    assert rows.value == data.iefc_frictionloss.ctypes.data


def test_the_fields_to_be_proved_are_those_that_the_callbacks_name():
    fields = used(FILES)
    assert {"timestep", "disableactuator"} <= fields["mjOption"]
    assert {"actuator_trnid", "plugin_attr", "npluginstate", "opt"} <= fields["mjModel"]
    assert {"plugin_data", "efc_frictionloss", "time"} <= fields["mjData"]


@pytest.mark.parametrize("structure", ["mjModel", "mjOption", "mjData"])
@pytest.mark.parametrize("shift", [-8, -4, 4, 8])
def test_a_field_inserted_or_removed_anywhere_is_noticed(structure, shift):
    right, fields = records(), used(FILES)
    there = right[structure].fields
    for name in fields[structure] - {"opt"}:
        first = there[name][0]
        moved = {n: (o + shift if o >= first else o, what) for n, (o, what) in there.items()}
        wrong = {**right, structure: replace(right[structure], fields=moved)}
        with pytest.raises(PliantError, match="not where its introspection says"):
            verify(wrong, fields)


def test_rows_are_as_wide_as_the_bindings_say():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>'
        '<actuator><motor joint="a"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    for structure, bound in (("mjModel", model), ("mjData", data)):
        for name in used(FILES)[structure]:
            array = getattr(bound, name)
            if getattr(array, "ndim", 0) > 1 and name != "actuator_user":
                row = records()[structure].fields[name][1].row
                assert (name, row) == (name, array.size // len(array))


@pytest.mark.parametrize("version", ["3.10.0", "2.3.7", "5.0.0", "dev"])
def test_other_versions_are_refused_with_the_range(version, monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", version)
    with pytest.raises(PliantError) as refused:
        module._check_version(version)
    assert str(refused.value) == (
        "installed mujoco: this MuJoCo cannot run native actuators: its memory layout is not"
        f" known; found '{version}'; accepted: mujoco >=3.11,<5"
    )
