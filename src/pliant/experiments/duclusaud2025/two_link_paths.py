"""Two arms of two servos along four paths, six friction models: Duclusaud et al. 2025, Figs. 6 and 7.

There are no public recordings of the real arms: this shows how much the models differ, not which is right.

MX-106 + MX-64 and eRob80:100 + eRob80:50, two links in a vertical plane, hanging. The robots' models are the
authors'; the paths have the corners and times of the programs that recorded the real arms.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.experiments.support.benches import driven
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator

JOINTS = ("R1", "R2")
KNOT = 0.01
"""[s] Between goals [assumed]."""


@dataclass(frozen=True)
class Path2D:
    """A path of the end: (across, down) [m] from the first joint, over time [s]."""

    duration: float
    place: Callable[[float], tuple[float, float]]


def corners(*stops: tuple[float, float, float]) -> Path2D:
    """Path through stops (time, across, down), from rest to rest by cubics."""

    def place(t: float) -> tuple[float, float]:
        for (t0, x0, z0), (t1, x1, z1) in pairwise(stops):
            if t < t1:
                part = max(t - t0, 0.0) / (t1 - t0)
                part = part * part * (3.0 - 2.0 * part)
                return x0 + part * (x1 - x0), z0 + part * (z1 - z0)
        return stops[-1][1], stops[-1][2]

    return Path2D(stops[-1][0], place)


def circle(radius: float, down: float) -> Path2D:
    """Once around a centre straight below the first joint, from the top, in 8 s."""
    once = 8.0

    def place(t: float) -> tuple[float, float]:
        angle = 2.0 * pi * t / once
        return radius * sin(angle), down - radius * cos(angle)

    return Path2D(once, place)


def _mx_paths() -> dict[str, Path2D]:
    """Segments of 2 s and 1.5 s, without pauses."""
    side = [(0.05, 0.0), (0.05, 0.1), (-0.05, 0.1), (-0.05, 0.0), (0.05, 0.0)]
    square = [(2.0 * k, x, MX_TOP - down) for k, (x, down) in enumerate(side)]
    waves, size, low = 9, 0.05, MX_TOP - 0.05
    wave, triangle = [(0.0, 0.2, low)], [(0.0, 0.2, low)]
    for k in range(waves):
        down = low - size * (k % 2 == 0)
        wave.append((1.5 * (2 * k + 1), 0.2 - 0.4 * k / waves, down))
        wave.append((1.5 * (2 * k + 2), 0.2 - 0.4 * (k + 1) / waves, down))
    for k in range(1, 11):
        triangle.append((1.5 * k, 0.2 - 0.04 * k, low - size * (k % 2)))
    return {
        "circle": circle(0.05, MX_TOP - 0.05),
        "square": corners(*square),
        "square wave": corners(*wave),
        "triangle": corners(*triangle),
    }


def _erob_paths() -> dict[str, Path2D]:
    """Moves, each after a rest: 1 s on the square, half of each segment on the waves."""
    side = [(-0.1, 0.4), (-0.1, 0.2), (0.1, 0.2), (0.1, 0.4), (-0.1, 0.4)]
    square = [
        stop for k, (x, z) in enumerate(side) for stop in ((3.0 * k, x, z), (3.0 * k + 1, x, z))
    ]
    wave: list[tuple[float, float, float]] = []
    triangle: list[tuple[float, float, float]] = []
    for k in range(5):
        x = -0.25 + 0.1 * k
        for n, (dx, z) in enumerate(((0.0, 0.3), (0.0, 0.2), (0.05, 0.2), (0.05, 0.3))):
            t = 8.0 * k + 2.0 * n
            wave += [(t, x + dx, z), (t + 1.0, x + dx, z)]
        for n, (dx, z) in enumerate(((0.0, 0.3), (0.05, 0.2))):
            t = 8.0 * k + 4.0 * n
            triangle += [(t, x + dx, z), (t + 2.0, x + dx, z)]
    return {
        "circle": circle(0.1, 0.3),
        "square": corners(*square),
        "square wave": corners(*wave),
        "triangle": corners(*triangle),
    }


MX_TOP = 0.35 - 0.0548
"""[m] Start of the MX arm's paths below its first joint, which is 54.8 mm below the base."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One arm: its model, the servos of its joints, low and high P-gain, its paths."""

    title: str
    model: str
    devices: tuple[str, str]
    gains: tuple[float, float]
    paths: dict[str, Path2D]


ARMS = {
    "mx": Arm(
        title="MX-106 + MX-64",
        model="2r_mx.xml",
        devices=("mx106", "mx64"),
        gains=(8.0, 32.0),
        paths=_mx_paths(),
    ),
    "erob": Arm(
        title="eRob80:100 + eRob80:50",
        model="2r_erob.xml",
        devices=("erob80_100", "erob80_50"),
        gains=(50.0, 200.0),
        paths=_erob_paths(),
    ),
}


