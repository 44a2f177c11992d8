"""Check that recordings fit the model: joints by name, positions within their ranges; otherwise hint at what would.

Recordings and models list an arm's joints from base to tip, and numbers in names count that way. An order is
proposed only if motion and ranges allow it and no other choice of joints in that order; if the order does not
fit, the only exchange that does is proposed. Motion within the ranges is no proof: the user has to confirm.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.engines.mujoco.model_file import load_measured
from pliant.errors import PliantError, located
from pliant.identification.problem.doubt import Doubt
from pliant.io.faults_position import jumps
from pliant.io.formats.names import check_names, proposal
from pliant.io.robot_findings import resolution
from pliant.io.robot_log import RobotLog

SLACK = 0.3
"""[rad, m] Distance that a joint may be beyond its range: calibrations and limits are that rough."""
QUARTERS = (1, -1, 2, -2)
"""Fractions of a turn by which zeros are commonly off, in quarters."""
PERCENT = 101.0
"""Largest number that is a percentage, but for rounding."""
MOST_WAYS = 3
"""Proposals in one message."""
FEWEST_BITS, MOST_BITS = 8.0, 20.0
"""Bits of an encoder, at least and at most."""
SAME_BITS = 0.01
"""Largest distance from a whole number of bits."""

BEYOND = 0.05
"""[rad, m] Distance beyond its range from which a joint's zero is doubted; 20 recordings of an SO-101 stay below."""

Ends = Mapping[str, tuple[float, float]]
"""Joint to the ends of its range [rad, m]."""


