"""The main path of every command, and how to take it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pliant.io.log import example_logs

HERE = Path(__file__).parent
ARM = HERE.parents[1] / "examples" / "arm.xml"
COMPLIANT = ARM.with_name("compliant_arm.toml")
LOGS = [str(path) for path in example_logs() if path.stem.endswith(("10h28m32", "10h29m04"))]
SHORT = "--starts 1 --jacobians 2 --no-intervals".split()
ATTACHED = "shoulder=mx106_bam_m4,elbow=xl330_bam_m6"
ROBOT_FIXED = "*.friction.*,*.motor.*,*.own.*,*.control.*"

PATHS = {
    "demo": "--quick --output demo",
    "check": f"{ARM} {LOGS[0]}",
    "convert": "runs converted --format parquet",
    "plan": "xl330_bam_m6 --mass 0.2,0.4 --length 0.1",
    "record": "--emulated xl330_bam_m6 --mass 0.3 --length 0.1 --motion small --duration 1 --output logs",
    "identify": " ".join([*LOGS, *SHORT, "--output mine.toml --report mine.html"]),
    "choose": " ".join([*LOGS, *SHORT, "--model m1 --cluster local:2 --output chosen.toml"]),
    "identify-robot": " ".join(
        [
            f"{ARM} runs --attach {ATTACHED} --law timing=command_delay --fix {ROBOT_FIXED}",
            *SHORT,
            "--output my_arm",
        ]
    ),
    "evaluate": f"xl330_bam_m6 {LOGS[0]}",
    "replay": f"runs --robot {ARM} --attach {ATTACHED} --no-page",
    "simulate": f"{ARM} --attach {ATTACHED} --output motion.csv",
    "view": f"{COMPLIANT} --no-browser --duration 0.5 --port 0",
    "export": "xl330_bam_m6 xl330.h --to c",
    "tune": f"{ARM} --attach {ATTACHED} --motion wanted.csv --draws 2 --picture tuned.png",
    "compensate": f"{ARM} goals.csv --attach {ATTACHED} --motion wanted.csv",
    "ros": f"{COMPLIANT} --duration 0.1 --fast --domain 86",
    "actuators": "--search XL330",
    "show": "xl330_bam_m6 --picture sheet.png",
    "plot": f"{LOGS[0]} xl330_bam_m6",
    "stiffness": "run.csv --robot arm.xml --output stiffness.csv --report stiffness.html",
    "characterise": "torque.csv --law sinh_spring --theta 0.3,-0.3 --output spring.toml",
    "reproduce": "qbmove_stiffness qbmove_speed --jobs 2 --output experiments",
    "cache": "",
}
"""Command to its arguments."""


# Every command in one process, each with streams of its own: what a module lacks, it lacks in the first
# command that imports it.
DRIVER = """
import json, os, sys
from pathlib import Path
from pliant.cli import main
for command, words in json.loads(sys.argv[1]).items():
    sys.stdout.flush(), sys.stderr.flush()
    for number, name in ((1, "out"), (2, "err")):
        stream = os.open(f"{command}.{name}", os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(stream, number)
        os.close(stream)
    code = main([command, *words])
    Path(f"{command}.code").write_text(str(code), encoding="utf-8")
"""


@dataclass(frozen=True)
class Ended:
    """Exit status and streams of a command."""

    code: int
    out: str
    err: str


def taken(folder: Path, site: str, **environment: str) -> Callable[[str], Ended]:
    """Command to its end, in a process in which the `sitecustomize.py` of the folder `site` runs first."""
    words = json.dumps({command: PATHS[command].split() for command in PATHS})
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE / site), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    encoding = environment.get("PYTHONIOENCODING", "utf-8")

    def ended(command: str) -> Ended:
        out, err = ((folder / f"{command}.{x}") for x in ("out", "err"))
        assert err.exists(), f"an earlier command ended the process\n{done.stderr}"
        said = (path.read_bytes().decode(encoding) for path in (out, err))
        code = folder / f"{command}.code"
        return Ended(int(code.read_text("utf-8")) if code.exists() else done.returncode, *said)

    return ended
