"""An arm of two compliant joints in MuJoCo: one spring at the elbow, two at the shoulder."""

import mujoco
import numpy as np

ARM = """<mujoco><compiler angle="radian"/><option timestep="0.001" integrator="RK4"/>
<worldbody><body>
  <joint name="shoulder" axis="0 1 0"/>
  <inertial pos="0 0 -0.13" mass="0.6" diaginertia="0.004 0.004 0.001"/>
  <body pos="0 0 -0.25"><joint name="elbow" axis="0 1 0"/>
    <inertial pos="0 0.01 -0.1" mass="0.4" diaginertia="0.002 0.002 0.0005"/></body>
</body></worldbody></mujoco>"""
K, D = 40.0, 0.15
SIDES = ((0.12, 5.0), (0.1, 5.5))
"""(k, a) of the two springs at the shoulder."""
PERIOD = 0.005


def motors(t: float) -> np.ndarray:
    """theta_a, theta_b of the shoulder, theta of the elbow."""
    swing = 0.5 * np.sin(1.1 * t) + 0.25 * np.sin(2.3 * t)
    preset = 0.45 + 0.08 * np.sin(0.37 * t)
    return np.array([swing + preset, swing - preset, 0.6 * np.sin(1.7 * t) + 0.2 * np.sin(3.1 * t)])


def shoulder(phi_a, phi_b):
    """Torque and stiffness."""
    (ka, aa), (kb, ab) = SIDES
    torque = ka * np.sinh(aa * phi_a) + kb * np.sinh(ab * phi_b)
    return torque, aa * ka * np.cosh(aa * phi_a) + ab * kb * np.cosh(ab * phi_b)


def applied(q, v, theta):
    """Torque on the links."""
    tau, _ = shoulder(q[0] - theta[0], q[0] - theta[1])
    return -np.array([tau + D * v[0], K * (q[1] - theta[2]) + D * v[1]])


def simulated(seconds: float, quantum: float = 0.0) -> dict[str, np.ndarray]:
    """Columns of a log, and `sigma_shoulder`, the truth."""
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:] = motors(0.0)[[0, 2]] - np.array([0.45, 0.0])
    every = round(PERIOD / model.opt.timestep)
    rows = []
    for k in range(round(seconds / model.opt.timestep)):
        theta = motors(data.time)
        if k % every == 0:
            rows.append([data.time, *data.qpos, *theta])
        data.qfrc_applied[:] = applied(data.qpos, data.qvel, theta)
        mujoco.mj_step(model, data)
    table = np.array(rows)
    _, sigma = shoulder(table[:, 1] - table[:, 3], table[:, 1] - table[:, 4])
    if quantum:
        table[:, 1:] = quantum * np.round(table[:, 1:] / quantum)
    names = "time q_shoulder q_elbow theta_a_shoulder theta_b_shoulder theta_elbow".split()
    return {**dict(zip(names, table.T, strict=True)), "sigma_shoulder": sigma}


def as_csv(columns: dict[str, np.ndarray]) -> str:
    """The log, without the truth."""
    names = [name for name in columns if not name.startswith("sigma")]
    lines = [",".join(names)]
    for row in zip(*(columns[name] for name in names), strict=True):
        lines.append(",".join(repr(float(x)) for x in row))
    return "\n".join(lines) + "\n"
