"""Steps of a horizontal two-link arm, soft and stiff: Mengacci et al. 2021, Fig. 12.

Stiffness changes the damping of a real joint too, which the paper's model leaves out: here the
joints can get a damping that grows with the preset.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.mengacci2021.two_link import JOINTS, SPRINGS, Arm, draw, equilibria
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure

NAME = "two_link_step"
TITLE = "Steps of a horizontal two-link arm, soft and stiff (Mengacci 2021, Fig. 12)"

SOURCES = {
    "arm.actuators, arm.mode": "section 4.2: mode 6; section 3.3: the plugin's qbmove Advanced",
    "arm.gravity": "Fig. 12: horizontal",
    "arm.damping, arm.friction": "section 4.2; the AlterEgo robot has the same",
    "arm.tip_mass": "assumed",
    "step": "section 4.2.2: as in section 4.1",
    "soft, stiff": "section 4.2",
    "preset_damping": "assumed: an offer beyond the paper",
    "band, duration, settle, timestep": "assumed",
}
PAPER = {"soft": "reaches its goal", "stiff": "high oscillation"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        arm: the robot. step: of both equilibria [rad].
        soft, stiff: presets [rad].
        preset_damping: added to each joint [N m s/rad per rad of preset].
        band: [rad] within which a joint has come to rest.
        duration: [s]. settle: [s] before. timestep: [s].
    """

    arm: Arm = field(default_factory=lambda: Arm(gravity=False))
    step: float = 0.8
    soft: float = 0.2
    stiff: float = 0.6
    preset_damping: float = 0.2
    band: float = 0.02
    duration: float = 4.0
    settle: float = 1.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Soft and stiff, with constant and with preset-dependent damping; then with other springs."""
    settings = settings or Settings()
    figure, axes = new_figure(2, 2, width=10.0, height=6.0)
    rows: list[Row] = []
    for column, damped in enumerate((False, True)):
        how = "damping grows with the preset" if damped else "constant damping"
        for which, preset in (("soft", settings.soft), ("stiff", settings.stiff)):
            said = PAPER[which] if not damped else "–"
            moved = stepped(settings, preset, settings.preset_damping * preset * damped)
            rows.append(_row(f"{which} (preset {preset:g} rad), {how}", said, moved, settings))
            draw(axes[:, column], which, *moved)
        for axis, joint in zip(axes[:, column], JOINTS, strict=True):
            axis.set(title=f"{joint}, {how}", xlabel="time [s]", ylabel="[rad]")
    for name, actuators in SPRINGS.items():
        if actuators != settings.arm.actuators:
            arm = replace(settings.arm, actuators=actuators)
            moved = stepped(replace(settings, arm=arm), settings.stiff, 0.0)
            rows.append(_row(f"stiff, springs: {name}", PAPER["stiff"], moved, settings))
    for axis in axes.ravel():
        axis.axhline(settings.step, color="0.7", lw=0.8)
        axis.legend(fontsize=8)
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def stepped(settings: Settings, preset: float, damping: float) -> tuple[Floats, Floats, Floats]:
    """Time from the step on [s], (T, 2) positions and (T, 2) equilibria of the motors [rad]."""
    h = settings.timestep
    before, after = round(settings.settle / h), round(settings.duration / h)
    goal = np.r_[np.zeros(before), np.full(after, settings.step)]
    motion = settings.arm.moved(goal, preset, h, damping)
    return motion.time[before:] - settings.settle, motion.qpos[before:], equilibria(motion)[before:]


def _row(what: str, paper: str, moved: tuple[Floats, Floats, Floats], settings: Settings) -> Row:
    time, q, _ = moved
    rest, over = _rest(time, q, settings)
    ends = ", ".join(f"{end:.3f}" for end in q[-1])
    note = f"overshoot {over:.2f} rad, ends at {ends} of {settings.step:g} rad"
    return Row(f"{what}: at rest after", paper, f"{rest:.2f} s", note)


def _rest(time: Floats, q: Floats, settings: Settings) -> tuple[float, float]:
    """Settling time [s] of both joints into the band around their final position, and the overshoot [rad]."""
    away = np.abs(q - q[-1]).max(axis=1) > settings.band
    last = int(np.flatnonzero(away)[-1]) if away.any() else 0
    return float(time[last]), float((q - settings.step).max())


NOTES = (
    "Given by the paper (section 4.2): a step of 0.8 rad, presets 0.2 and 0.6 rad, damping and friction "
    "of the joints, mode 6. Assumed: flange and cube as segments, with their masses.",
    "Springs: the paper prints none for this figure; the plugin's defaults are those of the device in Fig. 8. "
    "With them the stiff arm rings as the paper says; near its goal the soft one has no more spring torque than its "
    "joints have friction, and sticks short of it. AlterEgo's springs are forty times as stiff at 0.6 rad: with "
    "them the stiff arm oscillates less, contrary to the paper. Unequal springs do not rest at the goal.",
    "The paper finds that its stiff arm oscillates more than the hardware, since a real change of stiffness "
    "changes the damping too. preset_damping [N m s/rad per rad] models it; the paper gives no number "
    "and no recording to identify it from, as `pliant stiffness` does from motions at several presets.",
)
