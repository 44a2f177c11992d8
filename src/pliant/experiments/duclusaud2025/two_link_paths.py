"""Two arms of two servos along four paths, six friction models: Duclusaud et al. 2025, Figs. 6 and 7.

There are no public recordings of the real arms: this shows how much the models differ, not which is right.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import controls, played
from pliant.experiments.duclusaud2025.two_link_arms import (
    ARMS,
    JOINTS,
    KNOT,
    Arm,
    Plane,
    goals,
    spec_of,
)
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator

NAME = "two_link_paths"
TITLE = "Two arms of two servos along four paths, six friction models (Duclusaud 2025, Figs. 6, 7)"

SOURCES = {
    "arms, models, paths": "Figs. 6 and 7",
    "settle, timestep": "assumed",
}
"""Place of each number in the paper, or "assumed"."""
GAINS = ("low", "high")
SHOWN = {
    "": "",
    "_differences": ": distance of the end from that by the last model",
    "_joints": ": second joint, and mean error of both joints from the command",
}
"""End of a figure's name to that of its title."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        arms: of `ARMS`. models: friction models. paths: of each arm.
        settle: [s] at the first goal before. timestep: [s].
    """

    arms: tuple[str, ...] = tuple(ARMS)
    models: tuple[str, ...] = ("m1", "m2", "m3", "m4", "m5", "m6")
    paths: tuple[str, ...] = ("circle", "square", "square wave", "triangle")
    settle: float = 2.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Both arms at both gains."""
    settings = settings or Settings()
    rows: list[Row] = []
    figures: list[Path] = []
    for name in settings.arms:
        arm = ARMS[name]
        wide = len(settings.paths)
        high = ((2, 7.0), (2, 6.0), (4, 10.0))
        drawn = [new_figure(n, wide, width=14.0, height=h) for n, h in high]
        panels, courses, joints = (np.reshape(axes, (-1, wide)) for _, axes in drawn)
        for column, path in enumerate(settings.paths):
            angles, wanted = goals(arm, arm.paths[path])
            for row, gain in enumerate(arm.gains):
                moved = {m: turned(arm, m, gain, angles, settings) for m in settings.models}
                reached = {m: places(arm, q) for m, q in moved.items()}
                title = f"{path}, P-gain {gain:g}"
                _joints(joints[2 * row : 2 * row + 2, column], title, angles, moved)
                rows.append(_row(arm, path, GAINS[row], gain, wanted, reached))
                _course(courses[row, column], title, reached)
                axis = panels[row, column]
                axis.plot(*(1e3 * wanted.T), color="0.6", lw=2.0, label="commanded")
                for model, ends in reached.items():
                    axis.plot(*(1e3 * ends.T), lw=0.9, label=model.upper())
                axis.set(title=title, xlabel="across [mm]", aspect="equal")
                axis.set_adjustable("datalim")  # long flat paths get as large a panel
                axis.invert_yaxis()
        panels[0, 0].set_ylabel("down [mm]")
        panels[1, 0].set_ylabel("down [mm]")
        for (figure, axes), (end, title) in zip(drawn, SHOWN.items(), strict=True):
            lines, words = np.ravel(axes)[0].get_legend_handles_labels()
            figure.legend(lines, words, loc="outside lower center", ncols=len(words))
            figure.suptitle(arm.title + title)
            figures.append(save_figure(figure, folder, f"{NAME}_{name}{end}"))
    return Outcome(rows=rows, figures=figures, notes=NOTES)


def _joints(axes: Any, title: str, told: Floats, moved: dict[str, Floats]) -> None:
    """Second joint over time above, mean absolute error of both joints below, as Fig. 1 has them."""
    time = KNOT * np.arange(len(told))
    axes[0].plot(time, told[:, 1], color="0.6", lw=2.0, label="commanded")
    for model, q in moved.items():
        axes[0].plot(time, q[:, 1], lw=0.9, label=model.upper())
        axes[1].plot(time, 1e3 * np.abs(q - told).mean(axis=1), lw=0.9)
    axes[0].set(title=title, ylabel="second joint [rad]")
    axes[1].set(xlabel="time [s]", ylabel="error [mrad]", ylim=(0.0, None))


