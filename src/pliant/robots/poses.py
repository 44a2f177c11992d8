"""The references of all joints of a robot at once: from a pose and stiffnesses, and back.

What `refs_for` and `equilibrium` of `pliant.robots` say of one actuator, through each joint's gear
and in the terms of its operation mode.
"""

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.robots.joint_groups import JointPlaces
from pliant.robots.mode import motor_numbers
from pliant.robots.references import equilibrium, refs_for

__all__ = ["poses_of", "refs_of"]

_TORQUES = (0, 4)
_EQUILIBRIUM = (3, 6)


def refs_of(
    places: JointPlaces,
    modes: tuple[int | None, ...],
    q_eq: ArrayLike,
    sigma: ArrayLike,
    torque: ArrayLike,
) -> tuple[Floats, Floats]:
    """(n,) and (n,) first and second reference; NaN where a joint has no second one.

    Raises:
        PliantError: which joint cannot be there, and why.
    """
    n = len(places.joints)
    rows = np.stack(
        [_of_each("q_eq", q_eq, n), _of_each("sigma", sigma, n), _of_each("torque", torque, n)],
        axis=1,
    )
    found = np.full((n, 2), np.nan)
    for k, (q, stiffness, load) in enumerate(rows):
        gear, actuator, mode = places.gear[k], places.actuators[k], modes[k]
        if mode in _TORQUES:
            raise PliantError(
                "has torques as references, which cannot hold a pose",
                field=f"joint {places.joints[k]}: mode",
                found=mode,
                accepted="1, 2, 3, 5, 6",
            )
        if not motor_numbers(actuator):
            found[k, 0] = gear * q
            continue
        wanted = None if np.isnan(stiffness) else stiffness / gear**2
        with located(field=f"joint {places.joints[k]}"):
            refs = refs_for(actuator, gear * q, wanted, load / gear)
        if mode in _EQUILIBRIUM:
            found[k] = refs.equilibrium, refs.preset
        else:
            found[k, : len(refs.theta)] = refs.theta
        if len(refs.theta) < 2:
            found[k, 1] = np.nan
    return found[:, 0], found[:, 1]


def poses_of(
    places: JointPlaces, theta_1: ArrayLike, theta_2: ArrayLike, torque: ArrayLike
) -> Floats:
    """(n,) where each link rests; NaN of a joint without a spring.

    Raises:
        PliantError: which joint's spring would be deflected beyond its limit.
    """
    n = len(places.joints)
    motors = np.stack([_of_each("theta_1", theta_1, n), _of_each("theta_2", theta_2, n)], axis=1)
    loads = _of_each("torque", torque, n)
    found = np.full(n, np.nan)
    for k, actuator in enumerate(places.actuators):
        count = len(motor_numbers(actuator))
        if not count:
            continue
        with located(field=f"joint {places.joints[k]}"):
            rest = equilibrium(actuator, motors[k, :count].tolist(), loads[k] / places.gear[k])
        found[k] = rest / places.gear[k]
    return found


def _of_each(name: str, values: ArrayLike, n: int) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.shape not in ((), (n,)):
        raise PliantError(
            "wrong number of values for these joints",
            field=name,
            found=array.shape,
            accepted=f"one number, or {n}",
        )
    return np.broadcast_to(array, (n,))
