"""A snake of twelve qbmove Maker Pro modules: Parnenzini, Fig. 6.

    y_i = D + A sin(omega t + i pi / lambda [+ pi/2]),   axes alternately vertical and horizontal

References go out every 10 ms over one serial bus: module i gets its own (i + 1) packets later.
"""

from dataclasses import dataclass
from math import pi, radians
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, with_law
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.engines.spec.names import PRESET
from pliant.experiments.support.benches import empty
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.support.strip import View, write_strip
from pliant.io.actuator_file import load_actuator

NAME = "snake"
TITLE = "A snake of twelve qbmove modules (Parnenzini, Fig. 6)"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the paper says, then what it leaves open.

    Attributes:
        modules, pitch [m], side [m], mass [kg] of a module, head_mass [kg] at the end.
        omega: [rad/s]. wavelength: lambda. odd, even: amplitudes of the vertical and the horizontal
            axes [rad]. offset: D [rad]. preset: [rad]. period: between references [s].
        friction: coefficient with the floor [assumed].
        phase: of the horizontal axes [rad, assumed: pi/2]. ramp: [s] to full amplitude [assumed].
        baud, packet: of the bus [1/s], [bytes]; latency: of the host [s, assumed].
        shaft_friction: of the joints [N m]. actuator: with its power stage. duration: [s, assumed].
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
    offset: float = 0.0
    preset: float = radians(35.0)
    period: float = 0.01
    friction: float = 1.0
    delta: float = 0.5 * pi
    first_axis: Literal["vertical", "horizontal"] = "horizontal"
    ramp: float = 2.0
    baud: float = 460800.0
    packet: int = 10
    latency: float = 1e-3
    shaft_friction: float = 0.01
    actuator: str = "qbmove_maker_pro_pwm"
    duration: float = 12.0
    timestep: float = 1e-3

    def delay(self, module: int) -> float:
        """[s] Until the reference of module 0, 1, … has arrived; ten bits for each byte."""
        return self.latency + (module + 1) * self.packet * 10.0 / self.baud


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Let it crawl."""
    settings = settings or Settings()
    motion = crawled(settings)
    track = centres(motion, settings)
    away = np.linalg.norm(track - track[0], axis=1)
    steady = away[-1] / settings.duration
    upright = uprightness(motion, settings)
    lengths = settings.modules * settings.pitch
    lags = [1e3 * settings.delay(k) for k in (0, settings.modules - 1)]
    rows = [
        Row(
            "distance travelled",
            "travels",
            f"{away[-1]:.2f} m",
            f"in {settings.duration:g} s, {steady:.3f} m/s, {away[-1] / lengths:.1f} body lengths",
        ),
        Row(
            "lowest cosine between the up axes of body and world",
            "does not tip over",
            f"{upright.min():.2f}",
            "mean over the modules; below 0 it would lie on its back",
        ),
        Row(
            "delay of the references on the bus",
            "–",
            f"{lags[0]:.2f} … {lags[1]:.2f} ms",
            f"first … last module, {settings.baud:g} baud",
        ),
    ]
    figure, axes = new_figure(1, 2, width=9.0, height=4.0)
    axes[0].plot(track[:, 0], track[:, 1])
    axes[0].set(xlabel="x [m]", ylabel="y [m]", title="centre of mass", aspect="equal")
    for k in (0, 1, settings.modules // 2):
        axes[1].plot(motion.time, motion.position(f"joint_{k}"), label=f"joint {k}")
    axes[1].set(xlabel="time [s]", ylabel="q [rad]", xlim=(0.0, 6.0))
    axes[1].legend(fontsize=8)
    low, high = track.min(axis=0), track.max(axis=0)
    strip = write_strip(
        motion,
        folder,
        f"{NAME}_strip",
        times=list(np.linspace(0.0, settings.duration, 6)),
        view=View(lookat=[*map(float, 0.5 * (low + high)), 0.0], distance=lengths + 1.1 * float((high - low).max()), azimuth=90.0, elevation=-60.0),
    )
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME), strip], notes=NOTES)


def body(settings: Settings) -> mujoco.MjSpec:
    """The modules in a line on the floor, their joints between them."""
    spec = empty(settings.timestep)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    half = 0.5 * settings.side
    rough = [settings.friction, 0.005, 1e-4]
    parent = spec.worldbody
    parent.add_light(pos=[0.5, -1.0, 3.0], dir=[0.0, 0.3, -1.0])
    parent.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[4, 4, 0.1],
        friction=rough,
        rgba=[0.85, 0.85, 0.82, 1],
    )
    for k in range(settings.modules + 1):
        first, last = k == 0, k == settings.modules
        place = [0.0, 0.0, half] if first else [settings.pitch, 0.0, 0.0]
        link = parent.add_body(name=f"module_{k}", pos=place)
        if first:
            link.add_freejoint(name="base")
        else:
            vertical = ((k - 1) % 2 == 0) == (settings.first_axis == "vertical")
            axis = [0, 0, 1] if vertical else [0, 1, 0]
            link.add_joint(
                name=f"joint_{k - 1}",
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=axis,
                pos=[-0.5 * settings.pitch, 0.0, 0.0],
                frictionloss=settings.shaft_friction,
            )
        link.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[half] * 3,
            friction=rough,
            mass=settings.head_mass if last else settings.mass,
            rgba=[0.75, 0.3, 0.25, 1] if last else [0.25, 0.45, 0.7, 1],
        )
        parent = link
    _no_contact_of_neighbours(spec, settings)
    return spec


def _no_contact_of_neighbours(spec: mujoco.MjSpec, settings: Settings) -> None:
    """The corners of neighbouring cubes would meet; in the device they are rounded."""
    for k in range(settings.modules - 1):
        spec.add_exclude(bodyname1=f"module_{k}", bodyname2=f"module_{k + 2}")


def unit(settings: Settings, module: int) -> Actuator:
    """The actuator of a module, with its delay on the bus."""
    delayed = with_law(load_actuator(settings.actuator), "timing", "command_delay")
    return delayed.with_values({"timing.delay": settings.delay(module)}, "bus model", "assumed")


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


def crawled(settings: Settings) -> Motion:
    """The motion on the floor."""
    spec = body(settings)
    names = [f"joint_{k}" for k in range(settings.modules)]
    attached = attach(spec, {name: unit(settings, k) for k, name in enumerate(names)})
    model = spec.compile()
    goals = references(settings)
    given: dict[str, Floats | float] = {name: goals[:, k] for k, name in enumerate(names)}
    given |= {f"{name}{PRESET}": settings.preset for name in names}
    return played(model, controls(model, len(goals), given), attached=attached)


def centres(motion: Motion, settings: Settings) -> Floats:
    """(K, 2) Centre of mass on the floor [m], every 50 ms."""
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
    "Assumed: friction with the floor 1, phase pi/2 between vertical and horizontal axes, the "
    "amplitude rises within 2 s, the bus runs at 460.8 kbaud with 1 ms of latency in the host.",
    "The preset of 35 degrees is beyond the firmware's largest, 0.575 rad; the paper uses it.",
    "Corners of neighbours but one are kept from touching; the distance is that of the mean of "
    "all modules.",
)
