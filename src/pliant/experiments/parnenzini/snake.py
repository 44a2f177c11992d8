"""A snake of twelve qbmove Maker Pro modules: Parnenzini, Fig. 6 and Table II.

    y_i = D + A sin(omega t + i pi / lambda [+ delta for even i]),   i = 0, 1, ..., 11

The axes alternate between horizontal and vertical, the first one horizontal. References are sent every
10 ms over one serial bus: module i gets its own (i + 1) packets later. The floor is flat or uneven.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import degrees, dist, pi, radians
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion
from pliant.experiments.parnenzini.maker_pro import BAUD, HOST, modules
from pliant.experiments.support.benches import BLUE, RED, driven, empty, shape
from pliant.experiments.support.energy import energy_of
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip

NAME = "snake"
TITLE = "A snake of twelve qbmove modules, flat and over bumps (Parnenzini, Fig. 6)"

SOURCES = {
    "modules": "section V-A",
    "pitch, side, mass, head_mass": "authors' released model (qbmove_snake, model.sdf), not in the paper",
    "omega, wavelength, odd, even, delta, offset, preset": "Table II",
    "period": "authors' released program (qbmove_snake, talker.cc), not in the paper",
    "first_axis": "section V-A: the text calls the even ones horizontal",
    "other_presets": "assumed: for comparison",
    "friction, ramp": "assumed",
    "bumps": "assumed: Fig. 6 shows uneven ground",
    "baud, host": "assumed: as of one module",
    "shaft_friction": "Table I",
    "actuator": "Table I, with the power stage without the branch error of the authors' code",
    "duration, timestep": "assumed",
}
GROUNDS = ("flat", "uneven")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        modules, pitch [m], side [m], mass [kg] of a module, head_mass [kg] at the end.
        omega: [rad/s]. wavelength: lambda. odd, even: amplitudes of the joints with odd and even
            index [rad]. delta: phase of those with an even index [rad]. offset: D [rad]. preset:
            [rad]. All from Table II. period: between references [s].
        first_axis: of joint 0; the text calls the even ones horizontal.
        other_presets: softer ones, for comparison [rad]. friction: coefficient with the floor. ramp: [s] to full amplitude.
        bumps: height [m] and size [m] of the uneven floor's bumps.
        baud, host: of the bus [1/s], and latency before it [s].
        shaft_friction: of the joints [N m]. actuator: with its power stage. duration: [s].
        timestep: [s].
    """

    modules: int = 12
    pitch: float = 0.089
    side: float = 0.075
    mass: float = 0.25
    head_mass: float = 1.0
    omega: float = 4.71
    wavelength: float = 5.0
    odd: float = radians(60.0)
    even: float = radians(20.0)
    delta: float = radians(90.0)
    offset: float = 0.0
    preset: float = radians(35.0)
    other_presets: tuple[float, ...] = (0.0, radians(20.0))
    period: float = 0.01
    first_axis: Literal["horizontal", "vertical"] = "horizontal"
    friction: float = 1.0
    ramp: float = 2.0
    bumps: tuple[float, float] = (0.03, 0.3)
    baud: float = BAUD
    host: float = HOST
    shaft_friction: float = 0.01
    actuator: str = "qbmove_maker_pro_pwm"
    duration: float = 12.0
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Simulate the snake on both grounds."""
    settings = settings or Settings()
    motions = {ground: crawled(settings, uneven=ground == "uneven") for ground in GROUNDS}
    rows = [row for ground, motion in motions.items() for row in _rows(motion, ground, settings)]
    for preset in settings.other_presets:
        other = replace(settings, preset=preset)
        where = f"uneven, preset {degrees(preset):.0f}° instead of {degrees(settings.preset):.0f}°"
        rows.append(_rows(crawled(other, uneven=True), where, other)[0])
    lags = [
        1e3 * unit.value("timing.delay")
        for unit in modules(settings.actuator, settings.modules, settings.baud, settings.host)
    ]
    rows.append(
        Row(
            "delay of the references on the bus",
            "–",
            f"{lags[0]:.2f} … {lags[-1]:.2f} ms",
            f"first … last module, {settings.baud:g} baud; motors seen through 12 bits",
        )
    )
    figures = [_figure(motions, settings, folder)]
    figures += [_strip(motion, ground, settings, folder) for ground, motion in motions.items()]
    return Outcome(rows=rows, figures=figures, notes=NOTES)


def _rows(motion: Motion, ground: str, settings: Settings) -> list[Row]:
    track = centres(motion, settings)
    away = dist(track[-1], track[0])
    upright = uprightness(motion, settings)
    lengths = away / (settings.modules * settings.pitch)
    return [
        Row(
            f"distance travelled, {ground}",
            "passes over a terrain",
            f"{away:.2f} m",
            f"in {settings.duration:g} s, {away / settings.duration:.3f} m/s, {lengths:.1f} body "
            "lengths",
        ),
        Row(
            f"lowest cosine between the up axes of body and world, {ground}",
            "–",
            f"{upright.min():.2f}",
            "mean over the modules; below 0 it lies on its back",
        ),
        _cost(motion, ground, away),
    ]


def _cost(motion: Motion, ground: str, away: float) -> Row:
    energy = energy_of(motion)
    assert energy is not None
    mass = float(motion.model.body_mass.sum())
    return Row(
        f"cost of transport, {ground}",
        "–",
        f"{energy.cost_of_transport(mass, away):.3g}",
        f"{float(np.nansum(energy.drawn)):.3g} J from the supply, without recovery, for {mass:.3g} "
        f"kg over {away:.2f} m",
    )


def _figure(motions: Mapping[str, Motion], settings: Settings, folder: Path) -> Path:
    figure, axes = new_figure(1, 2, width=9.0, height=4.0)
    for ground, motion in motions.items():
        track = centres(motion, settings)
        axes[0].plot(track[:, 0], track[:, 1], label=ground)
    axes[0].set(xlabel="x [m]", ylabel="y [m]", title="centre of mass", aspect="equal")
    axes[0].legend(fontsize=8)
    motion = motions["flat"]
    for k in (0, 1, settings.modules // 2):
        axes[1].plot(motion.time, motion.position(f"joint_{k}"), label=f"joint {k}")
    axes[1].set(xlabel="time [s]", ylabel="q [rad]", xlim=(0.0, 6.0), title="flat")
    axes[1].legend(fontsize=8)
    return save_figure(figure, folder, NAME)


def _strip(motion: Motion, ground: str, settings: Settings, folder: Path) -> Path:
    places = np.concatenate([place for place, _ in _poses(motion, settings)])[:, :2]
    low, high = places.min(axis=0), places.max(axis=0)
    return write_strip(
        motion,
        folder,
        f"{NAME}_{ground}",
        times=list(np.linspace(0.0, settings.duration, 6)),
        view=View(
            lookat=[*map(float, 0.5 * (low + high)), 0.0],
            distance=1.45 * float((high - low).max()),
            elevation=-60.0,
        ),
        title=f"{ground} ground",
    )


def body(settings: Settings, *, uneven: bool = False) -> mujoco.MjSpec:
    """The modules in a line on the floor, their joints between them."""
    spec = empty(settings.timestep, grip=1.0)
    half = 0.5 * settings.side
    rough = [settings.friction, 0.005, 1e-4]  # the others are MuJoCo's own
    parent = spec.worldbody
    parent.add_light(pos=[0.5, -1.0, 3.0], dir=[0.0, 0.3, -1.0])
    _ground(spec, rough, settings, uneven=uneven)
    for k in range(settings.modules + 1):
        first, last = k == 0, k == settings.modules
        place = [0.0, 0.0, half] if first else [settings.pitch, 0.0, 0.0]
        link = parent.add_body(name=f"module_{k}", pos=place)
        if first:
            link.add_freejoint(name="base")
        else:
            vertical = (k % 2 == 1) == (settings.first_axis == "vertical")
            axis = [0, 0, 1] if vertical else [0, 1, 0]
            link.add_joint(
                name=f"joint_{k - 1}",
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=axis,
                pos=[-0.5 * settings.pitch, 0.0, 0.0],
                frictionloss=settings.shaft_friction,
            )
        shape(
            link,
            "box",
            [half] * 3,
            RED if last else BLUE,
            friction=rough,
            mass=settings.head_mass if last else settings.mass,
        )
        parent = link
    _no_contact_of_neighbours(spec, settings)
    return spec


def _no_contact_of_neighbours(spec: mujoco.MjSpec, settings: Settings) -> None:
    """Exclude contacts between the corners of neighbouring cubes, which are rounded in the device."""
    for k in range(settings.modules - 1):
        spec.add_exclude(bodyname1=f"module_{k}", bodyname2=f"module_{k + 2}")


def _ground(spec: mujoco.MjSpec, rough: list[float], settings: Settings, *, uneven: bool) -> None:
    """A plane, or a height field whose bumps rise from 0 where the snake starts."""
    reach, count = 4.0, 161
    grey = [0.6, 0.6, 0.58, 1]
    if not uneven:
        seen = 3.0 * reach  # so that no picture shows an edge; the plane itself is infinite
        shape(spec.worldbody, "plane", [seen, seen, 0.1], grey, friction=rough)
        return
    height, size = settings.bumps
    x, y = np.meshgrid(*[np.linspace(-reach, reach, count)] * 2)
    waves = np.sin(2.0 * pi * x / size) * np.sin(2.0 * pi * (y + 0.4 * x) / size)
    # the snake starts from x = 0 to 12 modules further, at y = 0
    length = settings.modules * settings.pitch
    away = np.hypot(x - np.clip(x, 0.0, length), y) - settings.side
    rise = np.clip(away / size, 0.0, 1.0)
    spec.add_hfield(
        name="ground",
        size=[reach, reach, height, 0.1],
        nrow=count,
        ncol=count,
        userdata=(0.5 * (1.0 + waves) * rise).ravel().tolist(),
    )
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", friction=rough, rgba=grey
    )


def references(settings: Settings) -> Floats:
    """(T, modules) [rad], a new one every period."""
    steps = round(settings.duration / settings.timestep)
    t = settings.period * np.floor(settings.timestep * np.arange(steps) / settings.period + 1e-9)
    number = np.arange(settings.modules)
    odd = number % 2 == 1
    amplitude = np.where(odd, settings.odd, settings.even)
    shift = number * pi / settings.wavelength + np.where(odd, 0.0, settings.delta)
    ramp = np.minimum(t / settings.ramp, 1.0)[:, None]
    return settings.offset + ramp * amplitude * np.sin(settings.omega * t[:, None] + shift)


def crawled(settings: Settings, *, uneven: bool = False) -> Motion:
    """The motion on the floor."""
    spec = body(settings, uneven=uneven)
    names = [f"joint_{k}" for k in range(settings.modules)]
    units = modules(settings.actuator, settings.modules, settings.baud, settings.host)
    goals = references(settings)
    given = {name: goals[:, k] for k, name in enumerate(names)}
    joints = dict(zip(names, units, strict=True))
    return driven(spec, joints, len(goals), given, settings.preset)


def centres(motion: Motion, settings: Settings) -> Floats:
    """(K, 2) Mean place of the bodies on the floor [m], every 50 ms; the heavy head counts once."""
    return np.array([p.mean(axis=0)[:2] for p, _ in _poses(motion, settings)])


def uprightness(motion: Motion, settings: Settings) -> Floats:
    """(K,) Mean over the modules of the cosine between their up axes and the world's."""
    return np.array([up.mean() for _, up in _poses(motion, settings)])


