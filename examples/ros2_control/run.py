"""The joint of a ros2_control component with the C header, compared with `pliant.Stepper`.

`servo_system.cpp` is the component, which needs ROS 2; this program runs only its joint, with a period of 10 ms
like a controller manager's.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import pliant

SERVO, INERTIA, WEIGHT, GOAL, STEP, STEPS = "xl330_bam_m6", 0.005, 0.48, 0.8, 1e-3, 2000
PROGRAM = f"""
#include <cstdio>
#include "simulated_joint.hpp"
int main() {{
  SimulatedJoint joint;
  joint.inertia = {INERTIA};
  joint.weight = {WEIGHT};
  joint.rest();
  joint.goal = {GOAL};
  for (int k = 0; k < {STEPS // 10}; k++) {{
    joint.advance(10 * SimulatedJoint::STEP);
    std::printf("%.17g\\n", joint.position);
  }}
}}
"""


def by_stepper() -> np.ndarray:
    stepper = pliant.Stepper([SERVO], step=STEP)
    stepper.inertia[:] = INERTIA
    q, v, moved = 0.0, 0.0, list[float]()
    for _ in range(STEPS):
        stepper.load[:] = load = -WEIGHT * np.sin(q)
        torque, _ = stepper.step(q, v, GOAL)
        force = float(torque[0] + stepper.friction[0] + load)
        v += force / (INERTIA + float(stepper.armature[0])) * STEP
        q += v * STEP
        moved.append(q)
    return np.array(moved)[9::10]


def main() -> None:
    if shutil.which("g++") is None:
        print("no compiler: apt-get install g++")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pliant.export(SERVO, "c", folder / "servo.h", name="servo")
        (folder / "main.cpp").write_text(PROGRAM)
        words = [
            "-std=c++17",
            f"-I{folder}",
            f"-I{Path(__file__).parent}",
            str(folder / "main.cpp"),
        ]
        subprocess.run(["g++", *words, "-o", str(folder / "main")], check=True)
        done = subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True)
    apart = 1e3 * np.abs(np.array(done.stdout.split(), float) - by_stepper())
    print(f"{STEPS * STEP:g} s of one joint: {apart.max():.1e} mrad apart at most")


if __name__ == "__main__":
    main()
