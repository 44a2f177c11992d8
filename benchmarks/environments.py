"""Gymnasium's vector environment: 64 arms on two threads, on one, and as a Python loop of torques.

Ratios are of runs in turn. The loop has what people write today, NumPy over the joints before each
`mj_step`, and neither observations nor rewards.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median

import mujoco
import numpy as np
from attach_cost import PythonServos

from pliant.envs import ReachVectorEnv
from pliant.envs.arms import FRAME_SKIP

WORLDS, ACTIONS, ROUNDS = 64, 100, 9


def rows() -> Iterator[tuple[str, str, str]]:
    """Two threads against one, and against the loop."""
    sides = [vector(threads=2), vector(threads=1), loop()]
    for side in sides:
        side()
    times = [[side() for side in sides] for _ in range(ROUNDS)]
    steps = WORLDS * FRAME_SKIP * ACTIONS / median(two for two, _, _ in times)
    for other, name, bar in ((1, "one thread", "1.7"), (2, "a Python loop", "5")):
        ratios = [one[other] / one[0] for one in times]
        yield (
            f"{WORLDS} arms of two M6 servos on two threads, how many times as fast as {name}",
            f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); {steps:.0f} steps/s",
            bar,
        )


def vector(threads: int) -> Callable[[], float]:
    """Seconds of `ACTIONS` actions of the environment."""
    env = ReachVectorEnv(WORLDS, threads=threads)
    env.reset(seed=1)
    random = np.random.default_rng(1)
    actions = random.uniform(-1.0, 1.0, (ACTIONS, WORLDS, 2)).astype(np.float32)

    def run() -> float:
        begin = time.perf_counter()
        for action in actions:
            env.step(action)
        return time.perf_counter() - begin

    return run


def loop() -> Callable[[], float]:
    """Seconds of as many steps with the servos written in Python."""
    servos = PythonServos("xl330_bam_m6", 2)
    model = servos.spec.compile()
    every = [mujoco.MjData(model) for _ in range(WORLDS)]
    random = np.random.default_rng(1)
    goals = random.uniform(-0.5, 0.5, (ACTIONS // 10, WORLDS, 2))

    def run() -> float:
        begin = time.perf_counter()
        for goal in goals:
            for data, servos.goal in zip(every, goal, strict=True):
                for _ in range(FRAME_SKIP):
                    servos(model, data)
                    mujoco.mj_step(model, data)
        return 10.0 * (time.perf_counter() - begin)

    return run
