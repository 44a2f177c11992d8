"""Faults of the position, voltage and temperature channels: dropouts, jumps, a wrong unit."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pliant.io.findings import Fault, Finding, spots
from pliant.io.table import Bools, Floats, Header, Table
from pliant.io.temperature import TEMPERATURES, possible
from pliant.words import counted

DROPOUT = 0.03
"""[rad] a smaller one-sample deviation is not reported (20 steps of a 12-bit encoder;
the largest in 65 real recordings is 0.008)."""

SPREAD = 6.0
"""A dropout stands off by this many times the disagreement of its neighbours."""

REACH = 3
"""[rows] neighbours on each side that predict a position."""

PASSES = 5
"""At most this many searches."""

JUMP = 0.3
"""[rad] a step between two rows that the motion around it does not explain."""

VOLTAGE_SPIKE = 0.5
"""[of the median] a one-sample deviation; a bench supply sags to 0.78 and rises to 1.24."""

VOLTAGE_UNITS = {"V": 1.0, "0.1 V": 0.1, "0.01 V": 0.01, "mV": 1e-3, "kV": 1e3}
"""[V] of one count."""

VOLTAGE_RANGE = (0.4, 2.0)
"""[of nominal] a median within it is in the unit assumed."""

IDLE = 0.9
"""Quantile of the measured supply that is taken for the voltage without a load."""

CONTRADICTS = 0.12
"""Relative distance of the stated supply from it that is another supply; real ones reach 0.08."""


def check_voltage_unit(table: Table, header: Header) -> list[Fault]:
    """Supply voltages that only fit the nominal supply in another unit."""
    if header.supply is None or not table.finite("voltage"):
        return []
    name = table.names["voltage"]
    median = float(np.median(table.channels["voltage"]))
    low, high = VOLTAGE_RANGE
    fitting = [u for u, f in VOLTAGE_UNITS.items() if low <= median * f / header.supply <= high]
    if "V" in fitting:
        return []
    text = f"median {median:.4g} where the supply is {header.supply:.4g} V"
    if not fitting:
        finding = Finding(
            "voltage-unit", name, f"{text}: no unit fits", "error", repair="voltage-unit"
        )
        return [(finding, lambda t: t.without("voltage"))]
    factor = VOLTAGE_UNITS[fitting[0]]
    finding = Finding(
        "voltage-unit", name, f"{text}: in units of {fitting[0]}", "error", repair="voltage-unit"
    )
    return [(finding, lambda t: t.put("voltage", t.channels["voltage"] * factor))]


def check_supply(table: Table, header: Header) -> list[Fault]:
    """A stated supply that the recorded voltage contradicts. There is no repair: one of them is wrong."""
    if header.supply is None or not table.finite("voltage"):
        return []
    idle = float(np.quantile(table.channels["voltage"], IDLE))
    low, high = VOLTAGE_RANGE
    off = idle / header.supply
    if not low <= off <= high or abs(off - 1.0) <= CONTRADICTS:
        return []
    text = (
        f"{header.supply:.4g} V is stated, {idle:.4g} V was measured while little current flowed: "
        f"give the right one (--voltage {idle:.3g}), or --supply measured"
    )
    return [(Finding("supply", table.names["voltage"], text, "warning"), None)]


def check_temperature(table: Table, header: Header) -> list[Fault]:
    """Temperatures that no servo has, as of a sensor that is not there, or of kelvins."""
    if not table.finite("temperature"):
        return []
    values = table.channels["temperature"]
    if possible(values):
        return []
    low, high = TEMPERATURES
    text = f"{values.min():.4g} to {values.max():.4g} where {low:g} to {high:g} degC are possible"
    return [(Finding("range", table.names["temperature"], text, "error"), None)]


def check_dropouts(table: Table, header: Header) -> list[Fault]:
    """Samples (one or two in a row) that leave the motion and return to it."""
    faults: list[Fault] = []
    if table.finite("position"):
        bad, size = position_dropouts(table.time, table.channels["position"])
        faults += _dropouts(table, "position", bad, size, "rad")
    if table.finite("voltage"):
        bad, size = _voltage_dropouts(table.channels["voltage"])
        faults += _dropouts(table, "voltage", bad, size, "V")
    return faults


def position_dropouts(time: Floats, position: Floats) -> tuple[Bools, Floats]:
    """Samples that are dropouts, and how far each stands off [rad].

    Searched again without those found: a dropout can hide another.
    """
    bad = np.zeros(len(time), bool)
    size = np.zeros(len(time))
    for _ in range(PASSES):
        sound = np.flatnonzero(~bad)
        if len(sound) <= 2 * REACH:
            break
        off, far = _standing_off(time[sound], position[sound])
        if not off.any():
            break
        bad[sound[off]] = True
        size[sound[off]] = far[off]
    return bad, size


def _standing_off(time: Floats, position: Floats) -> tuple[Bools, Floats]:
    """One search.

    Every pair among the 6 nearest rows predicts a sample by a straight line. A dropout is
    far from the median prediction, measured by how much the predictions disagree: the sound
    neighbours outvote a bad one, while a step or an impact makes them all disagree.
    """
    n = len(time)
    row = np.arange(n)
    start = np.clip(row - REACH, 0, n - 2 * REACH - 1)
    near = start[:, None] + np.arange(2 * REACH)[None, :]
    near = near + (near >= row[:, None])
    t, x = time[near], position[near]
    lines = np.stack(
        [
            x[:, a] + (x[:, b] - x[:, a]) * (time - t[:, a]) / (t[:, b] - t[:, a])
            for a, b in combinations(range(2 * REACH), 2)
        ]
    )
    expected = np.median(lines, axis=0)
    spread = np.median(np.abs(lines - expected), axis=0)
    size = np.abs(position - expected)
    return size > DROPOUT + SPREAD * spread, size


def check_jumps(table: Table, header: Header) -> list[Fault]:
    """Steps of the position that do not return. There is no repair: the cause is unknown."""
    if not table.finite("position"):
        return []
    dt, step = np.diff(table.time), np.diff(table.channels["position"])
    window = np.pad(step / dt, 3, mode="reflect")
    around = np.median(np.lib.stride_tricks.sliding_window_view(window, 7), axis=1)
    excess = np.abs(step - around * dt)
    rows = np.flatnonzero((excess > JUMP) & (dt <= 4.0 * np.median(dt)))
    if len(rows) == 0:
        return []
    where, first = spots(table, [int(row) + 1 for row in rows])
    largest = float(step[rows][np.argmax(excess[rows])])
    text = f"{counted(len(rows), 'jump')}, the largest {largest:+.3f} rad (first at {first})"
    if abs(abs(largest) - 2.0 * np.pi) < JUMP:
        text += ": about a full turn, as when an encoder wraps"
    text += "; no repair"
    return [(Finding("jump", table.names["position"], text, "warning", where), None)]


def _voltage_dropouts(voltage: Floats) -> tuple[Bools, Floats]:
    """Runs of at most two samples far from the median; a longer one is the supply itself."""
    median = float(np.median(voltage))
    size = np.abs(voltage - median)
    far = np.concatenate([[False] * 3, size > VOLTAGE_SPIKE * abs(median), [False] * 3])
    threes = far[:-2] & far[1:-1] & far[2:]
    longer = np.convolve(threes, np.ones(3), "full") > 0
    return (far & ~longer)[3:-3], size


def _dropouts(table: Table, channel: str, bad: Bools, size: Floats, unit: str) -> list[Fault]:
    rows = np.flatnonzero(bad)
    if len(rows) == 0:
        return []
    where, first = spots(table, [int(row) for row in rows])
    text = (
        f"{counted(len(rows), 'dropout')}, up to {size[bad].max():.3g} {unit} off "
        f"(first at {first})"
    )
    finding = Finding("dropout", table.names[channel], text, "warning", where, "dropout")
    return [(finding, lambda t: t.interpolate(channel, bad))]
