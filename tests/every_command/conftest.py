"""A folder with what the main path of every command reads."""

from pathlib import Path

import numpy as np
import pytest
import truth
from arm_recordings import record

import pliant
from pliant.robots import write_robot_log

from .paths import ARM, ATTACHED


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
    wanted = "time,shoulder,elbow\n0,0.1,0.2\n0.5,0.3,0.1\n1,0.3,0.1\n"
    (made / "wanted.csv").write_text(wanted)
    (made / "runs").mkdir()
    real = {
        joint: pliant.load_actuator(name)
        for joint, name in (pair.split("=") for pair in ATTACHED.split(","))
    }
    for motion in ("fast", "steps"):
        log = record(str(ARM), real, motion, seconds=0.8)
        write_robot_log(log, made / "runs" / f"{motion}.csv")
    return made
