"""What the tests of hosts drive an actuator with: a joint that its torque moves, in plain Python."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.engines.hosts.c_header import KERNEL
from pliant.lower.cache import build
from pliant.lower.kernel import tree
from pliant.lower.law import plain
from pliant.lower.python_text import python_text

H = 0.002
COLUMNS = ("goal", "preset", "q", "v", "load", "inertia", "supply", "on")


@cache
def known(name: str) -> Actuator:
    """An actuator of the catalogue, or "delayed": one whose commands act 2.65 steps of H late."""
    if name != "delayed":
        return pliant.load_actuator(name)
    servo = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    return servo.with_values({"timing.delay": 2.65 * H}, "the test", "assumed")


@cache
def _module(actuator: Actuator) -> tuple[ModuleType, dict[str, str]]:
    entries = ["start", "late", "arrived", "remember", "substeps_needed", "step", "friction"]
    program = tree(KERNEL, entries, actuator.equations)
    names = {outside: function.name for outside, function in program.entries.items()}
    return build(python_text(program), "hosts"), names


def stepped(
    actuator: Actuator, history: int, q: float
) -> Callable[[Sequence[float]], tuple[float, float]]:
    """Torque and friction budget in Python of one row of inputs after another, from rest at q."""
    module, names = _module(actuator)
    start, late, arrived, remember, substeps, step, _ = (getattr(module, x) for x in names.values())
    p = plain(actuator)["load_parameters"](actuator.values.tolist(), 0)
    s, lines = start(q, p), ([0.0] * (1 + history), [0.0] * (1 + history))

    def after(row: Sequence[float]) -> tuple[float, float]:
        nonlocal s
        told = [arrived(line, x, late(H, p)) for line, x in zip(lines, row[:2], strict=True)]
        for line, x in zip(lines, row[:2], strict=True):
            remember(line, x)
        s, tau, budget = step(s, *told, *row[2:], p, H, substeps(H, p))
        return tau, budget

    return after


def light(actuator: Actuator) -> float:
    """Inertia [kg m^2] of a joint that is too light for steps of H to resolve the spring, if it is stiff."""
    p = plain(actuator)["load_parameters"](actuator.values.tolist(), 0)
    return max(0.02, 0.5 * plain(actuator).get("stiffest", lambda p: 0.0)(p) * H * H)


def driven(actuator: Actuator, history: int, count: int = 1000) -> tuple[Floats, Floats]:
    """(N, 8) inputs and (N, 2) torque and friction budget of a joint under random commands and loads.

    Goals jump; the joint rests, sticks, and is thrown against stops; torque goes off; the supply
    wavers; the inertia is not known for a while.
    """
    module, names = _module(actuator)
    friction = getattr(module, names["friction"])
    rng = np.random.default_rng(1)
    p = plain(actuator)["load_parameters"](actuator.values.tolist(), 0)
    carried = light(actuator)
    moved = carried + plain(actuator)["armature"](p)
    q = v = 0.0
    after = stepped(actuator, history, q)
    rows, out = np.empty((count, 8)), np.empty((count, 2))
    goal = preset = kick = 0.0
    for k in range(count):
        if k % 50 == 0:
            goal, preset = rng.uniform(-0.6, 0.6, 2).tolist()
            if actuator.topology.name == "adjustable":
                preset = abs(0.05 * preset)  # of a lever
            kick = float(rng.uniform(-5.0, 5.0)) * (k % 150 == 0)
        load = -0.5 * np.sin(q) + kick + float(rng.uniform(-0.1, 0.1))
        supply = actuator.value("own.voltage") * float(rng.uniform(0.8, 1.1))
        on, inertia = float(k % 350 < 300), carried * (k % 400 < 350)
        rows[k] = goal, preset, q, v, load, inertia, supply, on
        out[k] = tau, budget = after(rows[k].tolist())
        held = friction(v, tau, load, budget, moved, H)
        v += (tau + load + held) / moved * H
        v = min(max(v, -30.0), 30.0)
        q += v * H
        if abs(q) > 2.5:  # a stop of the joint
            q, v = min(max(q, -2.5), 2.5), 0.0
    return rows, out


FEW = ("delayed", "sts3215_so101", "awas_ii", "miki_102_04_brake", "sea_walkman_200")
"""Every topology that is not made of others."""


def _placed(name: str) -> set[tuple[str, str, str]]:
    """Topology, port and law of every port of an actuator."""
    actuator = known(name)
    return {(actuator.topology.name, port, law.name) for port, law in actuator.laws.items()}


def _covering() -> list[str]:
    """`FEW`, and whatever else of the catalogue has a law at a port where those before it have another."""
    every = {name: _placed(name) for name in sorted(actuator_files())}
    chosen, left = [*FEW], set[tuple[str, str, str]]().union(*every.values())
    left -= set[tuple[str, str, str]]().union(*map(_placed, FEW))
    while left:
        chosen.append(max(every, key=lambda name: len(every[name] & left)))
        left -= every[chosen[-1]]
    return sorted(chosen)


LAWS = _covering()
"""Every law at every port of every topology where the catalogue has it: laws are written apart, and a topology
joins them by the ports' names alone. What an actuator's numbers do beyond is the same arithmetic in every host."""


def named(first: Iterable[str], others: Iterable[str] = ()) -> list[Any]:
    """Names for `parametrize`, of which those that are `others` alone are left out unless asked for."""
    also = sorted({*others} - {*first})
    return [*first, *(pytest.param(name, marks=pytest.mark.long) for name in also)]


BY_LAWS = named(FEW, LAWS)

GOAL, PRESET, POSITION, VELOCITY, LOAD, INERTIA, SUPPLY, ON = range(-8, 0)
"""Places of the inputs behind an actuator's parameters, where gradients are taken."""


