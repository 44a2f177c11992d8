"""What is installed, refused and said."""

import dataclasses
import inspect
from typing import Any

import mujoco
import pytest

import pliant
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError

from .arms import (
    ARM,
    BOTH,
    Warp,
    gap,
    in_c,
    nothing,
    spec_of,
    wandering,
)

mjw: Any = pytest.importorskip("mujoco_warp")
wp: Any = pytest.importorskip("warp")


def test_other_actuators_of_the_model_stay_as_they_are() -> None:
    def filtered(spec: mujoco.MjSpec) -> None:
        spec.add_actuator(
            name="a",
            target="a",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            dyntype=mujoco.mjtDyn.mjDYN_FILTER,
            dynprm=[0.05] + [0.0] * 9,
            gainprm=[0.4] + [0.0] * 9,
        )

    controls = wandering(2)
    only = {"b": "xl330_bam_m6"}
    expected = in_c(only, controls, filtered)
    assert gap(Warp(only, edit=filtered).run(controls), expected)[1] < 0.5


def test_what_cannot_run_is_refused_in_one_line() -> None:
    from pliant.engines.mujoco_warp import install

    spec = spec_of(nothing)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(PliantError, match="RK4; found 'RK4'; accepted: Euler"):
        pliant.attach(spec, BOTH, engine="mujoco_warp")
    warp = Warp(BOTH)
    with pytest.raises(PliantError, match="joint a: is installed in this model already"):
        install(warp.attachment, warp.model, warp.m, warp.d)
    warp.m.callback.act_bias = print
    with pytest.raises(PliantError, match=r"callback\.act_bias: the model's callback is taken"):
        install(warp.attachment, warp.model, warp.m, warp.d)
    with pytest.raises(PliantError, match=r"motor\.k_t: must be one finite number"):
        warp.law.set("b", {"motor.k_t": [1.0, 2.0, 3.0]})
    with pytest.raises(PliantError, match="nothing was attached to this joint"):
        warp.law.parameter("elbow", "motor.k_t")
    other = mujoco.MjModel.from_xml_string(ARM)
    m = mjw.put_model(other)
    with pytest.raises(PliantError, match="the model is not the one that was attached to"):
        install(warp.attachment, other, m, mjw.make_data(other))


def test_the_door_has_every_option_of_every_engine() -> None:
    from pliant.engines.mujoco import attach as mujoco_attach
    from pliant.engines.mujoco_warp import attach as warp_attach

    _, _, *options, _ = inspect.signature(pliant.attach).parameters
    assert {*options} == {field.name for field in dataclasses.fields(Wishes)}
    for engine in (mujoco_attach.attach, warp_attach):
        assert [*inspect.signature(engine).parameters] == ["spec", "actuators", "wishes"]
    with pytest.raises(PliantError, match="engine: no such engine; found 'warp'"):
        pliant.attach(spec_of(nothing), BOTH, engine="warp")  # pyright: ignore[reportArgumentType]


def test_a_machine_without_a_gpu_is_told_where_it_runs(caplog: pytest.LogCaptureFixture) -> None:
    if wp.is_cuda_available():
        pytest.skip("there is a GPU")
    Warp({"a": "xl330_bam_m6"})
    assert "no CUDA device: MuJoCo Warp runs on the CPU" in caplog.text
