"""Public parameter sets of the SO-101 compared on recordings of one, and what such motions can determine.

Fits of this arm's servos contradict each other. Here the numbers in public use predict recordings that
none of them was fitted to, and the sensitivity of each motion to each number shows why fits disagree: a
motion determines a number only by effects that no other number can reproduce.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.identification.robot.rig import RobotRig
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.identify import evaluate_robot, robot_rig
from pliant.robots.plain_servo import compared, read_plain_servos

NAME = "so101"
TITLE = "Public numbers of the SO-101 on recordings of one, and which motions tell them apart"

SOURCES = {
    "model": "published model of the arm; the table's place is assumed",
    "motions": "published recordings of a real arm",
    "actuator": "catalogue: fitted to recordings of such arms",
    "NUMBERS, BOXES, WITHOUT_TELLING": "assumed: how far each number is changed, and what no encoder shows",
}

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
NUMBERS: Mapping[str, tuple[str, float]] = {
    "stiffness": ("control.gain", 0.2),
    "damping": ("friction.K_v", 0.2),
    "armature": ("own.armature", 0.2),
    "delay": ("timing.delay", 5e-3),
    "dry friction": ("friction.K_c", 0.2),
    "acceleration limit": ("control.acceleration_limit", 0.2),
}
"""Name to parameter and its change: a fraction of its value, or, for the delay, seconds."""
BOXES = {"timing.delay": (0.0, 0.1), "friction.K_v": (0.0, 1.0)}
WITHOUT_TELLING = 0.5e-3
"""[rad] Less than a third of the encoder's step: no motion shows it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment.

    Attributes:
        model: the arm. motions: folders of recordings; those that come with Pliant, if none.
        actuator: whose slopes are shown, at all joints.
    """

    model: Path = ARM / "so101_on_table.xml"
    motions: tuple[Path, ...] = (ARM / "motions", ARM / "held_out")
    actuator: str = "sts3215_so101"


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Errors of all public sets, then the sensitivities of every motion."""
    settings = settings or Settings()
    logs = read_robot_logs(settings.motions)
    told = {log.name: _told(settings, log) for log in logs}
    return Outcome(
        rows=[*_errors(settings, logs), *_rows(told)],
        figures=[_figure(told, folder)],
        notes=NOTES,
    )


def _errors(settings: Settings, logs: Sequence[RobotLog]) -> list[Row]:
    """Errors of each public set, and of the device of the catalogue, on all motions."""
    servos = read_plain_servos(ARM / "published.toml")
    rows: list[Row] = []
    for servo, (as_is, without) in zip(
        servos, compared(settings.model, servos, logs, JOINTS).values(), strict=True
    ):
        numbers = f"armature {servo.armature:g} kg m², friction {servo.friction:g} N m, "
        numbers += f"damping {servo.damping:g} N m s/rad, kp {servo.kp:g} N m/rad"
        both = f"{_mrad(as_is)}; {_mrad(without)} without each joint's mean error"
        rows.append(Row(servo.name, numbers, both, servo.source))
    for name in ("feetech_sts3215_7_4V_bam_m1", settings.actuator):
        actuator = _servo(name)
        error = evaluate_robot(settings.model, dict.fromkeys(JOINTS, actuator), logs).mae
        rows.append(Row(name, f"armature {actuator.value('own.armature'):.2g} kg m²", _mrad(error)))
    return rows


def _servo(name: str) -> Actuator:
    """An STS3215 at the P-gain of the recordings."""
    return load_actuator(name).with_values({"control.kp": 16.0}, "lerobot", "convention")


def _told(settings: Settings, log: RobotLog) -> Floats:
    """(2, K) [rad] Effect of each number, alone and after the others compensate for it as far as they can.

    Root mean squares over the samples of a joint; the largest over the joints.
    """
    actuator = load_actuator(settings.actuator)
    rig = robot_rig(settings.model, dict.fromkeys(JOINTS, actuator), [log])
    return np.max([_of_joint(rig, log, joint) for joint in JOINTS], axis=0)


