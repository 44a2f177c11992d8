"""Removal of other actuators from joints of a model that names Pliant's itself; keyframes are kept."""

import mujoco
import numpy as np

from pliant.engines.spec.formers import Former, delete, former_of, formers_on
from pliant.engines.spec.keyframes import Block, Snapshot, restore
from pliant.engines.spec.names import PRESET
from pliant.engines.spec.placing import taken
from pliant.errors import PliantError


def cleared(
    spec: mujoco.MjSpec, ours: list[mujoco.MjsActuator], *, replace: bool
) -> dict[str, tuple[Former, ...]]:
    """Delete what else acts on the joints of `ours`; joint to what it was.

    Raises:
        PliantError: there is such an actuator, and it is not to be replaced.
    """
    numbers = {entry.id for entry in ours}
    # Those of a model saved long ago are not marked as second commands.
    seconds = {f"{entry.name}{PRESET}" for entry in ours}
    found = [
        (entry, other)
        for entry in ours
        for other in formers_on(spec, entry.target)
        if other.id not in numbers and other.name not in seconds
    ]
    if found and not replace:
        raise taken(found[0][0].target, found[0][1])
    records = [(e.target, former_of(spec, other, deleted=True)) for e, other in found]
    for entry, other in found:
        delete(spec, other, entry)
    return {
        entry.target: tuple(former for joint, former in records if joint == entry.target)
        for entry in ours
    }


def keyframes_of(spec: mujoco.MjSpec, ours: list[mujoco.MjsActuator]) -> Snapshot | None:
    """Contents of the keyframes; None where they are written for the completed model already."""
    try:
        return Snapshot.of(spec, [entry.id for entry in ours if not len(entry.userdata)])
    except PliantError:
        return None


def write_keyframes(
    spec: mujoco.MjSpec,
    before: Snapshot | None,
    completed: list[mujoco.MjsActuator],
    formers: dict[str, tuple[Former, ...]],
) -> None:
    """Write the keyframes of a completed spec; state is at rest."""
    if before is None:
        return
    widths = {entry.id: entry.actdim for entry in completed}
    gone = {former.place for those in formers.values() for former in those}
    kept = [k for k in range(len(before.blocks[0])) if k not in gone]

    def new(entry: mujoco.MjsActuator, pose: dict[str, float], old: Block | None) -> Block | None:
        if old is None or entry.id not in widths:
            return old
        return Block(old.commands, np.zeros(widths[entry.id]))

    restore(spec, before, [*kept, *[None] * (len(spec.actuators) - len(kept))], new)
