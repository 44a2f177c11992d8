"""Frequency response of a qbmove Advanced, soft and stiff: Mengacci et al. 2021, Fig. 11.

Amplitude and phase of link and motors under a chirp of the equilibrium, from the cross spectra.
"""

from dataclasses import dataclass, replace
from math import pi
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.mengacci2021.two_link import PLUGIN
from pliant.experiments.support.benches import DAMPING, FLANGE_AND_CUBE, FRICTION, driven, one_joint
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode

NAME = "frequency_response"
TITLE = "Frequency response of a qbmove Advanced, soft and stiff (Mengacci 2021, Fig. 11)"

SOURCES = {
    "actuator": "section 4.3: the identified springs; with the toolbox's defaults the soft joint cannot move",
    "amplitude, low, high": "section 4.2.1",
    "soft, stiff": "section 4.2",
    "duration": "assumed: a linear sweep",
    "gravity": "assumed: off",
    "damping, friction": "section 4.2; the AlterEgo robot has the same",
    "width": "assumed",
    "timestep": "assumed",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuator: identified springs of the learning experiment; with the plugin's default springs
            the soft joint cannot move. amplitude: of the chirp [rad]. low, high: [Hz].
        soft, stiff: presets [rad].
        duration: of the linear sweep [s]. gravity: whether there is any.
        damping, friction: of the joint. width: of the averaged spectra [Hz].
        timestep: [s].
    """

    actuator: str = "qbmove_ilc_joint_1"
    amplitude: float = 0.15
    low: float = 0.5
    high: float = 6.0
    soft: float = 0.2
    stiff: float = 0.6
    duration: float = 20.0
    gravity: bool = False
    damping: float = DAMPING
    friction: float = FRICTION
    width: float = 0.3
    timestep: float = 1e-3


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Both presets."""
    settings = settings or Settings()
    figure, axes = new_figure(2, 1, width=8.0, height=6.0)
    traces, panels = new_figure(2, 1, width=10.0, height=6.0)
    rows: list[Row] = []
    for panel, which, preset in zip(
        panels, ("soft", "stiff"), (settings.soft, settings.stiff), strict=True
    ):
        goal, link, motor = swept(settings, preset)
        time = settings.timestep * np.arange(len(goal))
        for name, course in (("reference", goal), ("motors", motor), ("link", link)):
            panel.plot(time, course, lw=0.8, label=name)
        panel.set(title=f"{which}, preset {preset:g} rad", xlabel="time [s]", ylabel="[rad]")
        panel.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        for name, output, style in (("link", link, "-"), ("motors", motor, "--")):
            f, response = transfer(goal, output, settings)
            gain, phase = np.abs(response), np.degrees(np.unwrap(np.angle(response)))
            axes[0].plot(f, gain, style, label=f"{name}, {which}")
            axes[1].plot(f, phase, style, label=f"{name}, {which}")
            most = int(np.argmax(gain))
            at = float(np.interp(5.0, f, phase))
            rows.append(
                Row(
                    f"{name}, {which} (preset {preset:g} rad): largest gain",
                    "figure only",
                    f"{gain[most]:.2f} at {f[most]:.1f} Hz",
                    f"phase at 5 Hz {at:.0f}°",
                )
            )
    _, link, _ = swept(replace(settings, actuator=PLUGIN[0]), settings.soft)
    rows.append(
        Row(
            "link, soft, springs: the plugin's defaults: largest angle",
            "comparable to the real one",
            f"{1e3 * np.abs(link).max():.1f} mrad",
            f"of {1e3 * settings.amplitude:g} mrad: friction holds the joint",
        )
    )
    axes[0].set(xlabel="frequency [Hz]", ylabel="amplitude / reference")
    axes[1].set(xlabel="frequency [Hz]", ylabel="phase [degrees]")
    for axis in axes:
        axis.legend(fontsize=8)
    drawn = [
        save_figure(figure, folder, NAME),
        save_figure(traces, folder, f"{NAME}_traces"),
    ]
    return Outcome(rows=rows, figures=drawn, notes=NOTES)


def swept(settings: Settings, preset: float) -> tuple[Floats, Floats, Floats]:
    """(T,) Reference, link and mean of the motors [rad], after a second to settle."""
    h, settle = settings.timestep, round(1.0 / settings.timestep)
    t = h * np.arange(round(settings.duration / h))
    rise = 0.5 * (settings.high - settings.low) / settings.duration
    goal = settings.amplitude * np.sin(2.0 * pi * (settings.low * t + rise * t**2))
    told = np.r_[np.zeros(settle), goal]
    spec = one_joint(
        FLANGE_AND_CUBE,
        timestep=h,
        damping=settings.damping,
        friction=settings.friction,
        gravity=settings.gravity,
    )
    unit = with_mode(load_actuator(settings.actuator), 6)
    motion = driven(spec, {"joint": unit}, len(told), {"joint": told}, preset)
    q = motion.position("joint")
    motor = 0.5 * sum(motion.state("joint", f"rotor_{n}.theta") for n in (1, 2))
    centre = q[settle // 2 : settle].mean()  # unequal springs do not rest at their equilibrium
    return goal, q[settle:] - centre, np.asarray(motor)[settle:]


def transfer(reference: Floats, output: Floats, settings: Settings) -> tuple[Floats, Floats]:
    """Frequencies [Hz] of the sweep, and output over reference there."""
    f = np.fft.rfftfreq(len(reference), settings.timestep)
    a, b = np.fft.rfft(reference), np.fft.rfft(output)
    points = np.arange(settings.low + settings.width, settings.high - settings.width, 0.1)
    near = [np.abs(f - point) < settings.width for point in points]
    response = np.array([np.sum(b[k] * a[k].conj()) / np.sum(np.abs(a[k]) ** 2) for k in near])
    return points, response


NOTES = (
    "With the plugin's default springs the soft joint cannot move: 0.15 rad gives 0.021 N m of "
    "spring torque against 0.025 N m of friction. The identified springs of the learning "
    "experiment are used instead.",
    "Assumed: a linear sweep of 20 s, flange and cube as the load, no gravity. Friction makes the"
    " response depend on the amplitude: it is what a chirp of 0.15 rad sees.",
)
