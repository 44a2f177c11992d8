"""An arm with the Gazebo toolbox's tags in gz-physics, using the C header, compared with MuJoCo.

`qbmove_plugin.cc` is the plugin for gz-sim, which Debian lacks; this program runs only its joint.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import mujoco
import numpy as np

import pliant
from pliant.robots import load_urdf

HERE = Path(__file__).parent
ENGINES = Path("/usr/lib/x86_64-linux-gnu/ign-physics-5/engine-plugins")
DARTSIM = ENGINES / "libignition-physics-dartsim-plugin.so"
LIBRARIES = ("ignition-physics5", "ignition-physics5-sdf", "ignition-plugin1-loader", "sdformat12")
SECONDS, REFERENCES = 2.0, {"shoulder": (0.6, 0.3), "elbow": (-0.4, 0.5)}


def built(folder: Path) -> Path:
    pliant.export("qbmove_advanced_equal", "c", folder / "qbmove.h", name="qbmove")
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", *LIBRARIES], capture_output=True, text=True, check=True
    )
    source, program = str(HERE / "physics.cc"), folder / "physics"
    words = [
        "-std=c++17",
        "-O1",
        f"-I{folder}",
        f'-DDARTSIM="{DARTSIM}"',
        source,
        "-o",
        str(program),
    ]
    subprocess.run(["g++", *words, *found.stdout.split()], check=True)
    return program


def in_physics(program: Path, step: float) -> np.ndarray:
    moved = program.with_name("moved.txt")
    subprocess.run([str(program), str(HERE / "arm.urdf"), str(step), str(moved)], check=True)
    return np.loadtxt(moved)


def in_mujoco(step: float) -> np.ndarray:
    spec, _ = load_urdf(HERE / "arm.urdf", timestep=step)
    model = spec.compile()
    data = mujoco.MjData(model)
    for joint, (equilibrium, preset) in REFERENCES.items():
        data.ctrl[model.actuator(joint).id] = equilibrium
        data.ctrl[model.actuator(f"{joint}.preset").id] = preset
    moved: list[np.ndarray] = []
    for _ in range(round(SECONDS / step)):
        mujoco.mj_step(model, data)
        moved.append(np.array(data.qpos))
    return np.array(moved)


def main() -> None:
    if not (shutil.which("g++") and shutil.which("pkg-config") and DARTSIM.is_file()):
        needed = "libignition-physics-dev libignition-physics5-dartsim-plugin5 libsdformat-dev"
        print(f"gz-physics is not installed: apt-get install g++ pkg-config {needed}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = built(Path(folder))
        for step in (2e-3, 1e-3, 5e-4):
            apart = 1e3 * np.abs(in_physics(program, step) - in_mujoco(step))
            said = f"{apart.max():.0e} mrad apart at most"
            print(f"gz-physics and MuJoCo with steps of {1e3 * step:g} ms: {said}")


if __name__ == "__main__":
    main()
