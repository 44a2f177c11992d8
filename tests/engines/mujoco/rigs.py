"""Small rigs on which attached actuators are tried: wheels without gravity, and their play."""

from collections.abc import Mapping

import mujoco
import numpy as np
import pytest

import pliant

INTEGRATORS = ["Euler", "implicitfast", "implicit", "discrete"]


def spec_of(body: str, option: str = "", rest: str = "") -> mujoco.MjSpec:
    if "discrete" in option and not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        pytest.skip("this MuJoCo has no integrator discrete")
    return mujoco.MjSpec.from_string(
        f"<mujoco><option {option}/><worldbody>{body}</worldbody>{rest}</mujoco>"
    )


def wheel(name: str = "a", inertia: float = 0.01, joint: str = "") -> str:
    """A body that turns about z, its mass on the axis."""
    return (
        f'<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 {inertia}"/>'
        f'<joint name="{name}" axis="0 0 1" {joint}/></body>'
    )


def wheels(actuators: Mapping[str, object], option: str = "", **each: float) -> mujoco.MjModel:
    """One wheel per joint of `actuators`, in the order of `each` (name to inertia) if given."""
    inertias = each or dict.fromkeys(actuators, 0.01)
    spec = spec_of("".join(wheel(n, i) for n, i in inertias.items()), f'gravity="0 0 0" {option}')
    pliant.attach(spec, actuators)
    return spec.compile()


def played(model: mujoco.MjModel, controls: np.ndarray, data: mujoco.MjData | None = None):
    """(T, nq) positions after each step under (T, nu) controls."""
    data = mujoco.MjData(model) if data is None else data
    positions = np.empty((len(controls), model.nq))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        positions[k] = data.qpos
    return positions


def delayed(name: str, delay: float) -> pliant.Actuator:
    late = pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
    return late.with_values({"timing.delay": delay}, "test", "assumed")


def changed(name: str, **values: float) -> pliant.Actuator:
    """An actuator with other numbers; `control__kp` stands for control.kp."""
    new = {key.replace("__", "."): value for key, value in values.items()}
    return pliant.load_actuator(name).with_values(new, "test", "assumed")
