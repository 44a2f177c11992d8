"""What the tests of hosts drive an actuator with: a joint that its torque moves, in plain Python."""

from functools import cache
from types import ModuleType

import numpy as np

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import KERNEL
from pliant.lower.build import build
from pliant.lower.kernel import tree
from pliant.lower.plain import plain
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
    entries = ["start", "late", "arrived", "remember", "step", "friction"]
    program = tree(KERNEL, entries, actuator.topology, actuator.laws)
    names = {outside: function.name for outside, function in program.entries.items()}
    return build(python_text(program), "hosts"), names


def driven(
    actuator: Actuator, history: int, count: int = 1000, *, inertia_known: bool = True
) -> tuple[Floats, Floats]:
    """(N, 8) inputs and (N, 2) torque and friction budget of a joint under random commands and loads.

    Goals jump; the joint rests, sticks, and is thrown against stops; torque goes off; the supply
    wavers; the inertia is not known for a while, or never.
    """
    module, names = _module(actuator)
    start, late, arrived, remember, step, friction = (getattr(module, x) for x in names.values())
    rng = np.random.default_rng(1)
    p = plain(actuator)["load_parameters"](actuator.values.tolist(), 0)
    stiffest = plain(actuator).get("stiffest", lambda p: 0.0)(p)
    carried = max(0.02, 0.5 * stiffest * H * H)  # too light for the step to resolve the spring
    moved = carried + plain(actuator)["armature"](p)
    q = v = 0.0
    s, lines = start(q, p), ([0.0] * (1 + history), [0.0] * (1 + history))
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
        on, inertia = float(k % 350 < 300), inertia_known * carried * (k % 400 < 350)
        rows[k] = goal, preset, q, v, load, inertia, supply, on
        told = [arrived(line, x, late(H, p)) for line, x in zip(lines, (goal, preset), strict=True)]
        for line, x in zip(lines, (goal, preset), strict=True):
            remember(line, x)
        s, tau, budget = step(s, *told, *rows[k, 2:].tolist(), p, H)
        out[k] = tau, budget
        held = friction(v, tau, load, budget, moved, H)
        v += (tau + load + held) / moved * H
        v = min(max(v, -30.0), 30.0)
        q += v * H
        if abs(q) > 2.5:  # a stop of the joint
            q, v = min(max(q, -2.5), 2.5), 0.0
    return rows, out
