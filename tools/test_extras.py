"""Install this package with each extra in turn, and test what the extra provides.

python tools/test_extras.py [EXTRA …] [--folder FOLDER] [--with REQUIREMENT …]

Each environment is created in FOLDER (default: a temporary one), or reused if it exists. `--with` pins a
dependency of an extra: `--with torch==2.13.0+cpu` avoids mjlab's GPU libraries.
"""

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = {
    "warp": ["tests/engines/mujoco_warp"],
    "gym": ["tests/envs"],
    "mjlab": ["tests/engines/mjlab"],
    "newton": ["tests/engines/newton"],
    "view": ["tests/view"],
    "ros2": ["tests/ros"],
}
"""Extra to the tests of what depends on it."""
TOOLS = ("pytest>=8.3", "hypothesis>=6.115")


def tested(folder: Path, extra: str, pins: list[str]) -> int:
    """Exit status of installing this package with one extra, and testing what depends on it."""
    python = folder / extra / "bin" / "python"
    if not python.exists():
        venv.create(folder / extra, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", f"{ROOT}[{extra}]", *TOOLS, *pins]
    test = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS[extra]]
    for command in (install, [python, "-m", "pip", "check"], test):
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


def main(folder: Path, extras: list[str], pins: list[str]) -> int:
    """Test each extra; returns the number of failures."""
    failed = 0
    for extra in extras:
        status = tested(folder, extra, pins)
        print(f"--- pliant[{extra}]: {'failed' if status else 'passed'}", flush=True)
        failed += status != 0
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=", ".join(TESTS))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--with", dest="pins", action="append", default=[], metavar="REQUIREMENT")
    given = parser.parse_args()
    chosen = given.extras or list(TESTS)
    for unknown in set(chosen) - {*TESTS}:
        parser.error(f"no such extra: {unknown}; there are {', '.join(TESTS)}")
    if given.folder is not None:
        sys.exit(main(given.folder.resolve(), chosen, given.pins))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary), chosen, given.pins))
