"""An actuator as a C header: a C program replays a recorded log with it, and agrees with Pliant."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import pliant
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.io.log import example_logs

STEP = 2e-4  # [s]


def main() -> None:
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        print("no C compiler here; install gcc or clang")
        return
    log = pliant.read_log(example_logs()[0])
    servo = pliant.actuator("xl330_bam_m6", kp=log.gain)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pliant.export(servo, "c", folder / "actuator.h", name="servo")
        source, program = Path(__file__).with_name("replay.c"), folder / "replay"
        words = ["-std=c99", "-O2", f"-I{folder}", str(source), "-o", str(program), "-lm"]
        subprocess.run([compiler, *words], check=True)
        rows = np.column_stack([log.time, log.goal, log.position, log.enabled])
        given = "\n".join(",".join(f"{x:.17g}" for x in row) for row in rows)
        zero = servo.bench["position_offset"].value
        constants = [log.mass, log.length, zero, log.supply, STEP]
        ran = subprocess.run(
            [str(program), *map(str, constants)],
            input=given,
            text=True,
            capture_output=True,
            check=True,
        )
    in_c = np.array(ran.stdout.split(), dtype=float)
    engine = JointEngine(servo, settings=JointSettings(max_step=STEP))
    own = engine.rollout(log).position
    apart, error = np.abs(in_c - own).max(), np.abs(in_c - log.position).mean()
    print(
        f"C against the recording: {1e3 * error:.1f} mrad; against Pliant: {1e3 * apart:.2f} mrad"
    )


if __name__ == "__main__":
    main()
