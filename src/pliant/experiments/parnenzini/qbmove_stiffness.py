"""Torque over deflection of a qbmove Maker Pro at three presets: Parnenzini, Fig. 3.

A load of 1.5 N m is lifted slowly from hanging to horizontal and lowered again.
"""

from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.parnenzini.maker_pro import (
    LEFT_OUT,
    LOAD_TORQUE,
    LOADED,
    STAGES,
    motors,
    moved,
)
from pliant.experiments.support.benches import Statics
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator

NAME = "qbmove_stiffness"
TITLE = "Torque over deflection of a qbmove Maker Pro, three presets (Parnenzini, Fig. 3)"

SOURCES = {
    "presets": "Fig. 3, as half differences of the motors",
    "period, settle, timestep": "assumed",
    "stage": "assumed: the power stage without the branch error of the authors' code",
    "PAPER": "Fig. 3, read from the figure",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        presets: half differences of the motors [rad]. period: of the sinusoid [s].
        settle: [s] before it. stage: of `maker_pro.STAGES`. timestep: [s].
    """

    presets: tuple[float, ...] = (0.0, 0.4602, 0.6903)
    period: float = 20.0
    settle: float = 2.0
    stage: str = "corrected"
    timestep: float = 1e-3


PAPER = {0.4602: 0.27, 0.6903: 0.08}
"""Preset to the deflection under the whole load, both [rad]."""


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The three loops, and the deflection at full torque."""
    settings = settings or Settings()
    figure, axis = new_figure(1, 1, width=6.5, height=4.5)
    statics = Statics(load_actuator(STAGES[settings.stage]))
    rows: list[Row] = []
    for preset in settings.presets:
        torque, deflection, reached = loop(preset, settings)
        at = float(torque.max())
        line = axis.plot(deflection, torque, label=f"preset {preset:g} rad")[0]
        loads = np.linspace(0.0, LOAD_TORQUE, 60)
        law = [-statics.deflection(preset, -x) for x in loads]
        axis.plot(law, loads, "--", color=line.get_color(), lw=0.9)
        if preset in PAPER:
            axis.plot(PAPER[preset], LOAD_TORQUE, "x", color=line.get_color(), ms=9)
        most = float(deflection[np.argmax(torque)])
        rows.append(
            Row(
                f"deflection under {LOAD_TORQUE:g} N m, preset {preset:g} rad",
                f"≈ {PAPER[preset]:g} rad" if preset in PAPER else "figure only",
                f"{-statics.deflection(preset, -LOAD_TORQUE):.3f} rad",
                f"by the springs; in the motion {most:.3f} rad at {at:.2f} N m with the motors at "
                f"{reached:.3f} rad",
            )
        )
    axis.set(xlabel="deflection (θ1 + θ2) / 2 − q [rad]", ylabel="torque of the load [N m]")
    axis.legend(
        title="motion; dashed: springs alone; x: paper, read from its figure",
        fontsize=8,
        title_fontsize=8,
    )
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def loop(preset: float, settings: Settings) -> tuple[Floats, Floats, float]:
    """Torque of the load [N m], deflection [rad], and the preset reached at full torque [rad]."""
    h = settings.timestep
    time = h * np.arange(round((settings.settle + settings.period) / h)) - settings.settle
    goal = np.where(time < 0.0, 0.0, 0.25 * pi * (1.0 - np.cos(2.0 * pi * time / settings.period)))
    motion = moved(STAGES[settings.stage], LOADED, goal, preset, len(time) * h, h)
    kept = time >= 0.0
    q = motion.position("joint")[kept]
    mean, half = (x[kept] for x in motors(motion))
    torque = LOAD_TORQUE * np.sin(q)
    return torque, mean - q, float(half[np.argmax(torque)])


NOTES = (
    "Presets are half differences: with full differences the springs would yield 0.48 and 0.37 "
    "rad under 1.5 N m, which is not what the figure shows.",
    "In the motion the motors do not reach their preset (dead zone and friction, 0.8 N m), so the"
    " joint is softer than its springs at the commanded preset; the dashed lines are those.",
    "At preset 0 the springs yield 0.6 rad, and the load does not come up to horizontal.",
    LEFT_OUT,
)
