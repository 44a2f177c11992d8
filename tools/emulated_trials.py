"""Trials of recorder, plan and identification on servos whose numbers are known.

python tools/emulated_trials.py [--trials 20] [--first 0] [--servo xl330|sts3215] [--seconds 6] [--folder FOLDER]

Each trial draws an actuator around a published one, records the standard set of it over the emulated
bus with its maker's program, in the bus's virtual time (1 Mbaud), and identifies it: 15 s of one core. The numbers that the plan says are settled should lie within
their 90 % intervals in 85 % of the trials; the error should be 2 mrad above the encoder's step at most.
"""

import argparse
import io
import tempfile
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np

import pliant
from pliant.cli import main
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.actuator_file import write_actuator
from pliant.io.log import read_logs
from pliant.record.design import MOTIONS
from pliant.record.plan import SETTLED, Limits, Planner, Run, simulated

PUBLISHED = {"xl330": "xl330_bam_m4", "sts3215": "feetech_sts3215_7_4V_bam_m1"}
MASS, LENGTH = 0.3, 0.1
SPREAD = 0.15
"""Standard deviation of a number's logarithm around the published one."""


def drawn(name: str, rng: np.random.Generator) -> pliant.Actuator:
    """An actuator whose identified numbers are off by a factor each."""
    actuator = pliant.load_actuator(name)
    values = {
        name: float(
            np.clip(number.value * np.exp(rng.normal(0.0, SPREAD)), number.low, number.high)
        )
        for name, number in actuator.numbers.items()
        if number.how == "identified" and number.low is not None and number.high is not None
    }
    return actuator.with_values(values, "drawn", "assumed")


def settled(actuator: pliant.Actuator) -> list[str]:
    """Numbers that the standard set is predicted to determine."""
    planner = Planner(actuator, Limits())
    gain = actuator.value("control.kp")
    runs = [Run(motion, gain, MASS, LENGTH) for motion in MOTIONS.values()]
    logs = [simulated(actuator, run, Limits()) for run in runs]
    planner.recorded(log for log in logs if log is not None)
    return [name for name, width in planner.widths().items() if width < SETTLED]


def trial(servo: str, seconds: float, seed: int, folder: Path) -> tuple[int, int, float]:
    """Count of numbers within their intervals, count of numbers predicted to be determined, and the error [rad]."""
    true = drawn(PUBLISHED[servo], np.random.default_rng(seed))
    write_actuator(true, folder / "true.toml")
    words = ["record", "--servo", servo, "--emulated", str(folder / "true.toml"), "--virtual-time"]
    words += ["--mass", str(MASS), "--length", str(LENGTH), "--duration", str(seconds)]
    words += ["--max-current", "20", "--output", str(folder / "logs")]
    with redirect_stderr(io.StringIO()) as said:
        if main(words) != 0:
            raise SystemExit(said.getvalue())
    logs = read_logs(folder / "logs", arm_mass=0.0)
    found = pliant.identify(PUBLISHED[servo], logs)
    sure = intervals(found)
    ends = dict(zip(sure.space.names, zip(sure.low, sure.high, strict=True), strict=True))
    names = [name for name in settled(true) if name in ends and name in true.numbers]
    outside = [n for n in names if not ends[n][0] <= true.value(n) <= ends[n][1]]
    for name in outside:
        low, high = ends[name]
        print(f"   {name}: {true.value(name):.4g} is not in {low:.4g} to {high:.4g}")
    return len(names) - len(outside), len(names), found.fitted.mae


def run(servo: str, seeds: range, seconds: float, folder: Path) -> None:
    """Run the trials, and print how many intervals held."""
    held = every = 0
    for seed in seeds:
        place = folder / f"trial_{seed}"
        place.mkdir(parents=True)
        inside, count, mae = trial(servo, seconds, seed, place)
        held, every = held + inside, every + count
        print(f"{seed}: {inside} of {count} within, {1e3 * mae:.2f} mrad", flush=True)
    step = 2.0 * np.pi / 4096
    print(
        f"{held} of {every} within their 90 % intervals; the encoder's step is {1e3 * step:.2f} mrad"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first trial")
    parser.add_argument("--servo", choices=PUBLISHED, default="xl330")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        seeds = range(given.first, given.first + given.trials)
        run(given.servo, seeds, given.seconds, given.folder or Path(scratch))
