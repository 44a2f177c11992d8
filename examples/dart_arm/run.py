"""An actuator's C header in DART: an arm with two servos, compared with the same arm in MuJoCo.

DART has no rotor inertia: in both simulators it is added to the links.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import mujoco
import numpy as np

import pliant

SERVO, GOALS, SECONDS = "xl330_bam_m6", (0.8, -0.6), 2.0
ARM = str(Path(__file__).parents[1] / "pybullet_arm" / "arm.urdf")
NEEDED = Path("/usr/include/dart/dart.hpp")


def in_dart(folder: Path, step: float) -> np.ndarray:
    moved = folder / "moved.txt"
    words = [str(folder / "arm"), str(step), str(moved)]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return np.loadtxt(moved)


def in_mujoco(step: float) -> np.ndarray:
    spec = mujoco.MjSpec.from_file(ARM)
    spec.option.timestep = step
    pliant.attach(spec, dict.fromkeys(("shoulder", "elbow"), SERVO))
    model = spec.compile()
    model.body_inertia[1:, 1] += model.dof_armature  # about the axis of the joints
    model.dof_armature[:] = 0.0
    data = mujoco.MjData(model)
    data.ctrl[:] = GOALS
    moved: list[np.ndarray] = []
    for _ in range(round(SECONDS / step)):
        mujoco.mj_step(model, data)
        moved.append(np.array(data.qpos))
    return np.array(moved)


def main() -> None:
    if shutil.which("g++") is None or not NEEDED.is_file():
        print("DART is not installed: apt-get install g++ libdart-dev")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pliant.export(SERVO, "c", folder / "servo.h", name="servo")
        words = ["-std=c++17", "-O2", f"-I{folder}", "-I/usr/include/eigen3"]
        source = str(Path(__file__).with_name("arm.cpp"))
        subprocess.run(["g++", *words, source, "-o", str(folder / "arm"), "-ldart"], check=True)
        for step in (2e-3, 1e-3, 5e-4):
            apart = 1e3 * np.abs(in_dart(folder, step) - in_mujoco(step))
            said = f"{apart.mean():.3f} mrad apart, {apart.max():.2f} at most"
            print(f"DART and MuJoCo with steps of {1e3 * step:g} ms: {said}")


if __name__ == "__main__":
    main()
