"""Faults of a robot's recording over its samples: the checks of one joint's log, joint by joint.

1. the part in time that is wanted
2. times, once for all joints
3. lost values and gaps: the longest stretch without them, if that is asked for
4. each joint's positions, goals and speeds
5. whether its commands are any (`commands_told`)
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.io.commands_told import no_commands, unfollowed
from pliant.io.faults import check_clock, check_gaps, check_range, check_rows, check_time, examine
from pliant.io.faults_position import check_held, check_jumps, check_turns
from pliant.io.faults_signal import check_dropouts
from pliant.io.findings import Check, Cut, Finding
from pliant.io.lost_values import STRETCH, check_nan, clustered, longest_stretch, within
from pliant.io.robot_log import RobotLog
from pliant.io.table import UNITS, Header, Table

_OF_TIME: Sequence[Check] = (check_rows, check_time, check_rows, check_clock, check_gaps)
_OF_JOINT: Sequence[Check] = (
    check_nan,
    check_range,
    check_turns,
    check_dropouts,
    check_jumps,
    check_held,
)


def table_of(
    log: RobotLog, channels: dict[str, Floats], joint: str | None = None, speed: str = "velocity"
) -> Table:
    """Channels of a recording as the checks take them, called as the file calls them."""
    named = {name: name if joint is None else f"{name}_{joint}" for name in UNITS}
    named |= {"time": "time"} | ({} if joint is None else {"velocity": f"{speed}_{joint}"})
    rows = np.arange(len(log.time)) if log.rows is None else log.rows
    return Table(channels, named, rows, log.where, np.zeros(len(rows), bool))


def checked_samples(log: RobotLog, repair: Collection[str], cut: Cut | None) -> RobotLog:
    """The recording with the repairs asked for, and all that was found in it; errors among it block its use."""
    started = log.time[np.isfinite(log.time)]
    log = replace(log, time=log.time - (started[0] if len(started) else 0.0))
    untold = no_commands(log)  # before repairs, which mend one of two equal columns
    log, said = cut_to(log, cut)
    said += untold
    place = np.arange(len(log.time), dtype=np.float64)
    table, found = examine(
        table_of(log, {"time": log.time, "voltage": place}), Header(), repair, _OF_TIME
    )
    log = log.keep(table.channels["voltage"].astype(np.intp))
    said += found
    if not any(finding.blocks for finding in found):
        if STRETCH in repair:
            log, cut_away = _sound(log, repair)
            said += cut_away
        for k, joint in enumerate(log.joints):
            is_told = f"goal_{joint}" not in {finding.field for finding in untold}
            log, found = _joint(log, k, joint, repair, is_told=is_told)
            said += found
        fields = {finding.field for finding in untold}
        if not any(finding.blocks for finding in said):
            said += [one for one in no_commands(log) if one.field not in fields]
            said += unfollowed(replace(log, findings=tuple(said)))
        start = float(log.time[0]) if len(log.time) else 0.0
        log = replace(log, time=log.time - start)
    return replace(log, findings=(*log.findings, *said))


def cut_to(log: RobotLog, cut: Cut | None) -> tuple[RobotLog, list[Finding]]:
    """The part of a recording that is wanted, by its time since its start.

    Raises:
        PliantError: nothing is left.
    """
    if cut is None:
        return log, []
    kept, text = within(log.time, cut)
    finding = Finding("cut", "time", text, "note")
    return log.keep(kept), [finding]


def _sound(log: RobotLog, repair: Collection[str]) -> tuple[RobotLog, list[Finding]]:
    """The longest stretch in which all joints have all values, but single ones that are interpolated."""
    rows = _sound_rows(log, repair)
    if len(rows) == len(log.time) or not len(rows):
        return log, []
    text = (
        f"{len(rows)} of {len(log.time)} samples are kept, {log.time[rows[0]] - log.time[0]:.4g} to "
        f"{log.time[rows[-1]] - log.time[0]:.4g} s: the longest stretch without lost values and gaps"
    )
    return log.keep(rows), [Finding("cut", "time", text, "note", repair=STRETCH)]


def _sound_rows(log: RobotLog, repair: Collection[str]) -> NDArray[np.intp]:
    channels = {"time": log.time, "row": np.arange(len(log.time), dtype=np.float64)}
    for name, values in (("position", log.position), ("goal", log.goal)):
        for k in range(len(log.joints)):
            bad = ~np.isfinite(values[:, k])
            if not bad.all():
                lost = clustered(bad) if "nan" in repair else bad
                channels[f"{name}{k}"] = np.where(lost, np.nan, 0.0)
    rows = longest_stretch(table_of(log, channels)).channels["row"].astype(np.intp)
    if len(rows) in (0, len(log.time)):
        return rows
    # A single lost value that is first or last now has nothing before or after it to interpolate from.
    return rows[_sound_rows(log.keep(rows), repair)]


def _joint(
    log: RobotLog, k: int, joint: str, repair: Collection[str], *, is_told: bool
) -> tuple[RobotLog, tuple[Finding, ...]]:
    """One joint's samples; goals that are no commands explain nothing."""
    parts = {"position": log.position[:, k], "goal": log.goal[:, k], "velocity": log.speed[:, k]}
    if not is_told:
        del parts["goal"]
    channels = {name: x for name, x in parts.items() if name == "position" or not np.isnan(x).all()}
    before = table_of(log, {"time": log.time, **channels}, joint, "speed")
    table, found = examine(before, Header(), repair, _OF_JOINT)
    if table is before:
        return log, found
    position, goal, speed = (x.copy() for x in (log.position, log.goal, log.speed))
    for name, values in (("position", position), ("goal", goal), ("velocity", speed)):
        if name in channels and len(table) == len(values):
            values[:, k] = table.channels[name]
    return replace(log, position=position, goal=goal, speed=speed), found
