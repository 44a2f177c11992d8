"""`python -m tests.soak --steps 1e7`: three arms in turn, with random goals; says what was seen."""

import argparse
import resource
import sys
from pathlib import Path

import mujoco
import numpy as np

import pliant

ARM = Path(__file__).parents[2] / "examples" / "arm.xml"
ARMS = (
    {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"},
    {"shoulder": "qbmove_maker_pro", "elbow": "qbmove_maker_pro"},
    {"shoulder": "qbmove_maker_pro", "elbow": "awas_ii"},
)
BLOCK, WARM, MOST = 1000, 20, 8 * 2**20
"""Steps at once, blocks before memory is measured, and [bytes] by which it may grow after that."""


def main(words: list[str] | None = None) -> int:
    """Step them, and say how memory and state held; 1 if they did not."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--steps", type=float, default=1e7)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    arms = [(model, mujoco.MjData(model)) for model in map(compiled, ARMS)]
    random, begun = np.random.default_rng(given.seed), 0
    blocks = max(WARM + 1, int(given.steps / BLOCK / len(arms)))
    for k in range(blocks):
        for model, data in arms:
            data.ctrl[:] = random.uniform(-0.5, 0.5, model.nu)
            mujoco.mj_step(model, data, nstep=BLOCK)
        if not all(np.isfinite([*data.qpos, *data.qvel, *data.act]).all() for _, data in arms):
            print(f"not finite after {(k + 1) * BLOCK} steps of each")
            return 1
        if k == WARM:
            begun = memory()
    grown, warned = memory() - begun, sum(w.number for _, data in arms for w in data.warning)
    print(f"{blocks * BLOCK * len(arms)} steps, {grown / 2**20:.1f} MiB more, {warned} warnings")
    return int(grown > MOST or warned > 0)


def compiled(actuators: dict[str, str]) -> mujoco.MjModel:
    """The arm with these."""
    spec = mujoco.MjSpec.from_file(str(ARM))
    pliant.attach(spec, actuators)
    return spec.compile()


def memory() -> int:
    """[bytes] The most that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.exit(main())
