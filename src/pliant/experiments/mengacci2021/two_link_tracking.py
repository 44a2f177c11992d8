"""A hanging two-link arm follows a sinusoid, soft and stiff: Mengacci et al. 2021, Fig. 13."""

from dataclasses import dataclass, field
from math import pi
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.mengacci2021.two_link import JOINTS, Arm
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure

NAME = "two_link_tracking"
TITLE = "A hanging two-link arm follows a sinusoid, soft and stiff (Mengacci 2021, Fig. 13)"

SOURCES = {
    "arm.actuator, arm.mode": "assumed: mode 6 as in Fig. 12, the AlterEgo robot's springs",
    "arm.gravity": "Fig. 13: vertical; assumed to hang at q = 0",
    "arm.damping, arm.friction": "Figs. 11 to 14; the AlterEgo robot has the same",
    "arm.tip_mass": "assumed",
    "amplitude, omega": "Fig. 13",
    "soft, stiff": "section 4.2",
    "periods, timestep": "assumed",
}
"""Place of each number in the paper, or "assumed"."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        arm: the robot, hanging at q = 0. amplitude: [rad], omega: [rad/s] of both
            equilibria. soft, stiff: presets [rad].
        periods: of the sinusoid; the first is left out of the figures. timestep: [s].
    """

    arm: Arm = field(default_factory=Arm)
    amplitude: float = 0.8
    omega: float = 0.8
    soft: float = 0.2
    stiff: float = 0.6
    periods: int = 2
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Amplitudes of both joints, soft and stiff."""
    settings = settings or Settings()
    figure, axes = new_figure(2, 1, width=8.0, height=6.0)
    rows: list[Row] = []
    for which, preset in (("soft", settings.soft), ("stiff", settings.stiff)):
        time, goal, q = tracked(settings, preset)
        for k, joint in enumerate(JOINTS):
            axes[k].plot(time, q[:, k], label=f"{which}, preset {preset:g} rad")
            reached = float(np.abs(q[:, k]).max())
            error = float(np.sqrt(np.mean((q[:, k] - goal) ** 2)))
            rows.append(
                Row(
                    f"{joint}, {which}: amplitude of {settings.amplitude:g} rad",
                    "falls short" if which == "soft" else "falls short by less",
                    f"{reached:.3f} rad",
                    f"rms error {error:.3f} rad",
                )
            )
        for axis in axes:
            if which == "stiff":
                axis.plot(time, goal, color="0.6", label="reference")
    for axis, joint in zip(axes, JOINTS, strict=True):
        axis.set(title=joint, xlabel="time [s]", ylabel="q [rad]")
        axis.legend(fontsize=8)
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def tracked(settings: Settings, preset: float) -> tuple[Floats, Floats, Floats]:
    """Time [s], reference and (T, 2) positions [rad] after the first period."""
    period = 2.0 * pi / settings.omega
    steps = round(settings.periods * period / settings.timestep)
    time: Floats = settings.timestep * np.arange(steps, dtype=np.float64)
    goal = settings.amplitude * np.sin(settings.omega * time)
    motion = settings.arm.moved(goal, preset, settings.timestep)
    kept = time >= period * min(settings.periods - 1, 1)
    return time[kept], goal[kept], motion.qpos[kept]


NOTES = (
    "Given by the paper: 0.8 sin(0.8 t) rad, presets 0.2 and 0.6 rad (section 4.2), damping and "
    "friction of the joints. Assumed: the arm hangs at q = 0; AlterEgo's springs, flange and cube as "
    "segments.",
)