def _of_joint(rig: RobotRig, log: RobotLog, joint: str) -> Floats:
    names = [f"{joint}.{parameter}" for parameter, _ in NUMBERS.values()]
    fit = {name: BOXES.get(name.removeprefix(f"{joint}.")) for name in names}
    space = rig.space(fit, {}, [log]).part(names)
    residuals = rig.coarse().residuals([log], space)
    begin = space.start
    order = [space.names.index(name) for name in names]
    points = [begin]
    for k, (parameter, part) in zip(order, NUMBERS.values(), strict=True):
        changed = np.array(begin)
        changed[k] += part if parameter == "timing.delay" else part * begin[k]
        points.append(changed)
    runs = residuals(np.array([space.to_cube(point) for point in points]))
    own = JOINTS.index(joint)
    changes = np.array([part[own] for part in map(residuals.samples.per_block, runs[1:] - runs[0])])
    return np.array([_size(changes), _size(apart(changes))])


def _size(changes: Floats) -> Floats:
    return np.sqrt(np.mean(changes**2, axis=1))


def apart(changes: Floats) -> Floats:
    """(K, N) residual of each change after the K - 1 others are scaled to compensate for it best."""
    left = np.empty_like(changes)
    for k, one in enumerate(changes):
        others = np.delete(changes, k, axis=0).T
        left[k] = one - others @ (np.linalg.pinv(others) @ one)
    return left


def _rows(told: Mapping[str, Floats]) -> list[Row]:
    """For each number: the motion that determines it best, and how well."""
    rows: list[Row] = []
    motions = list(told)
    for k, (name, (_, part)) in enumerate(NUMBERS.items()):
        change = f"{1e3 * part:g} ms" if name == "delay" else f"{100 * part:g} %"
        alone, without = (np.array([told[m][row, k] for m in motions]) for row in (0, 1))
        best = int(np.argmax(without))
        dumb = [m for m, x in zip(motions, without, strict=True) if x < WITHOUT_TELLING]
        of_whom = "any of these motions" if len(dumb) == len(motions) else ", ".join(dumb)
        note = f"not told by {of_whom}" if dumb else ""
        rows.append(
            Row(
                f"{name}, changed by {change}",
                "-",
                f"{_mrad(alone[best])} alone, {_mrad(without[best])} when the others compensate for it",
                f"best told by {motions[best]}" + (f"; {note}" if note else ""),
            )
        )
    return rows


def _figure(told: Mapping[str, Floats], folder: Path) -> Path:
    figure, axes = new_figure(1, 2, width=10.0, height=3.6)
    for row, (axis, title) in enumerate(
        zip(axes, ("alone", "effect that no other number can compensate"), strict=True)
    ):
        values = 1e3 * np.array([one[row] for one in told.values()])
        axis.imshow(np.log10(values + 0.05), aspect="auto", cmap="viridis", vmin=-1, vmax=1.5)
        for (y, x), value in np.ndenumerate(values):
            axis.text(x, y, f"{value:.2g}", ha="center", va="center", color="w", fontsize=8)
        axis.set_xticks(range(len(NUMBERS)), [n.replace(" ", "\n") for n in NUMBERS], fontsize=7)
        axis.set_yticks(range(len(told)), list(told), fontsize=7)
        axis.set_title(f"[mrad] {title}", fontsize=9)
    return save_figure(figure, folder, NAME)


def _mrad(value: float) -> str:
    return f"{1e3 * value:.3g} mrad"


NOTES = (
    "None of these sets was fitted to this unit, whose supply, gears and calibration may differ from "
    "theirs: an error here does not mean that a fit was wrong for its own unit. The device of the "
    "catalogue was fitted to ten recordings of this very arm, two of these motions among them, which "
    "favours it; it is the mean of six units without their zeros.",
    "The goal of an STS3215 is followed with limited acceleration, 39 rad/s² at the register value that "
    "LeRobot writes. A model without that limit takes the lag for inertia: fitted to ten recordings "
    "with a fast one among them, the shoulder pan's armature is 0.057 kg m² without the limit and "
    "0.007 with it. Public fits of this servo have 0.028 (a pendulum bench) to 0.199 (MuJoCo "
    "Playground v1.0.0).",
    "Changes are computed in the joint engine, for each joint with the others along their recording; the "
    "most sensitive joint counts, and samples near the table count as unchanged. A number is "
    f"called not told if less than {1e3 * WITHOUT_TELLING:g} mrad are left.",
)
