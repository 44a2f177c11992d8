"""A hanging two-link arm follows a sinusoid, soft and stiff: Mengacci et al. 2021, Fig. 13."""

from dataclasses import dataclass, field, replace
from math import pi
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.mengacci2021.two_link import JOINTS, SPRINGS, Arm, draw, equilibria
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure

NAME = "two_link_tracking"
TITLE = "A hanging two-link arm follows a sinusoid, soft and stiff (Mengacci 2021, Fig. 13)"

SOURCES = {
    "arm.actuators, arm.mode": "section 4.2: mode 6; section 3.3: the plugin's qbmove Advanced",
    "arm.gravity": "Fig. 13: vertical; assumed to hang at q = 0",
    "arm.damping, arm.friction": "section 4.2; the AlterEgo robot has the same",
    "arm.tip_mass": "assumed",
    "amplitude, omega": "section 4.2.2",
    "soft, stiff": "section 4.2",
    "periods, timestep": "assumed",
}


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
    periods: int = 3
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Amplitudes of both joints, soft and stiff; then with other springs."""
    settings = settings or Settings()
    figure, axes = new_figure(2, 1, width=8.0, height=6.0)
    rows: list[Row] = []
    for name, actuators in SPRINGS.items():
        chosen = actuators == settings.arm.actuators
        arm = replace(settings.arm, actuators=actuators)
        for which, preset in (("soft", settings.soft), ("stiff", settings.stiff)):
            time, goal, q, equilibrium = tracked(replace(settings, arm=arm), preset)
            rows += _rows(which, name, goal, q, settings)
            if chosen:
                draw(axes, which, time, q, equilibrium)
                for axis in axes:
                    axis.plot(time, goal, color="0.6", lw=0.8)
    for axis, joint in zip(axes, JOINTS, strict=True):
        axis.set(title=f"{joint}; grey: reference", xlabel="time [s]", ylabel="[rad]")
        axis.legend(fontsize=8, ncols=2)
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def _rows(which: str, springs: str, goal: Floats, q: Floats, settings: Settings) -> list[Row]:
    reached = np.abs(q).max(axis=0)
    error = np.sqrt(np.mean((q - goal[:, None]) ** 2, axis=0))
    return [
        Row(
            f"{joint}, {which}, springs: {springs}: amplitude of {settings.amplitude:g} rad",
            "not the reference, for gravity" if which == "soft" else "–",
            f"{reached[k]:.3f} rad",
            f"rms error {error[k]:.3f} rad",
        )
        for k, joint in enumerate(JOINTS)
    ]


def tracked(settings: Settings, preset: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Time [s], reference, (T, 2) positions and equilibria of the motors [rad] after the first period."""
    period = 2.0 * pi / settings.omega
    steps = round(settings.periods * period / settings.timestep)
    time: Floats = settings.timestep * np.arange(steps, dtype=np.float64)
    goal = settings.amplitude * np.sin(settings.omega * time)
    motion = settings.arm.moved(goal, preset, settings.timestep)
    kept = time >= period * min(settings.periods - 1, 1)
    return time[kept], goal[kept], motion.qpos[kept], equilibria(motion)[kept]


NOTES = (
    "Given by the paper: 0.8 sin(0.8 t) rad, presets 0.2 and 0.6 rad (section 4.2), damping and friction of the joints, "
    "mode 6. Assumed: the arm hangs at q = 0; flange and cube as segments.",
    "Springs: the paper prints none for this figure; the picture is of the plugin's defaults, the table has others "
    "beside them. With every set the motors reach the reference, and the stiff link is nearer to it than the soft one.",
)
