"""The main path of every command, and how to take it."""

import os
import subprocess
import sys
from pathlib import Path

from pliant.io.log import example_logs

HERE = Path(__file__).parent
ARM = HERE.parents[1] / "examples" / "arm.xml"
COMPLIANT = ARM.with_name("compliant_arm.toml")
LOGS = [str(path) for path in example_logs() if path.stem.endswith(("10h28m32", "10h29m04"))]
SHORT = "--starts 1 --generations 2 --rounds 0 --no-intervals".split()
QUICK = [*SHORT, *"--final-generations 0 --population 4".split()]
ATTACHED = "shoulder=mx106_bam_m4,elbow=xl330_bam_m6"
ROBOT_FIXED = "*.friction.*,*.motor.*,*.own.*,*.control.*"

PATHS = {
    "demo": "--quick --output demo",
    "check": f"{ARM} {LOGS[0]}",
    "convert": "runs converted --format parquet",
    "plan": "xl330_bam_m6 --mass 0.2,0.4 --length 0.1",
    "record": "--emulated xl330_bam_m6 --mass 0.3 --length 0.1 --motion small --duration 1 --output logs",
    "identify": " ".join([*LOGS, *QUICK, "--output mine.toml --report mine.html"]),
    "choose": " ".join([*LOGS, *QUICK, "--model m1,m4 --cluster local:2 --output chosen.toml"]),
    "identify-robot": " ".join(
        [
            f"{ARM} runs --attach {ATTACHED} --law timing=command_delay --fix {ROBOT_FIXED}",
            *SHORT,
            "--output my_arm",
        ]
    ),
    "evaluate": f"xl330_bam_m6 {LOGS[0]}",
    "simulate": f"{ARM} --attach {ATTACHED} --output motion.csv",
    "view": f"{COMPLIANT} --no-browser --duration 0.5 --port 0",
    "export": "xl330_bam_m6 xl330.h --to c",
    "ros": f"{COMPLIANT} --duration 0.1 --fast --domain 86",
    "actuators": "--search XL330",
    "show": "xl330_bam_m6 --picture sheet.png",
    "plot": f"{LOGS[0]} xl330_bam_m6",
    "stiffness": "run.csv --robot arm.xml --output stiffness.csv --report stiffness.html",
    "characterise": "torque.csv --law sinh_spring --theta 0.3,-0.3 --output spring.toml",
    "reproduce": "qbmove_stiffness drive_backdrive --jobs 2 --output experiments",
    "cache": "",
}
"""Command to its arguments."""


def taken(
    command: str, folder: Path, site: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in which the `sitecustomize.py` of the folder `site` runs first."""
    return subprocess.run(
        [sys.executable, "-m", "pliant.cli", command, *PATHS[command].split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE / site), **environment},
        capture_output=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        check=False,
    )
