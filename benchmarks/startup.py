"""Import time, and the first `attach` of a fresh process without and with a cache."""

import os
import subprocess
import sys
import tempfile
from statistics import median

IMPORT = "import time; t = time.perf_counter(); import pliant; print(time.perf_counter() - t)"
ATTACH = """
import time; t = time.perf_counter()
import mujoco, pliant
spec = mujoco.MjSpec.from_string(
    '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>')
pliant.attach(spec, {"j": "xl330_bam_m6"})
print(time.perf_counter() - t)
"""


def seconds(code: str, cache: str) -> float:
    """Number that a fresh process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PLIANT_CACHE_DIR": cache},
    )
    return float(done.stdout)


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(seconds(ATTACH, cache))
            warm += [seconds(ATTACH, cache) for _ in range(3)]
    with tempfile.TemporaryDirectory() as cache:
        imports = [seconds(IMPORT, cache) for _ in range(7)]
    attached = "first attach, fresh process"
    return [
        ("import pliant [s]", f"{median(imports):.3f}", "< 0.3"),
        (f"{attached}, no cache, imports included [s]", f"{median(cold):.2f}", "< 2"),
        (f"{attached}, cache, imports included [s]", f"{median(warm):.2f}", "< 1"),
    ]


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