def check_fits(model: mujoco.MjModel, logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
    """Refuse recordings whose positions the model's joints cannot have, and say what would fit."""
    ends = {joint: ends_of(model, joint) for joint in joints}
    for log in logs:
        lines = {joint: log.position[:, log.column(joint)] for joint in ends}
        beyond = [joint for joint, line in lines.items() if not within(line, *ends[joint])]
        if not beyond:
            continue
        joint = beyond[0]
        line, (low, high) = lines[joint], ends[joint]
        hint = _hint(log, beyond, lines, ends)
        raise PliantError(
            "is not within what the model allows the joint",
            file=log.path or log.name,
            field=f"position_{joint}",
            found=f"{line.min():.4g} to {line.max():.4g}",
            accepted=f"{low:.4g} to {high:.4g} rad{hint}",
        )


def _hint(log: RobotLog, beyond: Sequence[str], lines: Mapping[str, Floats], ends: Ends) -> str:
    """Other interpretations of the numbers, if their samples are sound; bad samples would stay bad in any."""
    joint = beyond[0]
    faults = {
        one.kind
        for one in log.findings
        if one.field in {f"position_{name}" for name in beyond} and not one.repaired
    }
    if "wrap" in faults:
        return "; turns or signs were not counted: --repair wrap"
    if unsound := faults & {"jump", "dropout", "held"}:
        units = [] if log.in_unit & set(lines) else list(_units(lines, ends, beyond))
        degrees = [way for way in units if way.startswith("degrees")]
        if degrees and unsound == {"jump"} and _sound_in_degrees(log, beyond):
            return f"; they fit as {degrees[0]}"
        return "; its samples are not sound, see `pliant check`"
    line, (low, high) = lines[joint], ends[joint]
    ways = [name for name, one in _readings(line) if within(one, low, high)]
    ways = ways or list(_zeros(line, low, high))
    units = [] if log.in_unit & set(lines) else list(_units(lines, ends, beyond))
    large = max(np.abs(line).max() for line in lines.values()) > 2.0 * np.pi
    ways = [*units, *ways] if large else [*ways, *units]
    many = ", and the data do not tell which" if len(ways) > 1 else ""
    return f"; they fit as {' or as '.join(ways[:MOST_WAYS])}{many}" if ways else ""


def _sound_in_degrees(log: RobotLog, joints: Sequence[str]) -> bool:
    """Whether no joint jumps if its numbers are degrees: taken for radians, a fast motion jumps."""
    columns = [log.column(joint) for joint in joints]
    lines = [(np.radians(log.position[:, k]), np.radians(log.goal[:, k])) for k in columns]
    return not any(len(jumps(log.time, line, goal).rows) for line, goal in lines)


def doubtful_zeros(
    model: mujoco.MjModel, logs: Sequence[RobotLog], joints: Sequence[str]
) -> Iterator[Doubt]:
    """Joints that exceed their range by less than is refused, and the smallest shift that corrects it."""
    for joint in joints:
        low, high = ends_of(model, joint)
        lines = [log.position[:, log.column(joint)] for log in logs]
        least, most = min(x.min() for x in lines), max(x.max() for x in lines)
        below, above = float(low - least), float(most - high)
        if max(below, above) < BEYOND:
            continue
        shift = below if below > above else -above
        yield Doubt(
            "zero",
            (joint,),
            f"{joint} goes {abs(shift):.2g} beyond its range in the model: its zero is off by "
            f"at least that (add {shift:+.2g} to its positions and goals), or the model's limit is",
        )


def ends_of(model: mujoco.MjModel, joint: str) -> tuple[float, float]:
    """The ends of a joint's range [rad, m]; infinite where it has none."""
    low, high = (float(x) for x in model.joint(joint).range)
    return (low, high) if low < high else (-np.inf, np.inf)


def within(line: Floats, low: float, high: float) -> bool:
    """Whether positions are within a range, given how roughly ranges are known."""
    return bool(line.min() >= low - SLACK and line.max() <= high + SLACK)


def _units(lines: Mapping[str, Floats], ends: Ends, beyond: Sequence[str]) -> Iterator[str]:
    """Units with which all joints of a recording fit, and the option that says so.

    One joint's numbers may fit its range in any unit, so all joints are tested together. The joints beyond
    their ranges are also tested alone, unless the others are clearly in degrees too.
    """
    rest = [line for joint, line in lines.items() if joint not in beyond]
    few = {joint: lines[joint] for joint in beyond}
    asked = [lines] if not _counts(rest, 2.0 * np.pi) else []
    asked += [few] if rest and not _counts(rest, 360.0) else []
    certain = _counts([*few.values()], 360.0)
    for some in asked:
        degrees = all(within(np.radians(line), *ends[joint]) for joint, line in some.items())
        if degrees:
            yield f"degrees: --unit {_option(some, lines, 'deg')}"
        small = all(np.abs(line).max() <= PERCENT for line in some.values())
        if small and not (degrees and certain):
            yield f"percent of the range: --unit {_option(some, lines, 'percent')}"


def _option(some: Mapping[str, Floats], lines: Mapping[str, Floats], unit: str) -> str:
    return unit if some is lines else ",".join(f"{joint}={unit}" for joint in some)


def _counts(lines: Sequence[Floats], turn: float) -> bool:
    """Whether most observed steps are a turn divided by a power of two, as for an encoder."""
    steps = [step for step in map(resolution, lines) if step is not None and step > 0.0]
    bits = np.log2(turn / np.array(steps))
    near = np.abs(bits - np.round(bits)) < SAME_BITS
    known = near & (bits >= FEWEST_BITS) & (bits <= MOST_BITS)
    return bool(2 * np.count_nonzero(known) > len(steps))


def _zeros(line: Floats, low: float, high: float) -> Iterator[str]:
    """Zeros with which a joint's numbers are within its range, unless they span more than it."""
    least, most = low - float(line.min()), high - float(line.max())
    if least <= most:
        yield f"a zero that is {least:+.2g} to {most:+.2g} rad off (the range determines no more)"


def _readings(line: Floats) -> Iterator[tuple[str, Floats]]:
    """Interpretations of one joint's numbers, the likeliest first."""
    yield "the other sign", -line
    for turns in (1, -1):
        text = f"a zero that is {turns:+d} turn off, counted by its encoder"
        yield text, line + 2.0 * np.pi * turns
    for quarter in QUARTERS:
        yield f"a zero that is {90 * quarter:+d} degrees off", line + 0.5 * np.pi * quarter


MOST = 10_000
"""Largest number of choices examined; with more, none is proposed."""

Range = tuple[float, float]


def check_joints(path: Path, logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
    """Refuse joints that a model lacks, and propose which of its joints they are.

    Args:
        path: of the model. logs: recordings. joints: with actuators, or led; those that are not recorded
            are refused where they are attached.
    """
    known = {joint.name for joint in load_measured(path)[0].joints}
    joints = [joint for joint in joints if all(joint in log.joints for log in logs)]
    missing = [joint for joint in joints if joint not in known]
    if not missing:
        return
    ends = _known_ends(plain_model(path, []))
    free = {name: one for name, one in ends.items() if name not in joints}
    arms = several_arms(joints, list(ends))
    if arms:
        raise PliantError(
            f"the recording has {len(arms)} robots ({', '.join(f'{arm}*' for arm in arms)}), the model "
            f"one: choose with --rename '{arms[0]}*=*' --reading leave_out="
            + ",".join(f"'{arm}*'" for arm in arms[1:]),
            file=path,
            field="joint",
            found=missing[0],
            accepted=list(ends),
        )
    alike = proposal(missing, list(free))
    if set(alike) == set(missing):
        with located(path):
            check_names(joints, list(ends))
    lines = {
        joint: np.concatenate([log.position[:, log.column(joint)] for log in logs])
        for joint in _ordered([joint for joint in missing if joint not in alike])
    }
    left = {name: one for name, one in free.items() if name not in alike.values()}
    meant = alike | by_order(lines, left)
    if set(meant) != set(missing):
        raise PliantError(
            "no such joint in the model, and neither names nor order and ranges identify it",
            file=path,
            field="joint",
            found=missing[0],
            accepted=list(ends),
        )
    pairs = ",".join(f"{theirs}={meant[theirs]}" for theirs in missing)
    raise PliantError(
        "joints of the recording are not in the model; by their order, with their motion within the "
        f"model's ranges, they may be these: --rename {pairs}",
        file=path,
        field="joint",
        found=missing[0],
        accepted=list(ends),
    )


def several_arms(recorded: Sequence[str], known: Sequence[str]) -> list[str]:
    """Beginnings of names, such as left_ and right_, after each of which the names are a model's.

    Empty if there are not several, or if some joint has no such name.
    """
    found: list[str] = []
    for joint in recorded:
        ends = [name for name in known if joint.endswith(name)]
        arm = joint.removesuffix(max(ends, key=len, default=joint))
        if not ends or not arm:
            return []
        found.append(arm)
    arms = list(dict.fromkeys(found))
    return arms if len(arms) > 1 and all(found.count(arm) > 1 for arm in arms) else []


def by_order(lines: Mapping[str, Floats], free: Mapping[str, Range]) -> dict[str, str]:
    """Recorded joint to the model's, the only choice that ranges allow; empty where they allow more.

    Args:
        lines: joint to its recorded positions, in order. free: joint of the model to its range.
    """
    fits = {
        (joint, name): within(line, *ends)
        for joint, line in lines.items()
        for name, ends in free.items()
    }
    ways = list(islice(combinations(free, len(lines)), MOST + 1))
    found = [way for way in ways if all(fits[pair] for pair in zip(lines, way, strict=True))]
    if not found and len(free) == len(lines):
        ways = list(islice(permutations(free), MOST + 1))
        found = [way for way in ways if all(fits[pair] for pair in zip(lines, way, strict=True))]
    if len(found) != 1 or len(ways) > MOST:
        return {}
    return dict(zip(lines, found[0], strict=True))


def _ordered(names: Sequence[str]) -> list[str]:
    """Names by the numbers that they end in; as recorded, where not all of them do."""
    numbers = [re.search(r"(\d+)\D*$", name) for name in names]
    if not all(numbers):
        return list(names)
    return sorted(names, key=lambda name: int(re.findall(r"\d+", name)[-1]))


def _known_ends(model: mujoco.MjModel) -> dict[str, Range]:
    """Hinges and slides of a model, from its base on, to their ranges [rad, m]."""
    kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    joints = [model.joint(k) for k in range(model.njnt) if int(model.jnt_type[k]) in kinds]
    return {joint.name: ends_of(model, joint.name) for joint in joints if joint.name}
