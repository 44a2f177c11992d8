"""Run the tests of code that depends on other packages, at both ends of every version range.

python tools/test_versions.py [FOLDER] [--beside PYTHON] [--install END]

The lowest end has the lowest version of every dependency that pyproject.toml allows, the highest the one that
pip selects. The environments are created in FOLDER (default: a temporary one), by the Python that runs this,
or reused if they exist. If all tests have been run with PYTHON, the end that it has is skipped. `--install`
only creates the environment of END and tests nothing, to use an idle core.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = ("identify", "plots", "parquet", "bags")
"""Extras required by the tests below; tests of other extras are skipped if those are missing."""
HIGHEST, LOWEST = "highest", "lowest"
NEWEST_MAJOR = "4."
TOOLS = ("pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.115", "mcap-ros2-support>=0.5")
TESTS = (
    "-m",
    "not long and not slow",
    *(f"tests/{name}" for name in ("io", "lower", "engines")),
    "tests/conformance/test_topologies.py",
    *(
        f"tests/robots/test_{name}.py"
        for name in ("attach_robot", "references", "robot", "robot_file", "urdf")
    ),
    *(f"tests/estimate/test_{name}.py" for name in ("cartesian", "dynamics", "forms")),
    # Not in these: physics, checks of motions and text for other hosts, which depend on no package.
    *(
        f"--ignore=tests/{name}"
        for name in (
            "engines/compliant",
            "engines/hosts",
            "io/test_robot_checks.py",
            "io/test_velocity.py",
        )
    ),
)
"""Files are read, laws compiled, models attached to and simulated."""


def lowest() -> list[str]:
    """The lowest version of each dependency: "numpy >=2.0,<3" as "numpy==2.0.*"."""
    asked = [*PROJECT["dependencies"]]
    for extra in EXTRAS:
        asked += PROJECT["optional-dependencies"][extra]
    found = [re.match(r"([\w-]+) *>=([\d.]+)", one) for one in asked]
    return [f"{one[1]}=={one[2]}.*" for one in found if one is not None]


def tested(folder: Path, end: str, workers: int) -> tuple[int, str]:
    """Exit status and output of installing this package with an end's versions, and testing it.

    Without `workers` it is only installed.
    """
    python = folder / end / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(folder / end, with_pip=True)
    this = f"{ROOT}[{','.join(EXTRAS)}]"
    pins = lowest() if end == LOWEST else []
    pip = [python, "-m", "pip", "install", "--quiet", "--upgrade", "--no-compile"]
    install = [*pip, "-e", this, *pins, *TOOLS]
    versions = [python, "-m", "pip", "list"]
    test = [python, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider", *TESTS]
    output = ""
    for command in (install, versions, *([test] if workers else [])):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
        output += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, output
    return 0, output


def missing(beside: Path | None) -> list[str]:
    """The ends that an interpreter does not have."""
    if beside is None:
        return [LOWEST, HIGHEST]
    command = [beside, "-c", "import mujoco; print(mujoco.__version__)"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"MuJoCo {version} is tested already")
    return [LOWEST] if version.startswith(NEWEST_MAJOR) else [LOWEST, HIGHEST]


def main(folder: Path, ends: list[str], *, test: bool) -> int:
    """Install and test both ends in parallel; print their output."""
    failed = 0
    workers = max(1, (os.cpu_count() or 1) // len(ends)) if test else 0
    with ThreadPoolExecutor() as pool:
        runs = {end: pool.submit(tested, folder, end, workers) for end in ends}
        for end, run in runs.items():
            status, output = run.result()
            print(f"--- {end}: {'failed' if status else 'passed'}\n{output}", flush=True)
            failed += status != 0
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The tests under other versions of all packages.")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--beside", type=Path, metavar="PYTHON")
    parser.add_argument("--install", choices=[LOWEST, HIGHEST], metavar="END")
    said = parser.parse_args()
    ends = [said.install] if said.install else missing(said.beside)
    with tempfile.TemporaryDirectory() as temporary:
        folder = said.folder.resolve() if said.folder else Path(temporary)
        sys.exit(main(folder, ends, test=not said.install))
