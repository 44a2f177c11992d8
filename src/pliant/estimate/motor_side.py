"""Springs, friction and damping of a compliant joint, from recorded positions of its motors and its link.

The link is led along its recorded motion, and the actuator simulated behind it: command, controller, motors,
springs. Its numbers are those with which its motors move as the recorded ones, and, where the torque
on the link was recorded too, with which the springs give that torque. The gains of the controllers
must be known: they are what a torque is measured by.

Left out: stick friction that is under tension when the recording begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.hosts.stepper import Stepper
from pliant.errors import PliantError
from pliant.estimate.part_fit import PartFit, check_columns, fit_part
from pliant.io.encoder_file import MOTORS

__all__ = ["fit_motor_side", "motors_of", "numbers_of"]

KINDS = {"series_elastic": "sea", "adjustable": "svsa", "antagonistic": "avsa"}
"""Topology to the kind of joint, whose motors `MOTORS` names."""
FITTED = {
    "spring": ("k", "a", "k_1", "k_2", "k_3", "d"),
    "rotor": ("D",),
    "friction": ("tau_f",),
}
"""Port to the numbers that are fitted unless others are asked for, of those above 0."""
LONGEST = (1e-3, 1e-4)
"""[s] Longest step of a first fit and of the last: half a step times k_p goes into the damping."""


def motors_of(actuator: Actuator) -> tuple[str, ...]:
    """Columns of the motors of such a joint.

    Raises:
        PliantError: it has no spring.
    """
    if actuator.topology.name not in KINDS:
        raise PliantError(
            "has no spring between motor and link",
            field=f"actuator {actuator.name}",
            found=actuator.topology.name,
            accepted=KINDS,
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
