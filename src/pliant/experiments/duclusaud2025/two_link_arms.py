"""The two arms of Duclusaud et al. 2025 and the paths of their ends.

MX-106 + MX-64 and eRob80:100 + eRob80:50, two links in a vertical plane, hanging. The models are the
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

SOURCES = {
    "KNOT": "assumed",
    "MX_TOP": "the authors' programs and model of the arm",
    "ARMS": "Figs. 6 and 7, the authors' programs and models",
}
"""Place of each number in the paper, or "assumed"."""

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


def circle(radius: float, down: float, duration: float = 8.0) -> Path2D:
    """Once around a centre straight below the first joint, from the top."""

    def place(t: float) -> tuple[float, float]:
        angle = 2.0 * pi * t / duration
        return radius * sin(angle), down - radius * cos(angle)

    return Path2D(duration, place)


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
    """Moves with a rest before each: 1 s on the square, half of each part of the waves."""
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
        """(2,) Joint angles [rad] of a place of the end, by Newton's method from `near`.

        Raises:
            PliantError: the end does not get there.
        """
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
        raise PliantError("is out of the reach of the arm", field="path", found=place.tolist())


def goals(arm: Arm, path: Path2D) -> tuple[Floats, Floats]:
    """(K, 2) Joint angles [rad] and (K, 2) places of the end [m] along a path, every KNOT."""
    plane = Plane(spec_of(arm, 1e-3).compile())
    times = KNOT * np.arange(round(path.duration / KNOT) + 1)
    places = np.array([path.place(float(t)) for t in times])
    q, rows = np.array([0.5, -1.0]), np.empty((len(times), 2))
    for k, place in enumerate(places):
        rows[k] = q = plane.angles(place, q)
    return rows, places
