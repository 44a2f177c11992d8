"""`pliant demo --robot`: a whole robot, from recordings to files."""

import dataclasses
import shutil
from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from pliant.cli.fit_plan import FitPlan
from pliant.cli.identify_robot import identify_robot
from pliant.cli.terminal import Terminal
from pliant.io.output import check_output
from pliant.io.recording_facts import RecordingFacts
from pliant.report.verdict import Verdict
from pliant.robots.identify import RobotIdentification
from pliant.robots.plain_servo import compared, read_plain_servos
from pliant.words import mrad

DATA = Path(str(resources.files("pliant") / "data"))
ACCELERATION = 38.96
"""[rad/s^2] The register that LeRobot writes: 254, of 100 steps of 2 pi / 4096 per s^2 each."""
QUICK = {"starts": 1, "jacobians": 8}


@dataclasses.dataclass(frozen=True)
class RobotDemo:
    """A robot that comes with Pliant.

    Attributes:
        folder: its data: the model, motions/ to fit, held_out/ to test on, published.toml if there
            are numbers in common use. model, held_out: its file, and its recording.
        said: description of the fit. options: of the plan.
    """

    folder: Path
    model: str
    held_out: str
    said: str
    options: Mapping[str, Any]


DEMOS = {
    "so101": RobotDemo(
        folder=DATA / "so101_arm",
        model="so101_on_table.xml",
        held_out="pick_place",
        said="recordings of a real SO-101: four motions of 25 s to fit, one to judge by",
        options={
            "actuator": ("*=feetech_sts3215_7_4V_bam_m1",),
            "law": ("timing=command_delay", "friction=m4", "control=firmware_profile"),
            "fix": ("*.control.kp=16", f"*.control.acceleration_limit={ACCELERATION}"),
        },
    ),
    "go2": RobotDemo(
        folder=DATA / "go2",
        model="go2.xml",
        held_out="second",
        said="a recording of a real Go2 held in the air: 5.9 s to fit, the next 5.9 s to judge by",
        options={
            "actuator": (
                "*_hip_joint=unitree_go2_hip_unitree",
                "*_thigh_joint=unitree_go2_hip_unitree",
                "*_calf_joint=unitree_go2_calf_unitree",
            ),
            "law": ("friction=m6", "gear_load=without_inertia"),
            # Zeros of the encoders, as the legs were calibrated; gains, which the recording does not state.
            "fit": ("*.position_offset", "*.control.k_p=15:25"),
            "fix": ("*.control.k_d=1.5",),  # what its makers' configuration says; README.md there
            "replace": True,
        },
    ),
}


def robot_demo(robot: str, folder: Path, *, quick: bool, terminal: Terminal) -> int:
    """Identify one of `DEMOS`, and write files and a report to `folder`."""
    demo = DEMOS[robot]
    model, report = folder / demo.model, folder / "report.html"
    for path in (model, report):
        check_output(path, overwrite=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(demo.folder / demo.model, model)
    terminal.note(demo.said)
    plan = FitPlan(
        robot=model,
        logs=(str(demo.folder / "motions"), str(demo.folder / "held_out")),
        hold_out=(f"log={demo.held_out}",),
        output=folder / robot,
        report=report,
        intervals=not quick,
        overwrite=True,
        **(QUICK if quick else {}),
        **demo.options,
    )
    return identify_robot(plan, RecordingFacts(), terminal, partial(_beside, demo, model))


def _beside(demo: RobotDemo, model: Path, verdict: Verdict, found: RobotIdentification) -> Verdict:
    """The verdict with the held-out errors of the numbers in common use."""
    published = demo.folder / "published.toml"
    if found.held_out is None or not published.exists():
        return verdict
    logs = found.held_out.logs
    servos = read_plain_servos(published)
    errors = compared(model, servos, logs, list(found.actuators))
    said = [
        f"{servo.name}, MuJoCo's position servo: {mrad(errors[servo.name][0])} mrad on "
        f"{demo.held_out}, {mrad(errors[servo.name][1])} with each joint's mean error taken "
        f"out ({servo.source})."
        for servo in servos
    ]
    return dataclasses.replace(verdict, about_others=(*verdict.about_others, *said))
