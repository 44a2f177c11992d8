"""Every compliant actuator: its springs conserve energy, and MuJoCo moves it as they say (the joint engine: test_alone.py)."""

from functools import cache

import mujoco
import numpy as np
import pytest

import pliant

from .closed import LINK, Ode, free, kinds, start

TORQUES = (0.02, -0.01, 0.03)
"""On motor 1, motor 2 and link [N m]."""
TIME = np.linspace(0.0, 0.3, 301)
MOVED = [name for name in kinds() if name != "edinburgh_vsa"]
"""Edinburgh's servos rest at angles of their own, not at the link's."""


@pytest.mark.parametrize("name", kinds())
def test_a_closed_system_keeps_its_energy(name):
    """Rotors, springs and link for 1 s, solved tightly: what the laws give is one energy's."""
    ode = Ode(free(name))
    motion = ode.solve(start(name), np.linspace(0.0, 1.0, 21))
    energy = np.array([ode.energy(y) for y in motion])
    scale = np.ptp([ode.energy(y * [1, 0, 1, 0, 1, 0]) for y in motion])
    assert scale > 1e-9
    assert np.abs(energy - energy[0]).max() <= 1e-6 * scale


@cache
def truth(name):
    """(N,) Angle of the link from rest under TORQUES, by scipy."""
    actuator = free(name)
    ode = Ode(actuator)
    numbers = np.zeros(len(actuator.state))
    ode.f["store_state"](ode.f["start"](0.0, ode.p), numbers, 0)
    at = np.zeros(6)
    if "rotor_2.theta" in actuator.state:
        at[4] = numbers[actuator.state.index("rotor_2.theta")]
    return ode.solve(at, TIME, TORQUES)[:, 0]


def played(name, timestep):
    """(N,) Angle of the link under TORQUES in MuJoCo."""
    spec = mujoco.MjSpec.from_string(
        f'''<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody><body>
        <inertial pos="0 0 0" mass="1" diaginertia="{LINK} {LINK} {LINK}"/>
        <joint name="a" axis="0 0 1"/></body></worldbody></mujoco>'''
    )
    pliant.attach(spec, {"a": free(name)})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = TORQUES[: model.nu]
    data.qfrc_applied[:] = TORQUES[2]
    every = round(1e-3 / timestep)
    found = [data.qpos[0]]
    for k in range(every * (len(TIME) - 1)):
        mujoco.mj_step(model, data)
        if (k + 1) % every == 0:
            found.append(data.qpos[0])
    return np.array(found)


@pytest.mark.parametrize("name", MOVED)
def test_mujoco_follows_the_ode_in_proportion_to_the_step(name):
    expected = truth(name)
    errors = [np.abs(played(name, h) - expected).max() for h in (2e-4, 1e-4)]
    assert errors[1] < 0.02 * np.ptp(expected)
    assert errors[1] < 0.7 * errors[0]
