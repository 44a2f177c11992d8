"""First step in MuJoCo Warp of a fresh process: time that an actuator adds to the engine's own.

One folder of compiled kernels, filled in turn: MuJoCo Warp's own position actuators without it and
with it, then an actuator of Pliant that is not compiled yet, and again.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

STEP = """
import sys, time
sys.path.insert(0, {here!r})
import mujoco_warp as mjw, warp as wp
from attach_cost import arm, native
from pliant.engines.mujoco_warp import attach, install
wp.config.quiet = True
if {ours}:
    spec = arm(6)
    attachment = attach(spec, {{f"j{{k}}": "xl330_bam_m6" for k in range(6)}})
    model = spec.compile()
else:
    model = native(6, "implicitfast", "xl330_bam_m6")
began, used = time.perf_counter(), time.process_time()
m, d = mjw.put_model(model), mjw.make_data(model, nworld=16, njmax=64)
if {ours}:
    install(attachment, model, m, d)
mjw.step(m, d)
d.qpos.numpy()
print(time.perf_counter() - began, time.process_time() - used)
"""


def first_step(folder: str, *, ours: bool) -> tuple[float, float]:
    """Seconds from the compiled model to the end of the first step: elapsed, and of the processor."""
    code = STEP.format(here=str(Path(__file__).parent), ours=ours)
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "WARP_CACHE_PATH": folder, "PLIANT_CACHE_DIR": folder},
    )
    elapsed, used = done.stdout.split()[-2:]
    return float(elapsed), float(used)


def rows() -> Iterator[tuple[str, str, str]]:
    """(what, measured, bar)"""
    with tempfile.TemporaryDirectory() as folder:
        empty, known = (first_step(folder, ours=False) for _ in range(2))
        cold, cached = (first_step(folder, ours=True) for _ in range(2))
    yield (
        "first step in MuJoCo Warp (CPU device) with its own actuators [s], cold and cached",
        f"{empty[0]:.1f}, {known[0]:.1f} (processor {empty[1]:.1f}, {known[1]:.1f})",
        "",
    )
    for name, took, bar in (("cold", cold, 30), ("cached", cached, 3)):
        yield (
            f"first step with an actuator of Pliant, beyond that [s], {name}",
            f"{took[0] - known[0]:.1f} (processor {took[1] - known[1]:.1f})",
            f"<= {bar}",
        )


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
