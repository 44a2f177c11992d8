"""The table of what Pliant reaches, measured here and now: `python benchmarks [NAME …]`.

Run it on an otherwise idle machine. Ratios are of runs in turn; medians are quoted.
"""

import importlib
import os
import platform
import sys
from importlib.metadata import version

NAMES = (
    "startup", "joint_speed", "reference", "identification", "parity", "attach_cost", "sticking",
)  # fmt: skip


def main(names: list[str]) -> None:
    used = ", ".join(f"{name} {version(name)}" for name in ("pliant", "mujoco", "numba"))
    machine = f"{platform.machine()}, {os.cpu_count()} processors"
    print(f"{machine}, Python {platform.python_version()}, {used}\n")
    print("| what | measured | bar |\n|---|---|---|")
    for name in names or NAMES:
        for row in importlib.import_module(name).rows():
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
