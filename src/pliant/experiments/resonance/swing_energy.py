"""Energy of a swing over the stiffness of its spring: stiff, at the spring's resonance, softer.

A pendulum behind a series-elastic actuator swings with a given amplitude and frequency. The spring
carries tau_s = I q'' + d q' + m g l sin q, so that the motor moves by

    theta = q + tau_s / k

and hardly moves at k = I w^2 - m g l, where the spring alone reverses the link. Friction losses are
lowest there; heat is not, because the motor holds tau_s everywhere. The winding's current is computed from this motion
and commanded open loop; the energies are then taken from the simulation and from the equations.
"""

from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.experiments.support.benches import GRAVITY, Segment, driven, one_joint
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator
from pliant.robots.elastic import elastic_of
from pliant.robots.power import powers

NAME = "swing_energy"
TITLE = "Energy per cycle of a swing over the stiffness of its spring, stiff to resonant"

SOURCES = {
    "actuator": "parameters of the Compliant Joint Toolbox; no paper's experiment",
    "link.mass, link.centre, link.inertia, link.length": "assumed",
    "PENDULUM": "assumed",
    "damping, amplitude, frequency, stiffness, stiff, timestep, cycles": "assumed",
}

PENDULUM = Segment(mass=2.0, centre=0.5, inertia=0.52, length=0.5)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuator: motor and gear of the Compliant Joint Toolbox; its spring is replaced.
        link: the pendulum. damping: of its joint [N m s/rad].
        amplitude: [rad]. frequency: [Hz].
        stiffness: of the springs, relative to the resonant one.
        stiff: the actuator's own torsion bar is one more.
        timestep: [s]. cycles: simulated; only the last is evaluated.
    """

    actuator: str = "sea_lime_50_21000"
    link: Segment = PENDULUM
    damping: float = 0.5
    amplitude: float = 0.4
    frequency: float = 1.2
    stiffness: tuple[float, ...] = (0.7, 0.85, 1.0, 1.25, 1.75, 3.0, 6.0, 15.0, 50.0)
    stiff: bool = True
    timestep: float = 2.5e-4
    cycles: int = 12


@dataclass(frozen=True)
class Spent:
    """Energies of one cycle [J]: from the supply with and without recovery, heat, friction."""

    electrical: float
    drawn: float
    copper: float
    friction: float


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Every stiffness, simulated and by the equations."""
    settings = settings or Settings()
    published = load_actuator(settings.actuator)
    chosen = [part * resonant(settings) for part in settings.stiffness]
    if settings.stiff:
        chosen.append(published.value("spring.k"))
    found = [
        (k, simulated(with_spring(published, k), settings), expected(published, k, settings))
        for k in chosen
    ]
    rows = [
        Row(
            f"{k:.3g} N m/rad, {k / resonant(settings):.3g} of the resonant: energy per cycle",
            "–",
            f"{here.drawn:.2f} J",
            f"equations {there.drawn:.2f} J; with recovery {here.electrical:.2f} J, of which heat "
            f"{here.copper:.2f} J, friction of the motor {here.friction:.2f} J",
        )
        for k, here, there in found
    ]
    figure, axis = new_figure()
    ks = [k / resonant(settings) for k, *_ in found]
    axis.semilogx(ks, [here.drawn for _, here, _ in found], "o-", label="simulated, no recovery")
    axis.semilogx(ks, [there.drawn for *_, there in found], "x", color="k", label="equations")
    axis.semilogx(ks, [here.electrical for _, here, _ in found], "s--", label="with recovery")
    axis.semilogx(ks, [here.copper for _, here, _ in found], ":", label="heat in the winding")
    axis.set(xlabel="stiffness / (I ω² − m g l)", ylabel="energy per cycle [J]", ylim=(0.0, None))
    axis.legend()
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def resonant(settings: Settings) -> float:
    """Stiffness [N m/rad] with which the motor does not have to move, for small angles."""
    link, w = settings.link, 2.0 * pi * settings.frequency
    return link.inertia * w**2 - link.mass * GRAVITY * link.centre


