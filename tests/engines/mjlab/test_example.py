"""The example of mjlab runs, and its policy drives the same joints in MuJoCo."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mjlab.entity")
ROOT = Path(__file__).parents[3]


def test_a_policy_trained_in_mjlab_moves_mujoco_the_same_way() -> None:
    command = [sys.executable, ROOT / "examples" / "mjlab" / "train.py", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    worst = [float(x) for x in re.findall(r"at most ([\d.]+)", done.stdout)]
    assert len(worst) == 2
    assert max(worst) < 0.01
