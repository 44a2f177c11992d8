"""Servos of an arm from motions of it, simulated finer, with delays, noise, 12 bit, a wrong mass.

`python benchmarks/robots.py`: some minutes. Starting values are up to 65 % off in every number.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import pliant
from pliant.assemble import Actuator
from pliant.identification.search.search import SearchSettings
from pliant.robots.identify import RobotIdentification, identify_robot

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples"))

from arm_recordings import QUANTUM, record  # noqa: E402

ARM = ROOT / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
DEVICES, DELAYS = {"R1": "mx106", "R2": "mx64"}, {"R1": 0.012, "R2": 0.008}
BODY = "sw_segment_64"
CASES = (("m4", 1.0), ("m4", 1.05), ("m6", 1.05))
"""Friction model, factor of the second link's real mass."""
SEARCH = SearchSettings(starts=2, jacobians=16)
FIT = {"*.timing.delay": (0.0, 0.05)}


def truth(model: str) -> dict[str, Actuator]:
    """Actuators that drive the recorded arm."""
    made: dict[str, Actuator] = {}
    for joint, device in DEVICES.items():
        servo = pliant.load_actuator(f"{device}_bam_{model}")
        servo = pliant.with_law(
            pliant.with_law(servo, "timing", "command_delay"), "sensing", "encoder"
        )
        values = {"timing.delay": DELAYS[joint], "sensing.quantum": QUANTUM}
        made[joint] = servo.with_values(values, "truth", "assumed")
    return made


def guess(servos: Mapping[str, Actuator], seed: int = 1) -> dict[str, Actuator]:
    """Actuators at which the fit begins."""
    rng = np.random.default_rng(seed)
    made: dict[str, Actuator] = {}
    for joint, exact in servos.items():
        servo = pliant.with_law(exact, "sensing", "ideal")
        values = {
            name: float(np.clip(n.value * np.exp(rng.uniform(-0.5, 0.5)), n.low, n.high))
            for name, n in servo.numbers.items()
            if n.how == "identified" and n.low is not None and n.high is not None
        }
        made[joint] = servo.with_values(values, "guess", "identified").with_values(
            {"timing.delay": 0.0}, "guess", "assumed"
        )
    return made


def stall(servo: Actuator) -> float:
    """Torque of the stalled motor per volt."""
    return servo.value("motor.k_t") / servo.value("motor.R")


def fit(model: str, mass: float) -> tuple[dict[str, Actuator], RobotIdentification]:
    """Record, and identify."""
    servos = truth(model)
    runs = [
        record(ARM, servos, name, mass={BODY: mass}, seed=k, off_from=4.5 if k == 3 else np.inf)
        for k, name in enumerate(("fast", "rising", "steps", "slow"))
    ]
    other = [record(ARM, servos, "mixed", mass={BODY: mass}, seed=9)]
    return servos, identify_robot(
        ARM,
        guess(servos),
        runs,
        held_out=other,
        replace=True,
        fit=FIT,
        fix=["*.control.*"],
        search_settings=SEARCH,
    )


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    for model, mass in CASES:
        servos, found = fit(model, mass)
        torque = [
            f"{100 * (stall(found.actuators[j]) / stall(servos[j]) - 1):+.1f} %" for j in servos
        ]
        held = found.held_out.mae if found.held_out else np.nan
        out.append(
            (
                f"2R arm, {model.upper()}, mass of link 2 x {mass:g}: held out [mrad]",
                f"{1e3 * held:.2f} (fitted {1e3 * found.fitted.mae:.2f}; torque "
                f"{', '.join(torque)}; {found.seconds:.0f} s)",
                "-",
            )
        )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row), flush=True)