def with_spring(actuator: Actuator, k: float) -> Actuator:
    """`actuator` with another spring."""
    return actuator.with_values({"spring.k": k}, "experiment swing_energy", "assumed")


def commanded(actuator: Actuator, k: float, settings: Settings, t: Floats) -> tuple[Floats, Floats]:
    """Current [A] and motor speed [rad/s] for the desired motion, at times (T,)."""
    link, w = settings.link, 2.0 * pi * settings.frequency
    weight = link.mass * GRAVITY * link.centre
    size = settings.amplitude
    q = size * np.sin(w * t)
    rates = [q, size * w * np.cos(w * t), -(w**2) * q]
    rates += [-(w**2) * rates[1], w**4 * q]
    s, c = np.sin(q), np.cos(q)
    spring = link.inertia * rates[2] + settings.damping * rates[1] + weight * s
    first = link.inertia * rates[3] + settings.damping * rates[2] + weight * c * rates[1]
    second = link.inertia * rates[4] + settings.damping * rates[3]
    second = second + weight * (c * rates[2] - s * rates[1] ** 2)
    omega, turn = rates[1] + first / k, rates[2] + second / k
    value = actuator.value
    rubbing = value("friction.tau_f") * np.sign(omega)
    torque = value("rotor.J") * turn + value("rotor.D") * omega + rubbing + spring
    return torque / value("motor.k_t"), omega


def expected(actuator: Actuator, k: float, settings: Settings) -> Spent:
    """The same only from the equations, by quadrature over one cycle."""
    period = 1.0 / settings.frequency
    t = np.linspace(0.0, period, 20001)
    i, omega = commanded(actuator, k, settings, t)
    heat = actuator.value("motor.R") * i**2
    power = heat + actuator.value("motor.k_t") * i * omega
    lost = actuator.value("friction.tau_f") * np.abs(omega) + actuator.value("rotor.D") * omega**2
    whole = [power, np.maximum(power, 0.0), heat, lost]
    return Spent(*(float(np.trapezoid(x, t)) for x in whole))


def simulated(actuator: Actuator, settings: Settings) -> Spent:
    """The last cycle of a motion in MuJoCo that starts with the link passing its lowest point."""
    spec = one_joint(
        settings.link, timestep=settings.timestep, damping=settings.damping, zero=-0.5 * pi
    )
    cycle = round(1.0 / (settings.frequency * settings.timestep))
    steps = settings.cycles * cycle
    time = settings.timestep * np.arange(steps, dtype=np.float64)
    told, _ = commanded(actuator, actuator.value("spring.k"), settings, time)
    motion = driven(spec, {"joint": actuator}, steps, {"joint": told})
    last = slice(-cycle - 1, None)
    states = np.column_stack([motion.state("joint", name) for name in actuator.state])[last]
    n = len(states)
    one = powers(
        elastic_of(actuator, "llvm"),
        states,
        motion.position("joint")[last],
        motion.velocity("joint")[last],
        np.ones(n),
        np.tile(actuator.values, (n, 1)),
    )
    power = one["electrical"][:, 0]
    whole = [power, np.maximum(power, 0.0), one["copper_loss"][:, 0], one["friction"][:, 0]]
    return Spent(*(settings.timestep * float(np.trapezoid(x)) for x in whole))


NOTES = (
    "No paper's figure: the actuator is the Compliant Joint Toolbox's joint Lime (motor, gear, "
    "friction), whose torsion bar is exchanged for springs of all stiffnesses. The pendulum, its "
    "damping, amplitude and frequency are assumed, and settings.",
    "The equations share the actuator's numbers with the simulation, but no code: the desired motion "
    "is inserted and integrated over one cycle. The simulation is given only the resulting current, "
    "open loop, and may deviate from that motion.",
    "At resonance the spring reverses the link and the motor hardly moves: its friction costs a "
    "seventh of the stiff joint's. Heat is most of the energy and is not saved: the motor holds the "
    "spring's torque at any stiffness, and least where its own inertia helps, so the sum is lowest "
    "near the resonance, not at it. A spring in parallel with the motor would save the heat.",
)
