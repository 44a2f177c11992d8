"""Things that plain numbers cannot do, each with how far it moves the joint."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pliant.assemble import Actuator, with_laws
from pliant.identification.problem.space import Space
from pliant.io.log import Log
from pliant.plain.fit import AGAIN, Reduced, difference, found, of_joint
from pliant.plain.servo import KP
from pliant.plain.use import Load, logs_to_fit, logs_to_judge, moved, usual_loads

PLAIN = {
    "friction": ("m1", "none"),
    "control": ("pd_torque", "current_pd"),
    "timing": ("immediate",),
}
"""Laws of each port that are plain numbers; what stands there else is made plain alone, and told."""
DRIVE = {"control": "current_pd", "driver": "ideal_supply", "motor": "torque_source"}
UNPROTECTED = {"protection": "none", "thermal": "none"}
OTHER = 0.9, 2.0
"""Another use: the supply, and the load or the P-gain, as parts of what they were."""


def with_lacks(reduced: Reduced, fields: frozenset[str]) -> Reduced:
    """The numbers with what they cannot do: laws made plain one by one, and other uses."""
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
        yield f"a motor that moves apart from its joint ({whole.topology.name})", alone
        return
    torque = reduced.servo.value("control.limit")
    friction = {
        "friction.K_c": (0.0, min(torque, 100.0)),
        "friction.K_v": (0.0, min(torque, 100.0)),
    }
    if names["friction"] not in PLAIN["friction"]:
        other = with_laws(whole, {"friction": "m1"})
        text = f"friction that is not Coulomb's and viscous alone ({names['friction']})"
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
    """[rad] that it is off with the numbers of `ends` found anew."""
    low, high = (np.array([one[k] for one in ends.values()]) for k in (0, 1))
    start = np.clip([plain.value(name) for name in ends], low, high)
    space = Space(tuple(ends), low, high, start)
    values = found(of_joint(plain, logs_to_fit(whole, loads), space), AGAIN)
    return difference(plain.with_values(values, "fitted", "identified"), judged)


def _uses(
    reduced: Reduced, loads: Sequence[Load], judged: Sequence[Log]
) -> Iterator[tuple[str, float]]:
    """Uses for which the numbers were not found; the numbers stay, the actuator is there what it is."""
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
