"""`pliant demo --robot so101`: a whole arm, from recordings to files."""

import dataclasses
import shutil
from importlib import resources
from pathlib import Path

from pliant.cli.fitting import ChoiceSearch
from pliant.cli.identify_robot import IdentifyRobot
from pliant.cli.options import Output
from pliant.cli.terminal import Terminal
from pliant.io.output import check_output
from pliant.report.verdict import Verdict
from pliant.robots.identify import RobotIdentification
from pliant.words import mrad

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
MODEL = "so101_on_table.xml"
HELD_OUT = "pick_place"
ACCELERATION = 38.96
"""[rad/s^2] The register that LeRobot writes: 254, of 100 steps of 2 pi / 4096 per s^2 each."""
QUICK = ChoiceSearch(starts=1, jacobians=8)


def arm_demo(folder: Path, *, quick: bool, terminal: Terminal) -> int:
    """Identify the SO-101 that comes with Pliant, and write files and a report to `folder`."""
    model, report = folder / MODEL, folder / "report.html"
    for path in (model, report):
        check_output(path, overwrite=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ARM / MODEL, model)
    terminal.note("recordings of a real SO-101: four motions of 25 s to fit, one to judge by")
    return _Arm(
        model=model,
        logs=(ARM / "motions", ARM / "held_out"),
        attach=("*=feetech_sts3215_7_4V_bam_m1",),
        law=("timing=command_delay", "friction=m4", "control=firmware_profile"),
        fix=("*.control.kp=16", f"*.control.acceleration_limit={ACCELERATION}"),
        hold_out=(f"log={HELD_OUT}",),
        output=folder / "so101",
        report=report,
        no_intervals=quick,
        overwrite=True,
        search=QUICK if quick else ChoiceSearch(),
        printing=Output(json=False, verbose=terminal.verbose),
    ).run(terminal)


class _Arm(IdentifyRobot):
    def beside(self, verdict: Verdict, found: RobotIdentification) -> Verdict:
        """The verdict with the errors of the numbers that people use, on what was held out."""
        from pliant.robots.plain_servo import compared, read_plain_servos

        if found.held_out is None:
            return verdict
        logs = list(dict.fromkeys(entry.log for entry in found.held_out.entries))
        servos = read_plain_servos(ARM / "published.toml")
        errors = compared(self.model, servos, logs, list(found.actuators))
        said = [
            f"{servo.name}, MuJoCo's position servo: {mrad(errors[servo.name][0])} mrad on "
            f"{HELD_OUT}, {mrad(errors[servo.name][1])} with each joint's mean error taken out "
            f"({servo.source})."
            for servo in servos
        ]
        return dataclasses.replace(verdict, about_others=(*verdict.about_others, *said))
