"""One model on the XL330's 12 logs, from process start to written file, and from six seeds."""

import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from pliant.io.log import example_logs

SEEDS = range(1, 7)


def command(seed: int, path: Path) -> list[str]:
    """The arguments of `pliant identify` with this seed."""
    logs = map(str, example_logs())
    laws = "timing=command_delay,driver=pulsed_supply"
    options = ["--actuator", "xl330_bam_m6", "--law", laws, "--seed", str(seed)]
    return ["identify", *logs, *options, "--output", str(path)]


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    errors: list[float] = []
    seconds: list[float] = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "found.toml"
            began = time.monotonic()
            words = command(seed, path)
            subprocess.run(
                [sys.executable, "-m", "pliant.cli", *words], check=True, capture_output=True
            )
            seconds.append(time.monotonic() - began)
            errors.append(tomllib.loads(path.read_text())["identification"]["mae_mrad"])
    return [
        (
            "XL330, 12 logs, M6 with delay and pulsed supply, all starts, with intervals, from "
            "process start to file [s]",
            f"{statistics.median(seconds):.0f} (longest {max(seconds):.0f}, {len(seconds)} runs)",
            "<= 60",
        ),
        (
            f"spread of its error over {len(errors)} seeds, (largest - smallest) / smallest",
            f"{100 * (max(errors) / min(errors) - 1):.1f} % ("
            + ", ".join(f"{error:.1f}" for error in errors)
            + " mrad)",
            "<= 5 %",
        ),
    ]


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
