"""One arm in MuJoCo Warp and in MuJoCo, for the tests of this folder."""

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator

pytest.importorskip("mujoco_warp")
mjw: Any = pytest.importorskip("mujoco_warp")
wp: Any = pytest.importorskip("warp")

SECONDS = 0.5
BOTH = {"a": "xl330_bam_m6", "b": "xl330_bam_m6"}
ARM = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/>
  </default>
  <worldbody>
    <body>
      <joint name="a"/><geom fromto="0 0 0 0 0 -0.1" mass="0.2"/>
      <body pos="0 0 -0.1" name="tip">
        <joint name="b"/><geom fromto="0 0 0 0 0 -0.08" mass="0.15"/>
      </body>
    </body>
  </worldbody>
  <keyframe><key name="bent" qpos="0.4 -0.3"/></keyframe>
</mujoco>
"""
Edit = Callable[[mujoco.MjSpec], None]


def changed(name: str, values: Mapping[str, float]) -> Actuator:
    return pliant.load_actuator(name).with_values(values, "test", "assumed")


def delayed(name: str, delay: float) -> Actuator:
    late = pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
    return late.with_values({"timing.delay": delay}, "test", "assumed")


def nothing(_: mujoco.MjSpec) -> None:
    pass


def spec_of(edit: Edit) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(ARM)
    edit(spec)
    return spec


class Warp:
    """The arm in W worlds of MuJoCo Warp."""

    def __init__(
        self,
        actuators: Mapping[str, str | Actuator],
        worlds: int = 2,
        edit: Edit = nothing,
        after: Edit = nothing,
    ) -> None:
        from pliant.engines.mujoco_warp import install

        spec = spec_of(edit)
        self.attachment = pliant.attach(spec, actuators, engine="mujoco_warp")
        after(spec)
        self.model = spec.compile()
        self.m = mjw.put_model(self.model)
        self.d = mjw.make_data(self.model, nworld=worlds, njmax=24, nconmax=8)
        self.law = install(self.attachment, self.model, self.m, self.d)
        self.worlds = worlds

    def step(self, control: Floats) -> Floats:
        """(W, nq) positions after one step with the same commands in all worlds."""
        self.d.ctrl.assign(np.tile(control.astype(np.float32), (self.worlds, 1)))
        mjw.step(self.m, self.d)
        return self.d.qpos.numpy().astype(np.float64)

    def run(self, controls: Floats) -> Floats:
        """(N, W, nq)."""
        return np.array([self.step(control) for control in controls])


def in_c(
    actuators: Mapping[str, str | Actuator],
    controls: Floats,
    edit: Edit = nothing,
    after: Edit = nothing,
) -> Floats:
    """(N, nq) by the C engine."""
    spec = spec_of(edit)
    pliant.attach(spec, actuators)
    after(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    out = np.zeros((len(controls), model.nq))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        out[k] = data.qpos
    return out


def wandering(columns: int, timestep: float = 0.002, seed: int = 1) -> Floats:
    """(N, columns) smooth random commands [rad]; those behind the second vary round 0.3."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(SECONDS / timestep)) * timestep
    out = np.zeros((len(t), columns))
    for column in out.T:
        for frequency in (0.4, 0.9, 1.7):
            wave = np.sin(2.0 * np.pi * frequency * t + rng.uniform(0.0, 6.0))
            column[:] = column + rng.uniform(0.1, 0.4) * wave
    out[:, 2:] = 0.3 + 0.1 * out[:, 2:]
    return out


def gap(warp: Floats, c: Floats) -> tuple[float, float]:
    """Mean and largest difference [mrad] of the first world."""
    error = 1e3 * np.abs(warp[:, 0] - c)
    return float(error.mean()), float(error.max())