def _poses(motion: Motion, settings: Settings) -> list[tuple[Floats, Floats]]:
    """(bodies, 3) places [m] and (bodies,) cosines, every 50 ms."""
    model, data = motion.model, mujoco.MjData(motion.model)
    poses: list[tuple[Floats, Floats]] = []
    for row in range(0, len(motion.time), round(0.05 / settings.timestep)):
        data.qpos[:] = motion.qpos[row]
        mujoco.mj_kinematics(model, data)
        poses.append((np.array(data.xpos[1:]), np.array(data.xmat[1:]).reshape(-1, 9)[:, 8]))
    return poses


NOTES = (
    "Given by the paper: 12 modules, omega, lambda, A, D, delta and the preset (Table II); which axes come first, by the "
    "numbering of its text and code, that begins at 0 with a horizontal one. From the authors' released model and "
    "program: the phase's factor i, 89 mm between joints, cubes of 75 mm and 0.25 kg, 1 kg at the end, 10 ms.",
    "Assumed: friction with the floor 1, the amplitude rises within 2 s, the bus runs at 460.8 kbaud "
    "with 1 ms of latency in the host, bumps 3 cm high and 30 cm long on the uneven ground, of which "
    "the paper shows a picture.",
    "With the axes swapped (first_axis), so that the vertical ones bend by 20 and the horizontal ones "
    "by 60 degrees, it rolls over.",
    "The preset of 35 degrees is beyond the firmware's largest, 0.575 rad; the paper uses it.",
    "Corners of neighbours but one are kept from touching; the distance is that of the mean of "
    "all modules.",
)
