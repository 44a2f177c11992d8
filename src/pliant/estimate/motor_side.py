"""Springs, friction and damping of a compliant joint, from recorded positions of its motors and its link.

The link follows its recorded motion, and the actuator is simulated behind it: command, controller, motors,
springs. Its parameters are fitted so that its motors move like the recorded ones and, if the torque on the
link was recorded too, so that the springs give that torque. The gains of the controllers must be known:
they are the measure of torque.

Left out: static friction that is under tension at the start of the recording.

While the motor holds a torque tau_m, the pendulum stays anywhere between two angles. At the lower one
the motor just fails to drive the load, at the upper one the load just fails to drive the motor:

    lower    tau_m - F(0, tau_m, -L) = L,    L = m g l sin(angle)
    upper    tau_m + F(0, tau_m, -L) = L                       Duclusaud et al. 2025, II-C and Fig. 3

Angles in rad from hanging down, at most pi / 2; tau_m and L in N m, at the joint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, pi

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.engines.hosts.stepper import Stepper
from pliant.errors import PliantError, check_known
from pliant.estimate.part_fit import PartFit, check_columns, fit_part
from pliant.io.encoder_file import KINDS, MOTORS
from pliant.lower.law import lower_law

FITTED = {
    "spring": ("k", "a", "k_1", "k_2", "k_3", "d"),
    "rotor": ("D",),
    "friction": ("tau_f",),
}
"""Map of port to the numbers that are fitted by default, if above 0."""
LONGEST = (1e-3, 1e-4)
"""[s] Longest step of the first and the last fit: half a step times k_p biases the damping."""


def motors_of(actuator: Actuator) -> tuple[str, ...]:
    """Columns of the motors of such a joint."""
    check_known(
        actuator.topology.name,
        KINDS,
        "has no spring between motor and link",
        f"actuator {actuator.name}",
    )
    return MOTORS[KINDS[actuator.topology.name]]


def numbers_of(actuator: Actuator) -> tuple[str, ...]:
    """The numbers that are fitted unless others are asked for."""
    return tuple(
        name
        for name in actuator.fields
        if (place := name.partition("."))[2] in FITTED.get(place[0].rstrip("_12"), ())
        and actuator.value(name) > 0.0
    )


def fit_motor_side(
    columns: Mapping[str, Floats], actuator: Actuator, names: Sequence[str] | None = None
) -> PartFit:
    """Fit a compliant actuator to (N,) columns of a recording.

    Args:
        columns: time [s], q [rad], the motors as `motors_of` names them [rad], goal [rad], and if the
            joint has a second command, preset [rad]; tau [N m], on the link, positive for a positive deflection
            q - theta, if it was recorded. actuator: with the known numbers, and starting values.
        names: of the numbers to fit, `port.symbol`; by default `numbers_of`.

    Raises:
        PliantError: a column is missing, time does not rise, or there is no such number.
    """
    motors = motors_of(actuator)
    check_columns(columns, ("time", "q", *motors, "goal"))
    time = columns["time"] - columns["time"][0]
    if len(time) < 10 or not (np.diff(time) > 0.0).all():
        raise PliantError(
            "does not rise", field="time", found=len(time), accepted="from 10 samples"
        )
    names = numbers_of(actuator) if names is None else tuple(names)
    actuator.check_names(names)
    source = "recorded motor positions"
    coarse, fine = (partial(_residuals, columns, time, motors, step) for step in LONGEST)
    near = fit_part(actuator, names, coarse, source)
    found = fit_part(near.actuator, names, fine, source)
    return replace(found, before=near.before)


def _residuals(
    columns: Mapping[str, Floats],
    time: Floats,
    motors: Sequence[str],
    longest: float,
    candidates: Sequence[Actuator],
) -> dict[str, Floats]:
    """Simulated minus recorded motors [rad], and torque [N m]."""
    sample = float(np.median(np.diff(time)))
    h = sample / ceil(sample / longest)
    grid = h * np.arange(round(float(time[-1]) / h) + 1)
    q = np.interp(grid, time, columns["q"])
    v = np.gradient(q, h)
    held = np.clip(np.searchsorted(time, grid + 1e-9) - 1, 0, None)
    told = columns["goal"][held]
    preset = columns["preset"][held] if "preset" in columns else np.zeros(len(grid))
    stepper = Stepper(candidates, h, position=float(q[0]))
    state = stepper.snapshot()
    places, speeds = (
        [k for k, name in enumerate(candidates[0].state) if name.endswith(end)]
        for end in (".theta", ".omega")
    )
    for place, motor in zip(places, motors, strict=True):
        state[0][:, place] = columns[motor][0]
    for place, motor in zip(speeds, motors, strict=False):
        state[0][:, place] = np.gradient(columns[motor][:3], time[:3], edge_order=2)[0]
    stepper.restore(state)
    torques, (states,) = stepper.led(np.column_stack([told, preset, q, v]))

    def at_samples(simulated: Floats) -> Floats:
        return np.array([np.interp(time, grid, simulated[:, c]) for c in range(len(candidates))])

    found = {
        name: at_samples(states[:, :, place]) - columns[name]
        for place, name in zip(places, motors, strict=True)
    }
    if "tau" in columns:
        found["tau"] = at_samples(-torques) - columns["tau"]
    return found


COLUMNS = ("tau_m", "theta_low", "theta_high", "mass", "length")
"""Columns of a table of such points: [N m], [rad], [rad], [kg], [m]."""
GRAVITY = 9.81
"""[m/s^2]"""


def loads(points: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """(N,) Loads [N m] that are just driven, and that just drive back.

    Raises:
        PliantError: a column is missing, an angle beyond a quarter turn, a lower one above the upper one, or no mass or length.
    """
    check_columns(points, COLUMNS)
    low, high = points["theta_low"], points["theta_high"]
    if not (np.abs(low) <= np.abs(high)).all():
        raise PliantError("lies above theta_high", field="theta_low", accepted="the lower angle")
    if np.abs(high).max() > 0.5 * pi:
        found = float(np.abs(high).max())
        raise PliantError("out of range", field="theta_high", found=found, accepted="to pi / 2")
    for name in ("mass", "length"):
        if not (points[name] > 0.0).all():
            raise PliantError("out of range", field=name, accepted="above 0")
    weight = points["mass"] * GRAVITY * points["length"]
    return weight * np.sin(low), weight * np.sin(high)


def budget(servo: Actuator, v: float, tau_m: Floats, load: Floats) -> Floats:
    """(N,) Largest friction [N m] at a speed v [rad/s], of a servo whose motor pulls against a load.

    Raises:
        PliantError: the actuator has no friction budget.
    """
    law = _law(servo)
    numbers = [servo.value(f"friction.{field.name}") for field in law.parameters]
    rows = [np.broadcast_to(x, np.shape(tau_m)) for x in (v, tau_m, -load, *numbers)]
    return lower_law(law, "llvm").evaluate("budget", np.column_stack(rows))[:, 0]


def _law(servo: Actuator) -> Physics:
    law = servo.laws.get("friction")
    if law is None or not hasattr(law.module, "budget"):
        raise PliantError(
            "has no friction budget",
            field=f"actuator {servo.name}",
            accepted="a servo: topology rigid_servo",
        )
    return law


def fit_static_extremes(points: Mapping[str, Floats], actuator: Actuator) -> PartFit:
    """Fit the friction of a servo to N such points, `COLUMNS` to (N,).

    Parameters for the dependence of friction on speed are not changed. Those of which only a combination is
    identifiable at rest, such as K_c and K_cs, are named in the warnings.
    """
    law = _law(actuator)
    low, high = loads(points)
    tau_m, source = points["tau_m"], "static extremes of a pendulum moved by hand"

    def left(servo: Actuator) -> Floats:
        drives = tau_m - budget(servo, 0.0, tau_m, low) - low
        yields = tau_m + budget(servo, 0.0, tau_m, high) - high
        return np.concatenate([drives, yields])

    def residuals(candidates: Sequence[Actuator]) -> dict[str, Floats]:
        return {"torque": np.array([left(one) for one in candidates])}

    before, at_rest = left(actuator), list[str]()
    for field in law.parameters:
        name = f"friction.{field.name}"
        larger = {name: 1.01 * actuator.value(name) + 1e-4}
        if not np.array_equal(before, left(actuator.with_values(larger, source, "assumed"))):
            at_rest.append(name)
    return fit_part(actuator, at_rest, residuals, source)
