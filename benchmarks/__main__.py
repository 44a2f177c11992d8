"""Pliant's current figures, measured on this machine: `python benchmarks [NAME …]`.

Run it on an otherwise idle machine. Ratios are of interleaved runs, as medians. `sts3032` needs
recordings that are not part of Pliant: `python benchmarks sts3032 --logs FOLDER`. `arm_recipe` prints stored results without
them.
"""

import argparse
import datetime
import importlib
import os
import platform
from importlib.metadata import version

NAMES = (
    "startup",
    "joint_speed",
    "lanes",
    "reference",
    "identification",
    "rings",
    "seeds",
    "recalibration",
    "choice",
    "sts3032",
    "arm_recipe",
    "robots",
    "health",
    "parity",
    "attach_cost",
    "play_cost",
    "training",
    "warp_start",
    "environments",
    "sticking",
    "compensation",
    "tuning",
    "compliant",
    "tight",
    "page",
    "estimator",
    "spring_changes",
    "stated_deviations",
    "recordings",
)

WITH_LOGS = ("rings", "sts3032", "arm_recipe")
"""Benchmarks that need recordings outside Pliant."""


def main(names: list[str], logs: str | None) -> None:
    used = ", ".join(f"{name} {version(name)}" for name in ("pliant", "mujoco", "llvmlite"))
    machine = f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} processors"
    print(f"{machine}, Python {platform.python_version()}, {used}\n")
    print("| what | measured | bar |\n|---|---|---|")
    for name in names or NAMES:
        module = importlib.import_module(name)
        for row in module.rows(logs) if name in WITH_LOGS else module.rows():
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--logs", metavar="FOLDER", help="recordings of the STS3032, or of the SO-101"
    )
    given = parser.parse_args()
    for name in set(given.names) - {*NAMES}:
        parser.error(f"no such benchmark: {name}; there are {', '.join(NAMES)}")
    main(given.names, given.logs)
