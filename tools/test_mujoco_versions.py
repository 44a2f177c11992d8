"""Run what stands on MuJoCo under both ends of its range, each in a virtual environment.

python tools/test_mujoco_versions.py [FOLDER] [--beside PYTHON]

The environments are made in FOLDER (default: a temporary one) and used again where they exist. An end
that PYTHON has already, in whose environment all tests were run, is left out. The oldest MuJoCo has the
oldest llvmlite beside it, whose tests run there too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST, NEWEST = "mujoco==3.11.*", "mujoco>=4,<5"
NEWEST_MAJOR = "4."
OLDEST_LLVMLITE = "llvmlite==0.45.*"
TOOLS = ("pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.115")
TESTS = (
    "tests/lower",
    "tests/engines",
    "tests/robots",
    *(
        f"tests/estimate/test_{name}.py"
        for name in ("cartesian", "dynamics", "forms", "model_error")
    ),
)
NO_MUJOCO = ("tests/engines/joint", "tests/engines/compliant/test_alone.py")


def tested(folder: Path, mujoco: str, workers: int) -> tuple[int, str]:
    """Exit status and output of installing this package beside `mujoco` and testing it."""
    home = folder / "".join(c if c.isalnum() else "_" for c in mujoco)
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade", ROOT, mujoco, *TOOLS]
    install += [OLDEST_LLVMLITE] if mujoco == OLDEST else []
    version = [python, "-c", "import mujoco; print(mujoco.__version__)"]
    without = [word for path in NO_MUJOCO for word in ("--ignore", path)]
    test = [python, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider"]
    output = ""
    for command in (install, version, [*test, *without, *TESTS]):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        output += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, output
    return 0, output


def missing(beside: Path | None) -> list[str]:
    """The ends that an interpreter has not."""
    if beside is None:
        return [OLDEST, NEWEST]
    command = [beside, "-c", "import mujoco; print(mujoco.__version__)"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"MuJoCo {version} is tested already")
    return [OLDEST] if version.startswith(NEWEST_MAJOR) else [OLDEST, NEWEST]


def main(folder: Path, ends: list[str]) -> int:
    """Test the ends at once; print what each said."""
    failed = 0
    workers = max(1, (os.cpu_count() or 1) // len(ends))
    with ThreadPoolExecutor() as pool:
        runs = {mujoco: pool.submit(tested, folder, mujoco, workers) for mujoco in ends}
        for mujoco, run in runs.items():
            status, output = run.result()
            print(f"--- {mujoco}: {'failed' if status else 'passed'}\n{output}", flush=True)
            failed += status != 0
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The tests under other MuJoCos.")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--beside", type=Path, metavar="PYTHON")
    said = parser.parse_args()
    ends = missing(said.beside)
    if said.folder:
        sys.exit(main(said.folder.resolve(), ends))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary), ends))
