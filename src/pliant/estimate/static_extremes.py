"""Friction of a servo at rest, from a pendulum that a hand moves to both ends of where it stays.

While the motor holds a torque tau_m, the pendulum stays anywhere between two angles. At the lower one
the motor just does not drive the load, at the upper one the load just does not drive the motor:

    lower    tau_m - F(0, tau_m, -L) = L,    L = m g l sin(angle)
    upper    tau_m + F(0, tau_m, -L) = L                       Duclusaud et al. 2025, II-C and Fig. 3

Angles in rad from hanging down, at most pi / 2; tau_m and L in N m, at the joint.
"""

from collections.abc import Mapping, Sequence
from math import pi

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.errors import PliantError
from pliant.estimate.part_fit import PartFit, check_columns, fit_part
from pliant.lower.law import lower_law

__all__ = ["COLUMNS", "budget", "fit_static_extremes", "loads"]

COLUMNS = ("tau_m", "theta_low", "theta_high", "mass", "length")
"""Columns of a table of such points: [N m], [rad], [rad], [kg], [m]."""
GRAVITY = 9.81
"""[m/s^2]"""


def loads(points: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """(N,) Loads [N m] that are just driven and just drive back.

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

    The numbers that say how friction depends on speed are left as they are; those that act as one at
    rest, such as K_c and K_cs, are named in the warnings.

    Raises:
        PliantError: points that cannot be, or an actuator without friction budget.
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
