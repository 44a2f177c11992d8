"""The plain numbers of a joint or a robot: fitted to motions, tested on others, and what they cannot do."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from pliant.assemble import Actuator, with_laws
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.identification.problem.evaluation import Evaluation, evaluate, mean_absolute
from pliant.identification.problem.posterior import Posterior, expected
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.robot.rig import RobotRig
from pliant.identification.search.search import SearchSettings, search
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.plain.servo import KP, box, numbers_of, plain_actuator, with_fit
from pliant.plain.use import Load, logs_to_fit, logs_to_judge, moved, usual_loads
from pliant.robots.identify import robot_rig
from pliant.robots.plain_servo import PlainServo

SEARCH = SearchSettings(starts=4, jacobians=20)
AGAIN = SearchSettings(starts=1, jacobians=20)
"""Settings for a fit that starts where another ended."""
FOLDS = 5
"""Number of parts of the recordings; each part is tested with numbers fitted without it."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """Mean absolute errors [rad] on motions that were not used in the fit.

    Attributes:
        each: of the plain numbers in each motion, from the recording or else from the whole actuator.
        whole: of the whole actuator from the recordings; None without recordings.
    """

    each: tuple[float, ...]
    whole: float | None = None

    @property
    def plain(self) -> float:
        """Mean over the motions."""
        return float(np.mean(self.each))


@dataclass(frozen=True, kw_only=True)
class Reduced:
    """An actuator reduced to a position servo of plain numbers.

    Attributes:
        whole: the actuator. servo: the servo as an actuator. numbers: of the servo. price: see `Price`; for the
            joint, in a robot on all its motions.
        loads: for which they were fitted, if there are no recordings.
        lacks: effects that they lack, and how far each moves the joint [rad].
    """

    whole: Actuator
    servo: Actuator
    numbers: PlainServo
    price: Price
    loads: tuple[Load, ...] = ()
    lacks: tuple[tuple[str, float], ...] = ()

    def as_plain(self) -> dict[str, object]:
        """Numbers in SI units and errors in mrad, by name."""
        about = ("name", "source", "kv")
        numbers = {n: x for n, x in dataclasses.asdict(self.numbers).items() if n not in about}
        whole = self.price.whole
        return {
            "actuator": self.whole.name,
            **{name: x if isfinite(x) else None for name, x in numbers.items()},
            "price_mrad": 1e3 * self.price.plain,
            "price_range_mrad": [1e3 * min(self.price.each), 1e3 * max(self.price.each)],
            "whole_mrad": None if whole is None else 1e3 * whole,
            "lacks_mrad": {text: 1e3 * far for text, far in self.lacks},
        }


def found(residuals: Residuals, settings: SearchSettings = SEARCH) -> dict[str, float]:
    """The most likely values of the space of `residuals`.

    Numbers that the motions do not determine, such as a limit that they never reach, keep their starting value.
    """
    space = residuals.space
    goal = Posterior(residuals, expected(space))
    return space.values(search(goal, space.to_cube(space.start), settings).point)


def of_joint(servo: Actuator, logs: Sequence[Log], space: Space) -> Residuals:
    """Residuals of one joint on a bench."""
    engine = JointEngine(servo)
    return Residuals(engine, LogBatch(logs, engine), space)


def reduced_to_itself(whole: Actuator, loads: Sequence[Load], fields: frozenset[str]) -> Reduced:
    """Plain numbers of an actuator from its own simulated motions."""
    start = plain_actuator(whole)
    values = found(of_joint(start, logs_to_fit(whole, loads), box(whole, start, fields)))
    servo = with_fit(start, values)
    judged = logs_to_judge(whole, loads)
    price = Price(each=differences(servo, judged))
    numbers = numbers_of(whole, servo)
    return Reduced(whole=whole, servo=servo, numbers=numbers, price=price, loads=tuple(loads))


def differences(actuator: Actuator, logs: Sequence[Log]) -> tuple[float, ...]:
    """Mean absolute difference [rad] between each log and the motion of `actuator` in it."""
    pairs = zip(moved(actuator, logs), logs, strict=True)
    return tuple(mean_absolute(a.position, b.position) for a, b in pairs)


def difference(actuator: Actuator, logs: Sequence[Log]) -> float:
    """Mean of these differences over the logs."""
    return float(np.mean(differences(actuator, logs)))


def reduced_to_logs(whole: Actuator, logs: Sequence[Log], fields: frozenset[str]) -> Reduced:
    """Plain numbers of an actuator from recordings of its joint on a bench."""
    start = plain_actuator(whole)
    space = box(whole, start, fields)
    values = found(of_joint(start, logs, space))

    def again(some: Sequence[Log]) -> Actuator:
        return with_fit(start, found(of_joint(start, some, space.starting_at(values)), AGAIN))

    each = _without_a_part(logs, lambda some, rest: evaluate(again(some), rest))
    price = Price(each=each, whole=evaluate(whole, logs).mae)
    servo = with_fit(start, values)
    return Reduced(whole=whole, servo=servo, numbers=numbers_of(whole, servo), price=price)


def reduced_robot(
    model: Path,
    actuators: Mapping[str, Actuator],
    logs: Sequence[RobotLog],
    fields: frozenset[str],
    settings: ManySettings | None = None,
    offsets: Mapping[str, float] | None = None,
) -> dict[str, Reduced]:
    """Plain numbers of each joint from recordings of the robot; tested with all joints together.

    Args:
        model: MJCF or URDF. actuators: joint to actuator. logs: recordings.
        fields: which of "armature" and "delay" the simulator has. settings: of the simulations. offsets: as in
            `evaluate_robot`.
    """
    starts = {joint: plain_actuator(one) for joint, one in actuators.items()}
    boxes = {joint: box(actuators[joint], one, fields) for joint, one in starts.items()}

    def rig(some: Mapping[str, Actuator]) -> RobotRig:
        return robot_rig(model, some, logs, "separately", settings).holding(offsets or {})

    whole, plain = rig(actuators), rig(starts)

    def fitted(
        some: Sequence[RobotLog], begin: Mapping[str, float], how: SearchSettings
    ) -> dict[str, float]:
        values: dict[str, float] = {}
        for joint, space in boxes.items():
            own = _named(joint, space).starting_at(begin)
            values |= found(plain.of_joint(joint).coarse().residuals(some, own), how)
        return values

    def with_values(values: Mapping[str, float]) -> dict[str, Actuator]:
        return {
            joint: with_fit(one, {n: values[f"{joint}.{n}"] for n in boxes[joint].names})
            for joint, one in starts.items()
        }

    values = fitted(logs, {}, SEARCH)
    each = _without_a_part(
        logs,
        lambda some, rest: plain.with_actuators(with_values(fitted(some, values, AGAIN))).evaluate(
            rest
        ),
    )
    price = Price(each=each, whole=whole.evaluate(logs).mae)
    servos = with_values(values)
    return {
        joint: Reduced(
            whole=one, servo=servos[joint], numbers=numbers_of(one, servos[joint]), price=price
        )
        for joint, one in actuators.items()
    }


def _named(joint: str, space: Space) -> Space:
    return dataclasses.replace(space, names=tuple(f"{joint}.{name}" for name in space.names))


def _without_a_part(
    logs: Sequence[LogT], judged: Callable[[list[LogT], list[LogT]], Evaluation[LogT]]
) -> tuple[float, ...]:
    """Error of each log with numbers that were fitted without it.

    A single log is tested with its own numbers, because there are no others.
    """
    count = min(FOLDS, len(logs))
    parts = [
        ([x for i, x in enumerate(logs) if i % count != k], logs[k::count]) for k in range(count)
    ]
    each = [judged(some or list(logs), list(rest)).by(id) for some, rest in parts]
    return tuple(error for part in each for error in part.values())


PLAIN = {
    "friction": ("m1", "none"),
    "control": ("pd_torque", "current_pd"),
    "timing": ("immediate",),
}
"""Laws of each port that are plain numbers; any other law is replaced by one of them alone, and reported."""
DRIVE = {"control": "current_pd", "driver": "ideal_supply", "motor": "torque_source"}
UNPROTECTED = {"protection": "none", "thermal": "none"}
OTHER = 0.9, 2.0
"""Other uses: factors on the supply, and on the load or the P-gain."""


def with_lacks(reduced: Reduced, fields: frozenset[str]) -> Reduced:
    """The numbers with the effects they lack: laws simplified one by one, and other uses."""
    loads = reduced.loads or tuple(usual_loads(reduced.whole))
    judged = logs_to_judge(reduced.whole, loads)
    parts = [*_laws(reduced, loads, judged, fields), *_uses(reduced, loads, judged)]
    return dataclasses.replace(reduced, lacks=tuple(parts))


def _laws(
    reduced: Reduced, loads: Sequence[Load], judged: Sequence[Log], fields: frozenset[str]
) -> Iterator[tuple[str, float]]:
    whole, names = reduced.whole, {port: law.name for port, law in reduced.whole.laws.items()}
    if "delay" not in fields and names.get("timing") not in (None, *PLAIN["timing"]):
        at_once = with_laws(whole, {"timing": "immediate"})
        yield "the delay of its commands", difference(at_once, judged)
    if whole.topology.name != "rigid_servo":
        alone = difference(reduced.servo, judged)
        yield f"a motor that moves separately from its joint ({whole.topology.name})", alone
        return
    torque = reduced.servo.value("control.limit")
    friction = {
        "friction.K_c": (0.0, min(torque, 100.0)),
        "friction.K_v": (0.0, min(torque, 100.0)),
    }
    if names["friction"] not in PLAIN["friction"]:
        other = with_laws(whole, {"friction": "m1"})
        text = f"friction that is not only Coulomb and viscous ({names['friction']})"
        yield text, _refitted(other, friction, whole, loads, judged)
    if names["control"] not in PLAIN["control"]:
        present = {port: law for port, law in UNPROTECTED.items() if port in whole.laws}
        other = with_laws(whole, DRIVE | present)
        start = ("control.gain", "control.limit", "control.damping_gain")
        values = {
            "motor.k_t": 1.0,
            **dict(zip(start, (reduced.servo.value(start[0]), torque, 0.0), strict=True)),
        }
        other = other.with_values(values, "plain", "assumed")
        ends = {name: (0.1 * values[name], 10.0 * values[name]) for name in start[:2]}
        ends[start[2]] = 0.0, min(torque, 1e3)
        text = f"firmware and motor ({names['control']}, {names['motor']})"
        yield text, _refitted(other, ends, whole, loads, judged)


def _refitted(
    plain: Actuator,
    ends: Mapping[str, tuple[float, float]],
    whole: Actuator,
    loads: Sequence[Load],
    judged: Sequence[Log],
) -> float:
    """[rad] Its error after the numbers of `ends` have been fitted again."""
    low, high = (np.array([one[k] for one in ends.values()]) for k in (0, 1))
    start = np.clip([plain.value(name) for name in ends], low, high)
    space = Space(tuple(ends), low, high, start)
    values = found(of_joint(plain, logs_to_fit(whole, loads), space), AGAIN)
    return difference(plain.with_values(values, "fitted", "identified"), judged)


def _uses(
    reduced: Reduced, loads: Sequence[Load], judged: Sequence[Log]
) -> Iterator[tuple[str, float]]:
    """Uses that the numbers were not fitted for; the numbers stay the same, the actuator is simulated as it is."""
    part, twice = OTHER
    servo, whole = reduced.servo, reduced.whole
    voltage = {"own.voltage": part * whole.value("own.voltage")}
    weak = moved(whole.with_values(voltage, "another use", "assumed"), judged)
    if any((a.position != b.position).any() for a, b in zip(weak, judged, strict=True)):
        yield f"price with a supply {100 * (1 - part):.0f} % lower", difference(servo, weak)
    heavy = logs_to_judge(whole, [load.times(twice) for load in loads])
    yield "price with twice the load", difference(servo, heavy)
    if KP in whole.fields:
        stiff = moved(whole, [dataclasses.replace(log, gain=twice * log.gain) for log in judged])
        yield "price with twice the P-gain, kp in proportion", difference(servo, stiff)