def _course(axis: Any, title: str, reached: dict[str, Floats]) -> None:
    """Distance of the end by each model from that by the last one, over time."""
    *others, last = reached
    for model in others:
        far = 1e3 * np.hypot(*(reached[model] - reached[last]).T)
        axis.plot(KNOT * np.arange(len(far)), far, lw=0.9, label=model.upper())
    axis.set(title=title, xlabel="time [s]", ylabel=f"[mm] from {last.upper()}", ylim=(0.0, None))


def turned(arm: Arm, model: str, gain: float, angles: Floats, settings: Settings) -> Floats:
    """(K, 2) Angles [rad] of both joints at the goals (K, 2) [rad], in MuJoCo.

    Each goal holds until the next.
    """
    spec = spec_of(arm, settings.timestep)
    servos = {
        joint: load_actuator(f"{device}_bam_{model}").with_values(
            {"control.kp": gain}, "the gain of the path", "assumed"
        )
        for joint, device in zip(JOINTS, arm.devices, strict=True)
    }
    attached = attach(spec, servos)
    compiled = spec.compile()
    before, each = round(settings.settle / settings.timestep), round(KNOT / settings.timestep)
    told = np.concatenate([np.tile(angles[0], (before, 1)), np.repeat(angles[1:], each, axis=0)])
    motion = played(
        compiled,
        controls(compiled, len(told), dict(zip(JOINTS, told.T, strict=True))),
        attached=attached,
        qpos=angles[0],
    )
    return np.asarray(motion.qpos[before - 1 :: each])


def places(arm: Arm, angles: Floats) -> Floats:
    """(K, 2) Places of the end [m] at angles (K, 2) [rad]."""
    plane = Plane(spec_of(arm, KNOT).compile())
    return np.array([plane.place(q) for q in angles])


def apart(reached: dict[str, Floats]) -> tuple[float, tuple[str, str]]:
    """The largest mean distance [m] between the ends by two models, and which these are."""
    names = list(reached)
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    if not pairs:
        return 0.0, (names[0], names[0])
    mean = {p: float(np.hypot(*(reached[p[0]] - reached[p[1]]).T).mean()) for p in pairs}
    most = max(mean, key=lambda pair: mean[pair])
    return mean[most], most


def _row(
    arm: Arm, path: str, which: str, gain: float, wanted: Floats, reached: dict[str, Floats]
) -> Row:
    errors = [
        f"{m.upper()} {1e3 * np.hypot(*(x - wanted).T).mean():.1f}" for m, x in reached.items()
    ]
    most, (one, other) = apart(reached)
    return Row(
        f"{arm.title}, {path}, {which} gain ({gain:g}): mean distance from the command",
        "figure only",
        ", ".join(errors) + " mm",
        f"models apart by up to {1e3 * most:.1f} mm in the mean ({one.upper()}, {other.upper()})",
    )


NOTES = (
    "No recordings of the real arms are public: nothing here says which model is right. The paper "
    "(section VI-B) has M4 best on the MX arm, where M5 does not improve on it, and M6 on the eRob arm, both with less "
    "than half the error of M1.",
    "Given by the paper: the arms, the four kinds of paths, two gains, six models. Links and masses "
    "are the authors' models (data/two_link_arms), friction and motors their published parameters; "
    "corners and times of the paths are those of their recording programs.",
    "M6 is not eq. (10) to the letter: its quadratic part counts only while motor torque and load oppose each other, as in "
    "the authors' released code; as printed, the end of the eRob arm would differ by about 1.5 mrad of joint angle.",
    "Assumed: P-gains of 8 and 32 (MX, in the firmware's unit) and of 50 and 200 (eRob, in A/rad), a "
    "goal every 10 ms, the paths of the eRob arm counted from its first joint, the elbow on one side.",
)
