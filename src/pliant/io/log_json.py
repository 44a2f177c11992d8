"""The JSON pendulum log of the BAM family: constants, and `entries` with one sample each."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from pliant.errors import PliantError
from pliant.io.table import Bools, Floats, Header, Table
from pliant.io.validated import parsed_json, validated

HEADER_NAMES: Mapping[str, str] = {
    "device": "motor",
    "trajectory": "trajectory",
    "mass": "mass",
    "length": "length",
    "arm_mass": "arm_mass",
    "gain": "kp",
    "derivative_gain": "kd",
    "supply": "vin",
}
"""Our name of a constant: the file's."""

DAMPING = "damping"
"""Name of the D-gain in some published logs."""

CHANNEL_NAMES: Mapping[str, str] = {
    "time": "timestamp",
    "position": "position",
    "goal": "goal_position",
    "enabled": "torque_enable",
    "velocity": "speed",
    "voltage": "input_volts",
    "temperature": "temp",
}
"""Our name of a channel: the key in each entry."""

SPARED = ("temperature",)
"""No row is incomplete, and no file refused, for the sake of these."""

FAR = 1e6
"""No reading is as large."""

REQUIRED = ("time", "position", "goal", "enabled")


def read_json(text: str) -> tuple[Header, Table]:
    """Header and rows of one log; `PliantError` for anything that is not such a log.

    NaN and Infinity are read (and found by the checks later); an entry that lacks a key
    becomes an incomplete row.
    """
    document = parsed_json(text, "log")
    constants = {
        name: document[theirs] for name, theirs in HEADER_NAMES.items() if theirs in document
    }
    if "derivative_gain" not in constants and DAMPING in document:
        constants["derivative_gain"] = document[DAMPING]
    return validated(Header, constants, names=HEADER_NAMES), _table(document)


def _table(document: dict[str, Any]) -> Table:
    listed: object = document.get("entries")
    if listed is None:
        raise PliantError("is not a log: it has no entries", field="entries", accepted="a list")
    if not isinstance(listed, list):
        raise PliantError("is not a list", field="entries", found=listed, accepted="a list")
    entries = _objects(cast(list[object], listed))
    channels: dict[str, Floats] = {}
    gaps: Bools = np.zeros(len(entries), bool)
    for channel, key in CHANNEL_NAMES.items():
        absent = np.array([key not in entry for entry in entries])
        if absent.all():
            if channel in REQUIRED:
                raise PliantError(
                    "is missing in every entry",
                    field=key,
                    found=sorted(entries[0]),
                    accepted=f"entries with {', '.join(CHANNEL_NAMES[name] for name in REQUIRED)}",
                )
            continue
        if channel in SPARED:
            channels[channel] = np.array([_reading(entry.get(key)) for entry in entries])
            continue
        values = [_number(entry, key, row) for row, entry in enumerate(entries)]
        channels[channel] = np.array(values, dtype=np.float64)
        gaps = gaps | absent
    return Table(channels, CHANNEL_NAMES, np.arange(len(entries)), "entries[{}]", gaps)


def _objects(listed: list[object]) -> list[dict[str, object]]:
    if not listed:
        raise PliantError("has no entries", field="entries", accepted="one per sample")
    for row, entry in enumerate(listed):
        if not isinstance(entry, dict):
            raise PliantError(
                "is not an object",
                field=f"entries[{row}]",
                found=entry,
                accepted="one object per sample",
            )
    return cast(list[dict[str, object]], listed)


def _reading(value: object) -> float:
    """The value as a float; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > FAR:
        return np.nan
    return float(value)


def _number(entry: dict[str, object], key: str, row: int) -> float:
    """The value as a float; NaN where the entry lacks the key."""
    value = entry.get(key, np.nan)
    if isinstance(value, bool) and key == CHANNEL_NAMES["enabled"]:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        accepted = "true or false" if key == CHANNEL_NAMES["enabled"] else "a number"
        raise PliantError(
            "has the wrong type",
            field=f"entries[{row}].{key}",
            found="null" if value is None else value,
            accepted=accepted,
        )
    if key == CHANNEL_NAMES["enabled"] and value not in (0, 1) and value == value:  # not NaN
        raise PliantError(
            "is neither on nor off",
            field=f"entries[{row}].{key}",
            found=value,
            accepted="true or false",
        )
    try:
        return float(value)
    except OverflowError:
        return np.inf
