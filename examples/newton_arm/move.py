"""Two XL330 on an arm in Newton: command 0.5 rad, and print their positions after a second.

pip install "pliant[newton]"
python examples/newton_arm/move.py
"""

from pathlib import Path

import newton
import numpy as np

from pliant.engines.newton import add_actuators, install

TIMESTEP = 0.002
ARM = Path(__file__).parents[1] / "arm.xml"


def main() -> None:
    """Build, step, print the positions."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(str(ARM))
    servos = {"shoulder": "xl330_bam_m6", "elbow": "xl330_bam_m6"}
    add_actuators(builder, servos, timestep=TIMESTEP)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model, integrator="implicitfast")
    friction = install(solver, model)
    now, after, control = model.state(), model.state(), model.control()
    control.joint_target_q.assign(np.full(2, 0.5, np.float32))
    states = [(actuator.state(), actuator.state()) for actuator in model.actuators]
    for _ in range(round(1.0 / TIMESTEP)):
        for k, actuator in enumerate(model.actuators):
            actuator.step(now, control, *states[k], dt=TIMESTEP)
            states[k] = states[k][::-1]
        now.clear_forces()
        solver.step(now, after, control, None, TIMESTEP)
        now, after = after, now
        control.joint_f.zero_()
    friction.check_running()
    print("after 1 s [rad]:", np.round(now.joint_q.numpy(), 3))


if __name__ == "__main__":
    main()
