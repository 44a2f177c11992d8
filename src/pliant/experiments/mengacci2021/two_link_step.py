"""Steps of a horizontal two-link arm, soft and stiff: Mengacci et al. 2021, Fig. 12.

Stiffness changes the damping of a real joint too, which the paper's model leaves out: here the
joints can get a damping that grows with the preset.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.mengacci2021.two_link import JOINTS, Arm
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure

NAME = "two_link_step"
TITLE = "Steps of a horizontal two-link arm, soft and stiff (Mengacci 2021, Fig. 12)"

SOURCES = {
    "arm.actuator, arm.mode": "Fig. 12: mode 6; springs assumed to be the AlterEgo robot's",
    "arm.gravity": "Fig. 12: horizontal",
    "arm.damping, arm.friction": "Figs. 11 to 14; the AlterEgo robot has the same",
    "arm.tip_mass": "assumed",
    "step": "Fig. 12",
    "soft, stiff": "section 4.2",
    "preset_damping": "assumed: an offer beyond the paper",
    "band, duration, settle, timestep": "assumed",
}
"""Place of each number in the paper, or "assumed"."""


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
    preset_damping: float = 1.0
    band: float = 0.02
    duration: float = 3.0
    settle: float = 1.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Soft and stiff, with constant and with preset-dependent damping."""
    settings = settings or Settings()
    figure, axes = new_figure(2, 2, width=10.0, height=6.0)
    rows: list[Row] = []
    for column, (which, preset) in enumerate((("soft", settings.soft), ("stiff", settings.stiff))):
        for damped in (False, True):
            more = settings.preset_damping * preset if damped else 0.0
            time, q = stepped(settings, preset, more)
            how = "damping grows with the preset" if damped else "constant damping"
            for k, joint in enumerate(JOINTS):
                axes[k, column].plot(time, q[:, k], label=how)
                axes[k, column].set(title=f"{joint}, {which}", xlabel="time [s]", ylabel="q [rad]")
            rest, over = _rest(time, q, settings)
            rows.append(
                Row(
                    f"{which} (preset {preset:g} rad), {how}: at rest after",
                    "rings longer than the hardware" if which == "stiff" and not damped else "–",
                    f"{rest:.2f} s",
                    f"overshoot {over:.2f} rad",
                )
            )
    for axis in axes.ravel():
        axis.axhline(settings.step, color="0.7", lw=0.8)
        axis.legend(fontsize=8)
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def stepped(settings: Settings, preset: float, damping: float) -> tuple[Floats, Floats]:
    """Time from the step on [s], and (T, 2) positions [rad]."""
    h = settings.timestep
    before, after = round(settings.settle / h), round(settings.duration / h)
    goal = np.r_[np.zeros(before), np.full(after, settings.step)]
    motion = settings.arm.moved(goal, preset, h, damping)
    return motion.time[before:] - settings.settle, motion.qpos[before:]


def _rest(time: Floats, q: Floats, settings: Settings) -> tuple[float, float]:
    """When both joints stay within the band of where they end [s], and the overshoot [rad]."""
    away = np.abs(q - q[-1]).max(axis=1) > settings.band
    last = int(np.flatnonzero(away)[-1]) if away.any() else 0
    return float(time[last]), float((q - settings.step).max())


NOTES = (
    "Given by the paper: a step of 0.8 rad, presets 0.2 and 0.6 rad (section 4.2), damping and "
    "friction of the joints. Assumed: AlterEgo's springs, flange and cube as segments.",
    "The paper finds that its stiff arm rings longer in simulation than on hardware, since a real"
    " change of stiffness changes the damping too. preset_damping [N m s/rad per rad] is an offer"
    " to model it; its value is assumed, not identified.",
)
