"""Curves of an actuator as a data sheet would draw them, computed from its laws."""

from collections.abc import Sequence

import numpy as np
from figures import COLOURS, INK, SOFT, blank, dress, inline, legend

from pliant.assemble import Actuator
from pliant.report.derived import derived, friction_budget, torque_at_full_command
from pliant.robots.elastic import elastic_of

POINTS = 81
FAR = 30.0
"""[rad/s] As far as speeds are drawn of a motor that has no limit of its own."""


def torque_speed(actuators: Sequence[Actuator]) -> str:
    """SVG: torque over speed at full command, of one device by each of its friction models."""
    figure = blank(5.4, 3.1)
    axes = figure.subplots()
    dress(axes, "speed [rad/s]", "torque at the joint [N m]")
    fastest = [derived(actuator).no_load_speed or FAR for actuator in actuators]
    speeds = np.linspace(0.0, 1.12 * max(fastest), POINTS)
    motor = torque_at_full_command(actuators[-1])
    at_motor = np.array([motor(v) for v in speeds])
    axes.plot(speeds, at_motor, color=SOFT, linewidth=1.0, linestyle=(0, (4, 2)), label="motor")
    for colour, actuator in zip(COLOURS, actuators, strict=False):
        torque = torque_at_full_command(actuator)
        asked = np.array([torque(v) for v in speeds])
        left = asked - friction_budget(actuator, speeds, asked, -asked)
        name = actuator.name.removeprefix(f"{actuator.device}_")
        axes.plot(speeds, left, color=colour, linewidth=1.5, label=name)
    axes.set_ylim(0.0, 1.05 * float(at_motor.max()))
    axes.set_xlim(0.0, speeds[-1])
    legend(axes, ncols=2)
    return inline(figure, f"torque over speed of {actuators[0].device}")


def motor_curve(actuator: Actuator) -> str:
    """SVG: torque of the motor over its speed at full command, friction left out.

    Nothing, where the torque is the same at every speed: there is nothing to see.
    """
    torque = torque_at_full_command(actuator)
    fastest = max(0.1, actuator.numbers["rotor.max_speed"].value) if _limited(actuator) else FAR
    speeds = np.linspace(0.0, min(fastest, 4.0 * FAR), POINTS)
    given = np.array([torque(v) for v in speeds])
    if np.ptp(given) == 0.0:
        return ""
    figure = blank(3.4, 2.5)
    axes = figure.subplots()
    dress(axes, "motor speed [rad/s]", "motor torque [N m]")
    shown = given >= 0.0
    axes.plot(speeds[shown], given[shown], color=COLOURS[0], linewidth=1.5)
    axes.set_ylim(0.0, 1.15 * float(given.max()) or 1.0)
    axes.set_xlim(0.0, float(speeds[shown][-1]) if shown.any() else 1.0)
    return inline(figure, f"motor torque over speed of {actuator.name}")


def _limited(actuator: Actuator) -> bool:
    number = actuator.numbers.get("rotor.max_speed")
    return number is not None and number.value < FAR


def spring_curves(actuator: Actuator) -> str:
    """SVG: torque and stiffness over deflection, from the softest preset to the stiffest."""
    elastic = elastic_of(actuator)
    figure = blank(6.8, 2.7)
    left, right = figure.subplots(1, 2)
    dress(left, "deflection [rad]", "torque [N m]")
    dress(right, "deflection [rad]", "stiffness [N m/rad]")
    reach = min([limit for limit in elastic.ranges() if limit < 1.5] or [0.5])
    if "contact.gap" in actuator.fields:
        reach = 1.5 * actuator.value("contact.gap")
    motors, names = _settings(actuator)
    for colour, theta, name in zip(COLOURS, motors, names, strict=False):
        around = _middle(actuator, theta)
        q = np.linspace(around - reach, around + reach, POINTS)
        rows = np.repeat(np.array([theta]), len(q), axis=0)
        left.plot(q - around, -elastic.pulls(q, rows), color=colour, linewidth=1.5, label=name)
        sigma = [elastic.sigma(float(x), *theta) for x in q]
        right.plot(q - around, sigma, color=colour, linewidth=1.5)
    if len(names) > 1:
        legend(left)
    left.axhline(0.0, color=INK, linewidth=0.5, alpha=0.4)
    right.set_ylim(bottom=0.0)
    return inline(figure, f"torque and stiffness of {actuator.name}")


def _settings(actuator: Actuator) -> tuple[list[tuple[float, ...]], list[str]]:
    """Motor angles to draw, and what they are called."""
    elastic = elastic_of(actuator)
    adjuster = elastic.adjuster()
    if adjuster is not None:
        places = np.linspace(*sorted(adjuster), 4)
        return [(0.0, float(x)) for x in places], [f"adjuster {x:.3g}" for x in places]
    if len(elastic.motors) == 1:
        return [(0.0,)], ["spring"]
    low, high = elastic.presets()
    presets = np.linspace(max(low, 0.0), 0.75 * min(high, 1.0), 4)
    return [(float(s), -float(s)) for s in presets], [f"preset {s:.2g} rad" for s in presets]


def _middle(actuator: Actuator, theta: tuple[float, ...]) -> float:
    from pliant.errors import PliantError
    from pliant.robots import equilibrium

    try:
        return equilibrium(actuator, theta)
    except PliantError:
        return 0.0
