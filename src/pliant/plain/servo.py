"""The position servo of other simulators, as an actuator of Pliant's own laws.

    torque = clip(kp (goal - q), +-limit)      damping, dry friction, armature and delay are constant

So the usual identification fits its numbers.
"""

import dataclasses
from collections.abc import Mapping
from math import inf
from pathlib import Path

import numpy as np

from pliant.assemble import AT_JOINT, Actuator
from pliant.errors import PliantError
from pliant.identification.problem.evaluation import TAKES
from pliant.identification.problem.space import Space
from pliant.io.actuator_file import load_actuator
from pliant.report.derived import derived
from pliant.robots.plain_servo import PlainServo

KP = "control.kp"
DELAY, ARMATURE = "timing.delay", "own.armature"
LONGEST = 0.1
"""[s] Longest delay in the search."""
STRONGEST = 1e3
"""[N m] Largest torque limit, also for actuators that state none."""


def gain_of(actuator: Actuator) -> float:
    """P-gain of its firmware, in the unit used in recordings; 1 if it has none."""
    return actuator.value(KP) if KP in actuator.fields else 1.0


def plain_actuator(whole: Actuator) -> Actuator:
    """The servo before its fit, with the P-gain, the force limit and the bench of `whole`."""
    control = next((law for port, law in whole.laws.items() if port.startswith("control")), None)
    takes = str(getattr(control.module, "GOAL", "rad")) if control else "rad"
    if takes != "rad":
        raise PliantError(
            f"takes {TAKES.get(takes, takes)}, but plain numbers describe a position servo",
            file=whole.path,
            field="control",
            found=control and control.name,
            accepted="a law that takes positions, such as pd_torque; or --to c",
        )
    servo = load_actuator(Path(__file__).with_name("servo.toml"))
    values = {KP: gain_of(whole), "control.limit": _strongest(whole), "control.gain": 1.0}
    values |= {ARMATURE: armature_of(whole)}
    known = servo.with_values(values, f"actuator {whole.name}", "convention")
    sources = {**whole.sources, **known.sources}
    return dataclasses.replace(known, bench=whole.bench, sources=sources)


def armature_of(actuator: Actuator) -> float:
    """[kg m^2] Inertia of the rotors at the joint, with or without a spring in between."""
    return sum(actuator.value(name) for name in AT_JOINT if name in actuator.fields)


def _strongest(whole: Actuator) -> float:
    """[N m] Torque of its motor at standstill, clipped to the servo law's range."""
    return float(np.clip(abs(derived(whole).motor_torque), 1e-2, STRONGEST))


def box(whole: Actuator, servo: Actuator, fields: frozenset[str]) -> Space:
    """The numbers to fit, among those that a simulator has, and their bounds.

    Args:
        fields: which of "armature" and "delay" it has.
    """
    torque, gain = servo.value("control.limit"), servo.value(KP)
    rotor = armature_of(whole)
    ends = {
        "control.gain": (max(0.05 * torque / gain, 1e-3), min(300.0 * torque / gain, 1e3)),
        "control.limit": (0.1 * torque, torque),
        "friction.K_c": (0.0, 0.7 * torque),
        "friction.K_v": (0.0, min(3.0 * torque, 100.0)),
    }
    if "armature" in fields:
        ends[ARMATURE] = 0.0, max(10.0 * rotor, 1e-3 * torque)
    if "delay" in fields:
        ends[DELAY] = 0.0, LONGEST
    starts = {"control.gain": 10.0 * torque / gain, "friction.K_c": 0.05 * torque}
    starts |= {"control.limit": torque, "friction.K_v": 0.1 * torque, ARMATURE: rotor}
    low, high = (np.array([ends[name][k] for name in ends]) for k in (0, 1))
    start = np.array([starts.get(name, 0.1 * ends[name][1]) for name in ends])
    return Space(tuple(ends), low, high, np.clip(start, low, high))


def numbers_of(whole: Actuator, servo: Actuator, gain: float | None = None) -> PlainServo:
    """The numbers of a fitted servo, at a P-gain of the firmware."""
    value = servo.value
    own = gain_of(whole) if gain is None else gain
    speed = derived(whole).no_load_speed
    return PlainServo(
        name=whole.name,
        source=f"fitted to {whole.name}: {whole.title}",
        kp=value("control.gain") * own,
        kv=0.0,
        force=value("control.limit"),
        damping=value("friction.K_v"),
        friction=value("friction.K_c"),
        armature=value(ARMATURE),
        delay=value(DELAY),
        speed=inf if speed is None else speed,
    )


def with_fit(servo: Actuator, values: Mapping[str, float]) -> Actuator:
    """The servo with fitted numbers."""
    return servo.with_values(values, "fitted to the actuator", "identified")
