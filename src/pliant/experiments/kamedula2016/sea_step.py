"""Deflection of a series-elastic joint after a step: Kamedula et al. 2016, Fig. 6 left.

The last link of the arm "rrbot" turns by 1 rad, with and without gravity.
"""

from dataclasses import dataclass
from math import sin
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

from pliant.assemble import Actuator
from pliant.experiments.kamedula2016.rrbot import WEIGHT, integrated, simulated
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator

NAME = "sea_step"
TITLE = "Deflection of a series-elastic joint after a step, three springs (Kamedula 2016, Fig. 6)"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the paper says, then what it leaves open.

    Attributes:
        actuators: (K_t, D_t) = (100, 0.3), (188, 0.5), (500, 1.5).
        step: [rad] from upright [assumed: at rest].
        duration: [s, assumed]. timestep: [s].
    """

    actuators: tuple[str, ...] = ("sea_centauro_100", "sea_centauro_188", "sea_centauro_500")
    step: float = 1.0
    duration: float = 4.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Three springs, with and without gravity, against an integrator."""
    settings = settings or Settings()
    figure, axes = new_figure(1, 2, width=9.0, height=4.0)
    rows: list[Row] = []
    for axis, gravity in zip(axes, (False, True), strict=True):
        for name in settings.actuators:
            actuator = load_actuator(name)
            rows.append(_compared(actuator, settings, gravity, axis))
        axis.set(
            title="with gravity" if gravity else "without gravity",
            xlabel="time [s]",
            ylabel="θ − q [rad]",
            xlim=(0.0, 2.5),
        )
        axis.legend()
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def _compared(actuator: Actuator, settings: Settings, gravity: bool, axis: Any) -> Row:
    found = simulated(
        actuator,
        lambda t: np.full_like(t, settings.step),
        settings.duration,
        settings.timestep,
        gravity=gravity,
    )
    exact = integrated(actuator, lambda t: settings.step, found.time, (), gravity=gravity)
    deflection = found.theta - found.q
    k = actuator.value("spring.k")
    axis.plot(found.time, deflection, label=f"{k:g} N m/rad")
    rest = balance(actuator, settings.step) if gravity else (settings.step, settings.step)
    apart = float(np.abs(found.q - exact.q).max())
    return Row(
        f"{k:g} N m/rad, {'with' if gravity else 'without'} gravity: largest θ − q",
        "figure only",
        f"{deflection.max():.3f} rad",
        f"at rest {1e3 * deflection[-1]:.3f} mrad, balance {1e3 * (rest[1] - rest[0]):.3f} mrad; "
        f"max |Δq| from the integrator {apart:.1e} rad",
    )


def balance(actuator: Actuator, step: float) -> tuple[float, float]:
    """Link and motor [rad] where gravity, spring and position loop are in balance."""
    k, kp = actuator.value("spring.k"), actuator.value("control.kp")
    series = 1.0 / (1.0 / k + 1.0 / kp)

    def torque(q: float) -> float:
        return series * (step - q) + WEIGHT * sin(q)

    optimize: Any = scipy.optimize  # it declares no types
    q = float(optimize.brentq(torque, step - 1.0, step + 1.0, xtol=1e-14))
    return q, q - WEIGHT * sin(q) / k


NOTES = (
    "Assumed: the link begins at rest upright. Gravity pulls it on: the motor stays behind the "
    "link by m g c sin q / K_t. With K_t = 188 N m/rad, at 1 rad that is 20 mrad.",
    "The position loop has no integral: the motor itself errs by m g c sin q / K_p.",
)
