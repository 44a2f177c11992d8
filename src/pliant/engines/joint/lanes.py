"""The inner loop of the joint engine for several candidates at once, each in a lane of a vector.

Not a module to import: the lowering binds `topology` and `plant` and compiles it. It goes through a
log as `kernel.rollout` does, with the same step. Each lane has its own clock and step: one that has
come to the end of a sample's interval waits there for the others.
"""

from math import floor
from typing import Any

import numpy as np

from pliant.engines.joint.step import longest_step, pushed, told
from pliant.lower.branchless import WIDTH
from pliant.lower.lane_choice import put, row, select, some, wide

topology: Any
plant: Any


# So many arguments: compiled code takes arrays and numbers one by one.
def commands(
    time: Any,
    goal: Any,
    supply: Any,
    on: Any,
    edge: float,
    hold: bool,
    count: int,
    clocks: Any,
    places: Any,
    inputs: Any,
) -> int:
    """Read for each lane what its next step gets, and return how many lanes of `count` do one.

    Args:
        time, goal, supply, on: (N,) the log's samples. edge: [s] where this interval ends.
        clocks: (3, WIDTH) lane's clock, the time at which its command was given, its step [s].
        places: (2, WIDTH) last sample whose command has arrived, last one that the middle of the
            step has passed; moved on.
        inputs: (3, WIDTH) out, command, supply, and whether the motor is powered.
    """
    n = len(time)
    moving = 0
    for lane in range(WIDTH):
        clock = clocks[0, lane]
        if clock < edge:
            h = clocks[2, lane]
            j, target = told(time, goal, clocks[1, lane], h, places[0, lane], hold)
            m = places[1, lane]
            while m + 1 < n and time[m + 1] <= clock + 0.5 * h:
                m += 1
            places[0, lane] = j
            places[1, lane] = m
            inputs[0, lane] = target
            inputs[1, lane] = supply[m]
            inputs[2, lane] = on[m]
            moving += lane < count
    return moving


# So many arguments: compiled code takes arrays and numbers one by one.
def rollout(
    time: Any,
    goal: Any,
    supply: Any,
    on: Any,
    around: Any,
    q0: float,
    v0: float,
    values: Any,
    count: int,
    max_step: float,
    substeps: int,
    hold: bool,
    aligned: bool,
    reference: bool,
    stop: Any,
    clocks: Any,
    places: Any,
    inputs: Any,
    positions: Any,
) -> int:
    """Move `count` candidates through one log; see `kernel.rollout`.

    Args:
        values: (P, WIDTH) candidates; those beyond `count` are computed in vain.
        clocks, places, inputs: room for `commands`.
        positions: (count, N) out.
    """
    p = topology.load_parameters(values, 0)
    b = plant.load_parameters(values, topology.N_PARAMETERS)
    own = wide(plant.inertia(b) + topology.armature(p))
    inertia = own
    led = len(around) > 0
    if led:
        least = around[0, 0]
        for k in range(len(around)):
            least = min(least, around[k, 0])
        inertia = own + least
    q = wide(q0)
    v = wide(v0)
    s = topology.start(q, p)
    n = len(time)
    longest = wide(longest_step(p, inertia, wide(max_step)))
    h = min(longest, (time[n - 1] - time[0]) / max(1, n - 1))
    clock = wide(time[0])
    total = 0
    before = q
    for lane in range(WIDTH):
        places[0, lane] = 0
        places[1, lane] = 0
    for c in range(count):
        positions[c, 0] = q0
    for k in range(n - 1):
        if stop[0] != 0:
            return total
        if aligned:
            span = time[k + 1] - time[k]
            h = span / max(1.0, floor(span / longest + 0.999999))
        edge = time[k + 1] - 1e-9
        moving = clock < edge
        while some(moving):
            # 1. actuator
            put(clocks, 0, clock)
            put(clocks, 1, topology.issued(clock + 1e-9, p))
            put(clocks, 2, h)
            total += commands(time, goal, supply, on, edge, hold, count, clocks, places, inputs)
            load = wide(plant.load(q, b))
            if led:
                part = (clock + 0.5 * h - time[k]) / (time[k + 1] - time[k])
                inertia = own + around[k, 0] + part * (around[k + 1, 0] - around[k, 0])
                load += around[k, 1] + part * (around[k + 1, 1] - around[k, 1])
                load += plant.angle(q, b) * (
                    around[k, 2] + part * (around[k + 1, 2] - around[k, 2])
                )
            target = plant.told(row(inputs, 0), b)
            then, tau_m, tau_f = pushed(
                s, target, 0.0, q, v, load, row(inputs, 1), row(inputs, 2), p, inertia, h, substeps
            )
            s = select(moving, then, s)
            # 4. motion
            before = select(moving, q, before)
            a = (tau_m + load + tau_f) / inertia
            v = select(moving, v + a * h, v)
            q = select(moving, q + v * h, q)
            if reference:
                q = select(moving, q + 0.5 * a * h * h, q)
            clock = select(moving, clock + h, clock)
            moving = clock < edge
        put(clocks, 0, q - (q - before) * (clock - time[k + 1]) / h)
        for c in range(count):
            positions[c, k + 1] = clocks[0, c]
    return total


# So many arguments: compiled code takes arrays and numbers one by one.
def batch(
    time: Any,
    goal: Any,
    supply: Any,
    on: Any,
    around: Any,
    starts: Any,
    first: Any,
    values: Any,
    columns: Any,
    settings: Any,
    jobs: Any,
    max_step: float,
    substeps: int,
    hold: bool,
    aligned: bool,
    reference: bool,
    stop: Any,
    positions: Any,
) -> int:
    """As `kernel.batch`, many rollouts after each other.

    Args:
        jobs: (J, 3) first candidate of each rollout, how many follow it, its log.
    """
    total = 0
    chosen = np.empty((values.shape[1], WIDTH))
    clocks = np.zeros((3, WIDTH))
    places = np.zeros((2, WIDTH), np.int64)
    inputs = np.zeros((3, WIDTH))
    for job in range(len(jobs)):
        c = jobs[job, 0]
        count = jobs[job, 1]
        log = jobs[job, 2]
        a = starts[log]
        z = starts[log + 1]
        for lane in range(WIDTH):
            chosen[:, lane] = values[c + min(lane, count - 1)]
        for k in range(len(columns)):
            if settings[log, k] == settings[log, k]:
                chosen[columns[k]] = settings[log, k]
        total += rollout(
            time[a:z],
            goal[a:z],
            supply[a:z],
            on[a:z],
            around[a:z],
            first[log, 0],
            first[log, 1],
            chosen,
            count,
            max_step,
            substeps,
            hold,
            aligned,
            reference,
            stop,
            clocks,
            places,
            inputs,
            positions[c : c + count, a:z],
        )
    return total
