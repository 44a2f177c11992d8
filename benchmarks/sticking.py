"""A joint loaded to 65 % of its breakaway torque, and a joint that friction stops, in MuJoCo."""

from math import degrees

import mujoco
import numpy as np

import pliant

SERVO = "xl330_bam_m1"


def _joint(timestep: float, integrator: str) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    spec.option.gravity = [0.0, 0.0, 0.0]
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}", 4)
    body = spec.worldbody.add_body()
    body.add_joint(name="j", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
    body.explicitinertial, body.mass, body.inertia = True, 1.0, [0.01] * 3
    pliant.attach(spec, {"j": SERVO})
    model = spec.compile()
    model.opt.disableactuator = 1  # torque off: friction alone
    return model


def creep(timestep: float, integrator: str) -> float:
    """Degrees in 10 s under 65 % of the breakaway torque."""
    model = _joint(timestep, integrator)
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = 0.65 * pliant.load_actuator(SERVO).value("friction.K_c")
    mujoco.mj_step(model, data, nstep=round(10.0 / timestep))
    return abs(degrees(data.qpos[0]))


def stop_time_error(timestep: float, integrator: str) -> float:
    """Relative error of the time in which friction stops the joint.

    J dv/dt = -(K_c + K_v v)  =>  t = J/K_v ln(1 + K_v v_0 / K_c)
    """
    servo = pliant.load_actuator(SERVO)
    k_c, k_v = servo.value("friction.K_c"), servo.value("friction.K_v")
    model = _joint(timestep, integrator)
    data = mujoco.MjData(model)
    inertia = float(model.dof_M0[0])
    data.qvel[0] = 1.0
    expected = inertia / k_v * np.log1p(k_v * 1.0 / k_c)
    before = data.qvel[0]
    while data.qvel[0] > 1e-4:
        before = data.qvel[0]
        mujoco.mj_step(model, data)
    # Within the last step the joint decelerates at K_c / J: it stopped part of the way through.
    stopped = data.time - timestep + min(before * inertia / k_c, timestep)
    return abs(stopped - expected) / expected


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    integrators = ["euler", "implicitfast", "implicit"]
    if hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        integrators.append("discrete")
    for integrator in integrators:
        for timestep in (1e-3, 2e-3, 5e-3):
            out.append(
                (
                    f"65 % of breakaway, 10 s, {integrator}, {1e3 * timestep:g} ms",
                    f"{creep(timestep, integrator):.5f} deg; stop time off by "
                    f"{100 * stop_time_error(timestep, integrator):.2f} %",
                    "<= 0.05 deg, 2 %",
                )
            )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
