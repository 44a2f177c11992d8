"""Convert a pose and a stiffness to references of an actuator's motors, or of all joints of a robot, and back.

    refs_for(actuator, q_eq=0.3, sigma=2.0)        where the motors must be
    equilibrium(actuator, (0.5, 0.1))              where the link then rests

Both are roots of the static balance of the actuator's own springs, dV/dq = torque from outside,
not closed forms: unequal springs rest elsewhere than half-way, and a load moves them
(compliant_actuators: 1.6). Deflections beyond a spring's limit are refused.

Left out: friction between motor and reference, a motor too weak to hold its spring.

`refs_of` and `poses_of` do the same for all joints of a robot, including each joint's gear and operation mode.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, pi

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError, located
from pliant.lower.drive import FARTHEST
from pliant.robots.elastic import Elastic, elastic_of
from pliant.robots.held_joint import HeldJoint, References, falling, root
from pliant.robots.joint_groups import JointPlaces
from pliant.robots.mode import motor_numbers


def equilibrium(actuator: Actuator, theta: float | Sequence[float], torque: float = 0.0) -> float:
    """Angle [rad] at which the link rests with the motors at `theta`, under `torque` [N m].

    Args:
        theta: (motors,) [rad]; of an adjuster in its own unit.

    Raises:
        PliantError: a spring would be deflected beyond its limit, or the actuator has none.
    """
    elastic = _compliant(actuator)
    motors = (theta,) if isinstance(theta, int | float) else tuple(theta)
    if len(motors) != len(elastic.numbers):
        raise PliantError(
            "wrong number of motor angles",
            field=f"actuator {actuator.name}",
            found=len(motors),
            accepted=str(len(elastic.numbers)),
        )
    _check_preset(elastic, motors)
    bracket = _bracket(elastic, motors)
    if bracket is None:
        return _rest(elastic, motors, torque)
    low, high = bracket

    def unbalanced(q: float) -> float:
        return elastic.pull(q, *motors) - torque

    if unbalanced(low) > 0.0 or unbalanced(high) < 0.0:
        raise PliantError(
            "deflection beyond the spring's",
            field=f"actuator {actuator.name}",
            found=f"{torque:g} N m at the motors {_words(motors)}",
            accepted=f"{elastic.pull(low, *motors):.4g} to {elastic.pull(high, *motors):.4g} N m, "
            f"which deflect it by at most {min(elastic.ranges()):g} rad",
        )
    return root(unbalanced, low, high)


def refs_for(
    actuator: Actuator, q_eq: float, sigma: float | None = None, torque: float = 0.0
) -> References:
    """References that hold the link at rest at `q_eq` with stiffness `sigma`.

    Args:
        q_eq: [rad]. sigma: [N m/rad]; may be omitted for an actuator with one motor, whose stiffness is fixed.
        torque: [N m] external torque on the link (the weight of the arm, with its sign).

    Raises:
        PliantError: no reference gives this stiffness; the message states the possible range.
    """
    elastic = _compliant(actuator)
    if len(elastic.numbers) == 1:
        return _one_motor(elastic, q_eq, sigma, torque)
    if sigma is None:
        raise PliantError(
            "the stiffness is missing",
            field=f"actuator {actuator.name}: sigma",
            accepted="a stiffness in N m/rad",
        )
    held = HeldJoint(elastic, q_eq, torque)
    known = held.course()
    for (a, at_a), (b, at_b) in pairwise(known):
        if (at_a - sigma) * (at_b - sigma) <= 0.0:
            return held.references(root(lambda s: held.stiff(s) - sigma, a, b))
    values = [value for _, value in known]
    raise PliantError(
        "no preset gives this stiffness",
        field=f"actuator {actuator.name}: sigma",
        found=sigma,
        accepted=f"{min(values):.4g} to {max(values):.4g} N m/rad at {q_eq:g} rad under "
        f"{torque:g} N m"
        if values
        else f"a torque that the spring can hold; it is {torque:g} N m",
    )


def preset_range(actuator: Actuator) -> tuple[float, float]:
    """The presets [rad, or the adjuster's unit] that the springs allow an unloaded joint."""
    return _compliant(actuator).presets()


def _one_motor(elastic: Elastic, q: float, sigma: float | None, torque: float) -> References:
    far = min(elastic.ranges(), default=inf)
    far = far if isfinite(far) else pi

    def unbalanced(theta: float) -> float:
        return elastic.pull(q, theta) - torque

    at = f"actuator {elastic.actuator.name}"
    if unbalanced(q - far) < 0.0 or unbalanced(q + far) > 0.0:
        most = elastic.pull(q, q - far)
        raise PliantError(
            "deflection beyond the spring's",
            field=at,
            found=f"{torque:g} N m",
            accepted=f"up to {most:.4g} N m, which deflect it by {far:g} rad",
        )
    theta = root(unbalanced, q - far, q + far)
    own = elastic.sigma(q, theta)
    if sigma is not None and abs(sigma - own) > 1e-9 * own:
        raise PliantError(
            "its stiffness cannot be chosen",
            field=f"{at}: sigma",
            found=sigma,
            accepted=f"{own:g} N m/rad",
        )
    return References((theta,), theta, 0.0, own)


def _compliant(actuator: Actuator) -> Elastic:
    if not motor_numbers(actuator):
        raise PliantError(
            "has no spring", field=f"actuator {actuator.name}", accepted="a compliant actuator"
        )
    return elastic_of(actuator)


def _check_preset(elastic: Elastic, motors: tuple[float, ...]) -> None:
    """Refuse motor angles at which the springs exceed their limits for any link angle."""
    if len(motors) < 2:
        return
    low, high = preset_range(elastic.actuator)
    preset = motors[1] if elastic.adjuster() else 0.5 * (motors[0] - motors[1])
    if not low <= preset <= high:
        raise PliantError(
            "preset beyond its range",
            field=f"actuator {elastic.actuator.name}",
            found=preset,
            accepted=f"{low:g} to {high:g}",
        )


def _bracket(elastic: Elastic, motors: tuple[float, ...]) -> tuple[float, float] | None:
    """The link angles at which every spring is within its limit; None without limits."""
    turned = motors[:1] if elastic.adjuster() else motors
    sides = list(zip(turned, elastic.ranges(), strict=True))
    low, high = max(t - far for t, far in sides), min(t + far for t, far in sides)
    return (low, high) if isfinite(low) and isfinite(high) else None


def _rest(elastic: Elastic, motors: tuple[float, ...], torque: float) -> float:
    """The stable balance nearest to the motors, of springs without a limit."""
    turned = motors if elastic.adjuster() is None else motors[:1]
    centre = sum(turned) / len(turned)
    found = falling(lambda q: torque - elastic.pull(q, *motors), centre)
    if found is None:
        raise PliantError(
            "has no equilibrium",
            field=f"actuator {elastic.actuator.name}",
            found=f"{torque:g} N m at the motors {_words(motors)}",
        )
    return found


def _words(motors: tuple[float, ...]) -> str:
    return ", ".join(f"{m:g}" for m in motors)


_TORQUES = (0, 4)
_EQUILIBRIUM = (3, 6)


def refs_of(
    places: JointPlaces,
    modes: tuple[int | None, ...],
    q_eq: ArrayLike,
    sigma: ArrayLike,
    torque: ArrayLike,
) -> tuple[Floats, Floats]:
    """(n,) and (n,) first and second reference; NaN where a joint has no second one."""
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
    """(n,) where each link rests; NaN of a joint without a spring."""
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


def of_joints(name: str, values: ArrayLike, joints: Sequence[str]) -> Floats:
    """(n,) numbers, one for each joint, copied.

    Raises:
        PliantError: there are more or fewer.
    """
    new = np.array(values, dtype=float)
    if new.shape != (len(joints),):
        problem = "wrong number of values for these joints"
        accepted = f"{len(joints)}: {', '.join(joints)}"
        raise PliantError(problem, field=name, found=new.shape, accepted=accepted)
    return new


def commands_of(name: str, values: ArrayLike, joints: Sequence[str]) -> Floats:
    """The same for commands.

    Raises:
        PliantError: one of them is none: see `pliant.lower.drive.acting`.
    """
    new = of_joints(name, values, joints)
    for k in np.flatnonzero(~(np.abs(new) <= FARTHEST)).tolist():
        known = np.isfinite(new[k])
        problem = "is beyond all numbers of MuJoCo" if known else "is not finite"
        raise PliantError(problem, field=f"{name} of joint {joints[k]}", found=float(new[k]))
    return new


def _of_each(name: str, values: ArrayLike, n: int) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.shape not in ((), (n,)):
        problem, accepted = "wrong number of values for these joints", f"one number, or {n}"
        raise PliantError(problem, field=name, found=array.shape, accepted=accepted)
    return np.broadcast_to(array, (n,))
