"""Drive and backdrive diagrams of a servo, six friction models: Duclusaud et al. 2025, Figs. 2 to 4.

For each motor torque the diagram shows the largest load that the motor can drive and the smallest load
that drives it back; in between, the joint holds. At speed v, with the friction budget F of the model:

    drives      tau_m - F(v, tau_m, -load) > load
    is driven   tau_m + F(v, tau_m, -load) < load
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.estimate.motor_side import budget, loads
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator
from pliant.io.number_table import read_part_file
from pliant.lower.law import parameters_of, plain

NAME = "drive_backdrive"
TITLE = "Which loads a servo drives, holds and yields to, six friction models (Duclusaud 2025)"

SOURCES = {
    "servos": "published parameters of the six models; the first four servos are those of Figs. 2 to 4",
    "speeds, points": "assumed",
    "measured": "assumed: none; points as in Fig. 3, if given",
    "largest": "assumed: the stall torque",
}


PUBLISHED = {
    device: tuple(f"{device}_bam_m{k}" for k in range(1, 7))
    for device in (
        "mx64",
        "mx106",
        "erob80_50",
        "erob80_100",
        "xl320",
        "xl330",
        "waveshare_st3025",
    )
}
"""Servos with all six models published; the first four are the paper's."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        servos: title of a figure to the servos in it, names or files with a friction budget.
        speeds: of the joint [rad/s]. points: of each axis.
        largest: torque of the diagrams [N m]; None: the stall torque of a figure's first servo.
        measured: title of a figure to a table of points of a pendulum moved by hand, drawn in each of its
            diagrams (`estimate.static_extremes`).
    """

    servos: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict(PUBLISHED))
    speeds: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0)
    points: int = 401
    largest: float | None = None
    measured: Mapping[str, Path] = field(default_factory=dict[str, Path])


@dataclass(frozen=True, eq=False)
class Limits:
    """Loads [N m] at (N,) motor torques; NaN if there is none within the diagram.

    Attributes:
        tau_m: (N,). drive: the largest load that the motor drives. backdrive: the smallest that drives it back.
    """

    tau_m: Floats
    drive: Floats
    backdrive: Floats


def run(settings: Settings | None, folder: Path) -> Outcome:
    """A figure for each device, a diagram for each model."""
    settings = settings or Settings()
    rows: list[Row] = []
    figures: list[Path] = []
    for device, names in settings.servos.items():
        servos = [load_actuator(name) for name in names]
        largest = settings.largest or stall_torque(servos[0])
        high, wide = -(-len(servos) // 3), min(3, len(servos))
        figure, axes = new_figure(high, wide, width=3.8 * wide, height=3.8 * high)
        flat: list[Any] = np.ravel(axes).tolist()
        points = read_part_file(table) if (table := settings.measured.get(device)) else None
        for axis, servo in zip(flat, servos, strict=False):
            _draw(axis, servo, largest, settings)
            if points is not None:
                driven, driving = loads(points)
                axis.plot(points["tau_m"], driven, "o", color="tab:blue", ms=3)
                axis.plot(points["tau_m"], driving, "o", color="tab:red", ms=3)
            rows.append(_row(servo, largest, settings))
        figure.suptitle(
            "at rest; paler: at " + ", ".join(f"{v:g}" for v in settings.speeds[1:]) + " rad/s",
            fontsize=9,
        )
        figures.append(save_figure(figure, folder, f"{NAME}_{device}"))
    return Outcome(rows=rows, figures=figures, notes=NOTES)


def _draw(axis: Any, servo: Actuator, largest: float, settings: Settings) -> None:
    for v in settings.speeds:
        found = limits(servo, v, largest, settings.points)
        fade, first = float(np.exp(-0.5 * v)), v == settings.speeds[0]
        if first:
            edges = np.nan_to_num(found.drive, nan=0.0), np.nan_to_num(found.backdrive, nan=largest)
            axis.fill_between(found.tau_m, *edges, color="0.9", label="holds")
        for one, colour, word in (
            (found.drive, "tab:blue", "drives"),
            (found.backdrive, "tab:red", "is driven"),
        ):
            axis.plot(found.tau_m, one, color=colour, alpha=fade, label=word if first else None)
    axis.plot([0.0, largest], [0.0, largest], "--", color="0.3", lw=0.8, label="no friction")
    axis.set(xlabel="motor torque [N m]", ylabel="load [N m]", aspect="equal")
    axis.set(xlim=(0.0, largest), ylim=(0.0, largest))
    axis.set_title(servo.title, fontsize=9)
    axis.legend(fontsize=7)


def _row(servo: Actuator, largest: float, settings: Settings) -> Row:
    found = limits(servo, 0.0, largest, settings.points)
    middle = settings.points // 2
    held = found.backdrive[middle]
    yields = f"yields to {held:.2f}" if np.isfinite(held) else f"yields to none below {largest:.2f}"
    bare = found.backdrive[0]
    off = f"{bare:.3f} N m" if np.isfinite(bare) else f"more than {largest:.2f} N m"
    return Row(
        f"{servo.title}: at rest with {found.tau_m[middle]:.2f} N m",
        "figure only",
        f"drives {found.drive[middle]:.2f} N m, {yields} N m",
        f"without power it takes {off} to turn it",
    )


def stall_torque(servo: Actuator) -> float:
    """The largest torque [N m] of the motor at rest, at the actuator's own voltage."""
    f = plain(servo)
    p = parameters_of(servo)
    supply, far = servo.value("own.voltage"), 1e3
    s = f["start"](0.0, p)
    for _ in range(1000):  # the firmware may limit the speed of its goal
        s = f["step"](s, far, 0.0, 0.0, 0.0, supply, 1.0, p, 1e-3)
    return abs(float(f["torque"](s, far, 0.0, 0.0, 0.0, supply, 1.0, p)))


def limits(servo: Actuator, v: float, largest: float, points: int) -> Limits:
    """The diagram of one servo at a speed v [rad/s], on a grid of `points` by `points` torques.

    Raises:
        PliantError: the actuator has no friction budget.
    """
    torques = np.linspace(0.0, largest, points)
    tau_m, load = (x.ravel() for x in np.meshgrid(torques, torques, indexing="ij"))
    held = budget(servo, v, tau_m, load)
    left = [x.reshape(points, points) for x in (tau_m - held - load, load - held - tau_m)]
    return Limits(torques, _edge(left[0][:, ::-1], torques[::-1]), _edge(left[1], torques))


def _edge(left: Floats, loads: Floats) -> Floats:
    """(N,) Load at which each row of (N, M) net torques becomes positive; NaN if it never does."""
    first = np.argmax(left > 0.0, axis=1)
    after, before = (left[np.arange(len(left)), k] for k in (first, np.maximum(first - 1, 0)))
    part = np.divide(after, after - before, out=np.zeros_like(after), where=first > 0)
    edge = loads[first] - part * (loads[1] - loads[0])
    return np.where((left > 0.0).any(axis=1), edge, np.nan)


NOTES = (
    "Given by the paper: the two conditions and the six models. The numbers are the published ones; "
    "the settings accept any servo's file instead. Speeds are assumed; the higher the speed, the "
    "fainter the line.",
    "M6 is not eq. (10) to the letter: its quadratic part counts only while motor torque and load oppose each other, "
    "as in the authors' released code. In these diagrams they always do.",
    "If friction grows with the load (M3 to M6), the curve of loads that drive the joint back is not "
    "the mirror image of the loads that it drives, as it is with Coulomb friction (M1).",
)