def spec_of(arm: Arm, timestep: float) -> mujoco.MjSpec:
    """The arm's model without its ideal motors."""
    file = Path(str(resources.files("pliant") / "data" / "two_link_arms" / arm.model))
    spec = mujoco.MjSpec.from_file(str(file))
    for motor in list(spec.actuators):
        spec.delete(motor)
    spec.option.timestep = timestep
    return spec


class Plane:
    """The plane in which an arm moves, and its forward and inverse kinematics."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model: Any = model  # sites have no types here
        self.data: Any = mujoco.MjData(model)
        mujoco.mj_kinematics(model, self.data)
        joint = self.model.joint("R1").id
        axis = self.data.xaxis[joint]
        self.origin: Floats = self.data.xanchor[joint].copy()
        down = np.array([0.0, 0.0, -1.0])
        self.basis: Floats = np.stack([np.cross(down, axis), down])
        self.end: int = self.model.site("end").id

    def place(self, q: Floats) -> Floats:
        """(2,) Across and down [m] of the end at the angles (2,) [rad]."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        return self.basis @ (self.data.site_xpos[self.end] - self.origin)

    def angles(self, place: Floats, near: Floats) -> Floats:
        """(2,) Joint angles [rad] for a position of the end, by Newton's method from `near`."""
        q, jacobian = np.array(near, dtype=float), np.zeros((3, self.model.nv))
        library: Any = mujoco
        for _ in range(50):
            away = place - self.place(q)
            if np.abs(away).max() < 1e-10:
                return q
            library.mj_comPos(self.model, self.data)
            library.mj_jacSite(self.model, self.data, jacobian, None, self.end)
            move = np.linalg.lstsq(self.basis @ jacobian, away, rcond=1e-6)[0]
            q += np.clip(move, -0.3, 0.3)
        raise PliantError("is out of the arm's reach", field="path", found=place.tolist())


def goals(arm: Arm, path: Path2D) -> tuple[Floats, Floats]:
    """(K, 2) Joint angles [rad] and (K, 2) places of the end [m] along a path, every KNOT."""
    plane = Plane(spec_of(arm, 1e-3).compile())
    times = KNOT * np.arange(round(path.duration / KNOT) + 1)
    places = np.array([path.place(float(t)) for t in times])
    q, rows = np.array([0.5, -1.0]), np.empty((len(times), 2))
    for k, place in enumerate(places):
        rows[k] = q = plane.angles(place, q)
    return rows, places


NAME = "two_link_paths"
TITLE = "Two arms of two servos along four paths, six friction models (Duclusaud 2025, Figs. 6, 7)"

SOURCES = {
    "arms, models, paths": "Figs. 6 and 7",
    "settle, timestep": "assumed",
    "KNOT": "assumed",
    "MX_TOP": "the authors' programs and model of the arm",
    "ARMS": "Figs. 6 and 7, the authors' programs and models",
}
GAINS = ("low", "high")
SHOWN = {
    "": "",
    "_differences": ": distance of the end from that by the last model",
    "_joints": ": second joint, and mean error of both joints from the command",
}
"""Suffix of a figure's name to that of its title."""


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

    Each goal is held until the next.
    """
    spec = spec_of(arm, settings.timestep)
    servos = {
        joint: load_actuator(f"{device}_bam_{model}").with_values(
            {"control.kp": gain}, "the gain of the path", "assumed"
        )
        for joint, device in zip(JOINTS, arm.devices, strict=True)
    }
    before, each = round(settings.settle / settings.timestep), round(KNOT / settings.timestep)
    told = np.concatenate([np.tile(angles[0], (before, 1)), np.repeat(angles[1:], each, axis=0)])
    goals: dict[str, Floats] = dict(zip(JOINTS, told.T, strict=True))
    motion = driven(spec, servos, len(told), goals, qpos=angles[0])
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
        f"mean distance between models up to {1e3 * most:.1f} mm ({one.upper()}, {other.upper()})",
    )


NOTES = (
    "No recordings of the real arms are public: nothing here says which model is right. The paper "
    "(section VI-B) has M4 best on the MX arm, where M5 does not improve on it, and M6 on the eRob arm, both with less "
    "than half the error of M1.",
    "Given by the paper: the arms, the four kinds of paths, two gains, six models. Links and masses "
    "are the authors' models (data/two_link_arms), friction and motors their published parameters; "
    "corners and times of the paths are those of their recording programs.",
    "M6 is not eq. (10) to the letter: its quadratic part counts only while motor torque and load oppose each other, as in "
    "the authors' released code; as printed, the angles of the eRob arm would differ by up to 0.06 mrad.",
    "Assumed: P-gains of 8 and 32 (MX, in the firmware's unit) and of 50 and 200 (eRob, in A/rad), a "
    "goal every 10 ms, the paths of the eRob arm counted from its first joint, the elbow on one side.",
)
