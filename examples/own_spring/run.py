"""A user-defined spring, outside the package: one law file and one TOML that names it.

It runs, compiled, in the joint engine, in MuJoCo and in `Batch`. First check its properties:
`pliant check examples/own_spring/hardening_spring.py`.
"""

from pathlib import Path

import mujoco
import numpy as np

import pliant
from pliant.engines.joint.engine import JointEngine
from pliant.engines.joint.simulate import simulate

INERTIA = 0.05
"""Inertia of the link [kg m^2]."""
LINK = f"""
<mujoco>
  <option timestep="0.001" gravity="0 0 0"/>
  <worldbody><body>
    <inertial pos="0 0 0" mass="1" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
    <joint name="joint"/>
  </body></worldbody>
</mujoco>
"""


def main() -> None:
    actuator = pliant.load_actuator(Path(__file__).with_name("my_joint.toml"))

    engine = JointEngine(actuator, plant="inertia")
    time = np.arange(0.0, 1.0005, 0.001)
    trace = simulate(engine, time, 0.5, changes={"plant.inertia": INERTIA})
    print(
        f"joint engine: {trace.position[-1]:.4f} rad, {trace.stiffness.max():.0f} N m/rad at most"
    )

    spec = mujoco.MjSpec.from_string(LINK)
    pliant.attach(spec, {"joint": actuator})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.5
    mujoco.mj_step(model, data, nstep=1000)
    print(f"MuJoCo:       {data.qpos[0]:.4f} rad")

    try:
        from mujoco.batch import Batch
    except ImportError:
        print("this MuJoCo has no Batch")
        return
    batch = Batch(model, 16, nthread=2)
    goals = np.repeat(np.linspace(0.1, 0.8, 16)[:, None, None], 1000, axis=1)
    found = batch.rollout(1000, goals, record=("qpos",))["qpos"][:, -1, 0]
    print(f"Batch of 16:  {found[0]:.4f} to {found[-1]:.4f} rad")


if __name__ == "__main__":
    main()
