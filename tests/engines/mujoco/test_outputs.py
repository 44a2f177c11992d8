"""Actuators behind one of MuJoCo 4 with three forces: their gears and lengths stand two rows further."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.robots import Robot

SERVO, SEA = "mx106_bam_m4", "sea_walkman_200"
pytestmark = pytest.mark.skipif(
    not hasattr(mujoco.mjtTrn, "mjTRN_SO3"), reason="MuJoCo 3 has one force for each actuator"
)


def spec_with(before: str) -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="0.001"/><worldbody><site name="base"/>
        <body pos="0 0 5"><joint name="ball" type="ball"/><geom size="0.1"/></body>
        <body><joint name="h" axis="0 1 0"/><geom size="0.02" pos="0.1 0 0" mass="1"/>
        <site name="tip" pos="0.1 0 0"/></body></worldbody>
        <tendon><fixed name="t"><joint joint="h" coef="2"/></fixed></tendon><actuator>{before}
        <motor name="push" site="tip" refsite="base" gear="0 0 3 0 0 0"/></actuator></mujoco>"""
    )


@pytest.mark.parametrize(
    ("name", "actuator", "travel"),
    [("h", SERVO, 0.5), ("h", SEA, 0.5), ("t", SERVO, 0.5), ("t", SEA, 0.5), ("push", SEA, 0.05)],
)
def test_it_moves_as_without_it(name, actuator, travel, tmp_path) -> None:
    ends: list[np.ndarray] = []
    for before in ("", '<orientation name="o" joint="ball"/>'):
        spec = spec_with(before)
        attachment = pliant.attach(
            spec, {name: actuator}, transmission={name: travel}, replace=True
        )
        model = spec.compile()
        assert model.nout == model.nactuator + 2 * len(before[:1])
        data = mujoco.MjData(model)
        entry = model.actuator(name).id
        data.ctrl[model.actuator_ctrladr[entry]] = 0.5
        mujoco.mj_step(model, data, 300)
        mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"))
        _, loaded = pliant.load_binary(tmp_path / "model.mjb")
        assert loaded[name].torque(data) == attachment[name].torque(data)
        if name == "h":
            robot = Robot(model, attachment, target="python")
            assert robot.places.gear == pytest.approx(1.0 / travel)
        ends.append(np.array([*data.joint("h").qpos, attachment[name].torque(data)]))
    assert abs(ends[0][0]) > 0.05
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9, atol=1e-12)
