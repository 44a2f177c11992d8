"""The main path of every command, on a Python that lacks what it lacks on Windows, and a console of 1981."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import truth
from arm_recordings import record

import pliant
from pliant.cli.command_line import commands
from pliant.io.log import example_logs
from pliant.robots import write_robot_log

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
    "ros": f"{COMPLIANT} --duration 0.1 --fast --domain 86",
    "actuators": "--search XL330",
    "show": "xl330_bam_m6 --picture sheet.png",
    "plot": f"{LOGS[0]} xl330_bam_m6",
    "stiffness": "run.csv --robot arm.xml --output stiffness.csv --report stiffness.html",
    "characterise": "torque.csv --law sinh_spring --theta 0.3,-0.3 --output spring.toml",
    "reproduce": "qbmove_stiffness drive_backdrive --jobs 2 --output experiments",
}
"""Command to its arguments."""
NEEDS = {"convert": "pyarrow", "record": "dynamixel_sdk", "ros": "cyclonedds", "view": "mjviser"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read; its name has a space and a letter that no console of 1981 has."""
    made = tmp_path_factory.mktemp("my robót ≥")
    q = 0.4 * np.sin(np.linspace(0.0, 4.0 * np.pi, 200))
    tau = 0.022 * np.sinh(6.85 * (q - 0.3)) + 0.025 * np.sinh(6.5 * (q + 0.3))
    rows = [f"{a},{b}" for a, b in zip(q, tau, strict=True)]
    (made / "torque.csv").write_text("\n".join(["q,tau", *rows]) + "\n")
    (made / "arm.xml").write_text(truth.ARM)
    (made / "run.csv").write_text(truth.as_csv(truth.simulated(3.0)))
    (made / "runs").mkdir()
    real = {
        joint: pliant.load_actuator(name)
        for joint, name in (pair.split("=") for pair in ATTACHED.split(","))
    }
    for motion in ("fast", "steps"):
        log = record(str(ARM), real, motion, seconds=0.8)
        write_robot_log(log, made / "runs" / f"{motion}.csv")
    return made


def test_every_command_has_a_path_here() -> None:
    assert list(PATHS) == list(commands())


@pytest.mark.slow
@pytest.mark.parametrize("command", PATHS)
def test_a_command_works_where_windows_lacks_what_this_system_has(
    command: str, folder: Path
) -> None:
    pytest.importorskip(NEEDS.get(command, "pliant"))
    done = subprocess.run(
        [sys.executable, "-m", "pliant.cli", command, *PATHS[command].split(), "--debug"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(HERE),
            "PYTHONWARNDEFAULTENCODING": "1",
            "PYTHONIOENCODING": "cp437",
        },
        capture_output=True,
        encoding="cp437",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    words = PATHS[command].split()
    if "--output" in words:
        assert (folder / words[words.index("--output") + 1]).exists()
