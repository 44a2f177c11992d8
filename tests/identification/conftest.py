"""Recordings of a servo whose numbers are known: simulated, then quantised and made noisy."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log

TRUTH = {
    "own.armature": 0.0026,
    "motor.k_t": 0.55,
    "motor.R": 4.4,
    "friction.K_c": 0.03,
    "friction.K_v": 0.008,
}
OFFSET = 0.035
"""[rad] mounting error of the bench."""
LOADS = ((0.3, 0.1), (0.5, 0.15))
"""[kg], [m]"""


@pytest.fixture(scope="session")
def servo() -> Actuator:
    """Start of the identification: the published numbers of another device."""
    return load_actuator("xl330_bam_m1")


@pytest.fixture(scope="session")
def logs(servo: Actuator) -> list[Log]:
    """Two loads, two trajectories; 12 bit and half a bit of noise."""
    rng = np.random.default_rng(11)
    engine = JointEngine(servo.with_values(TRUTH, "test", "assumed"))
    values = engine.values({"plant.position_offset": OFFSET})
    made: list[Log] = []
    for name in ("10h28m42", "10h30m02"):
        given = read_log(next(p for p in example_logs() if p.stem.endswith(name)))
        for mass, length in LOADS:
            known = {"mass": mass, "length": length, "arm_mass": 0.0, "temperature": None}
            log = replace(given, **known, name=f"{name}_{mass:g}kg")
            position = engine.rollout(log, values).position
            bit = 2.0 * np.pi / 4096
            noisy = position + rng.normal(0.0, 0.5 * bit, len(position))
            made.append(replace(log, position=bit * np.round(noisy / bit)))
    return made
