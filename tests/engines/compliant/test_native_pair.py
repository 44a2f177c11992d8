"""A linear series-elastic joint against the same one built of MuJoCo's own parts."""

import mujoco
import numpy as np
import pytest

import pliant

J, D, LIMIT, KP, LINK, DAMPING = 0.0742, 24.768, 33.0, 1000.0, 0.286667, 0.7
"""CENTAURO's published motor, and its test arm: kg m^2, N m s/rad, N m, N m/rad."""

NATIVE = """
<mujoco>
  <option timestep="{h}" gravity="0 0 0"/>
  <worldbody>
    <body><inertial pos="0 0 0" mass="1" diaginertia="{J} {J} {J}"/>
      <joint name="rotor" axis="0 0 1" damping="{D}"/></body>
    <body><inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
      <joint name="link" axis="0 0 1" damping="{DAMPING}"/></body>
  </worldbody>
  <tendon><fixed name="spring" stiffness="{k}" damping="{d}" springlength="0">
    <joint joint="link" coef="1"/><joint joint="rotor" coef="-1"/></fixed></tendon>
  <actuator><position joint="rotor" kp="{KP}" forcerange="-{LIMIT} {LIMIT}"/></actuator>
</mujoco>
"""
ATTACHED = """
<mujoco>
  <option timestep="{h}" gravity="0 0 0"/>
  <worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
    <joint name="link" axis="0 0 1" damping="{DAMPING}"/></body></worldbody>
</mujoco>
"""
NUMBERS = {"J": J, "D": D, "LIMIT": LIMIT, "KP": KP, "LINK": LINK, "DAMPING": DAMPING}


def motion(model: mujoco.MjModel, h: float) -> np.ndarray:
    """(2000,) Link angle each ms of a step and a swing."""
    data = mujoco.MjData(model)
    place = model.joint("link").qposadr[0]
    found = np.empty(2000)
    for k in range(len(found)):
        for i in range(round(1e-3 / h)):
            t = 1e-3 * k + h * i
            data.ctrl[0] = 0.5 + 0.3 * np.sin(9.0 * t)
            mujoco.mj_step(model, data)
        found[k] = data.qpos[place]
    return found


@pytest.mark.parametrize(
    ("name", "k", "d"),
    [
        ("sea_centauro_100", 100, 0.3),
        ("sea_centauro_188", 188, 0.5),
        ("sea_centauro_500", 500, 1.5),
    ],
)
def test_moves_as_a_second_hinge_with_a_spring_does(name, k, d):
    """They integrate differently, and approach each other with the step."""
    apart = []
    for h in (5e-4, 2.5e-4):
        spec = mujoco.MjSpec.from_string(ATTACHED.format(h=h, **NUMBERS))
        pliant.attach(spec, {"link": name})
        native = mujoco.MjModel.from_xml_string(NATIVE.format(h=h, k=k, d=d, **NUMBERS))
        apart.append(np.abs(motion(spec.compile(), h) - motion(native, h)).max())
    assert apart[0] < 3e-3
    assert apart[1] == pytest.approx(0.5 * apart[0], rel=0.1)
