"""Several kinds of actuators in an empty cache: other processes help, and nobody compiles twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ARM = Path(__file__).parents[3] / "examples" / "arm.xml"
ATTACH = f"""
import subprocess, mujoco, pliant
began = []
class Counted(subprocess.Popen):
    def __init__(self, *a, **k):
        began.append(a)
        super().__init__(*a, **k)
subprocess.Popen = Counted
spec = mujoco.MjSpec.from_file({str(ARM)!r})
pliant.attach(spec, {{"shoulder": "xl330_bam_m1", "elbow": "sea_walkman_200"}})
model = spec.compile()
data = mujoco.MjData(model)
mujoco.mj_step(model, data, nstep=100)
print(len(began), data.qpos.tolist())
"""


def attached(cache: Path) -> tuple[int, str]:
    environment = {**os.environ, "PLIANT_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", ATTACH], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    count, _, where = done.stdout.partition(" ")
    return int(count), where


@pytest.mark.slow
def test_kinds_are_compiled_side_by_side_once(tmp_path: Path) -> None:
    helpers, where = attached(tmp_path)
    assert helpers == min(os.cpu_count() or 1, 2) - 1
    files = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "compiled").glob("*.nbc")}
    again, there = attached(tmp_path)
    assert (again, there) == (0, where)
    now = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "compiled").glob("*.nbc")}
    assert now == files