def middle(actuator: Actuator) -> Floats:
    """(P + 8,) A point at which all moves."""
    supply = actuator.value("own.voltage")
    inputs = [0.31, 0.02, 0.07, 0.4, -0.2, light(actuator), supply, 1.0]
    return np.concatenate([actuator.values, inputs])


def corners(x: Floats) -> dict[str, Floats]:
    """Points near `x` where roots and powers have no slope, or none that is finite."""
    changes: dict[str, dict[int, float]] = {
        "at rest": {VELOCITY: 0.0},
        "at rest at the goal": {
            **dict.fromkeys((GOAL, PRESET, VELOCITY, LOAD), 0.0),
            POSITION: -0.01,
        },
        "torque off": {ON: 0.0},
        "at rest with torque off": {VELOCITY: 0.0, ON: 0.0},
        "beyond stops": {POSITION: 3.0, VELOCITY: 20.0},
        "saturated": {GOAL: 50.0},
    }
    found = {what: x.copy() for what in changes}
    for what, values in changes.items():
        for k, value in values.items():
            found[what][k] = value
    return found


def check_slopes(found: Floats, x: Floats, each: Callable[[Floats], Floats]) -> None:
    """Compare (X, 2) gradients with differences of `each`, which takes (N, X) points to (N, 2)."""
    steps = 1e-5 * np.maximum(np.abs(x), 1e-2)[:, None]
    ahead, back = each(x + np.diag(steps[:, 0])), each(x - np.diag(steps[:, 0]))
    here = each(x[None])
    right, left = (ahead - here) / steps, (here - back) / steps
    rounding = 1e-9 * max(1.0, np.abs(here).max()) / steps  # of sums inside too
    size = np.maximum(np.abs(right), np.abs(left)) + rounding
    smooth = np.abs(right - left) < 1e-2 * size  # elsewhere there is a corner, and no slope
    assert smooth.mean() > 0.8
    assert (np.abs(0.5 * (right + left) - found) / size)[smooth].max() < 1e-5
