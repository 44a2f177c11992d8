"""Run what stands on MuJoCo under both ends of its range, each in a virtual environment.

python tools/test_mujoco_versions.py [FOLDER]

The environments are made in FOLDER (default: a temporary one) and used again where they exist.
"""

import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENDS = ("mujoco==3.11.*", "mujoco>=4,<5")
TOOLS = ("pytest>=8.3", "hypothesis>=6.115")
FOLDERS = ("tests/engines", "tests/robots", "tests/learn", "tests/estimate")


def tested(folder: Path, mujoco: str) -> tuple[int, str]:
    """Exit status and output of installing this package beside `mujoco` and testing it."""
    home = folder / "".join(c if c.isalnum() else "_" for c in mujoco)
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade", ROOT, mujoco, *TOOLS]
    version = [python, "-c", "import mujoco; print(mujoco.__version__)"]
    test = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *FOLDERS]
    output = ""
    for command in (install, version, test):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        output += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, output
    return 0, output


def main(folder: Path) -> int:
    """Test both ends at once; print what each said."""
    failed = 0
    with ThreadPoolExecutor() as pool:
        runs = {mujoco: pool.submit(tested, folder, mujoco) for mujoco in ENDS}
        for mujoco, run in runs.items():
            status, output = run.result()
            print(f"--- {mujoco}: {'failed' if status else 'passed'}\n{output}", flush=True)
            failed += status != 0
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary)))
