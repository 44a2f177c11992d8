"""Names of recorded joints against those of a model."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from pliant.errors import PliantError

LIKELY = 0.5
"""Likeness (1: equal) from which two names are proposed to be one joint's."""
MOST = 300
"""Joints that are compared: the effort is the square of it."""


def check_names(recorded: Sequence[str], known: Sequence[str]) -> None:
    """Refuse joints that a model lacks, and propose which of its joints they are.

    Args:
        recorded: names in the recording. known: names in the model.
    """
    missing = [name for name in recorded if name not in known]
    if not missing:
        return
    free = [name for name in known if name not in recorded]
    meant = proposal(missing, free)
    if set(meant) != set(missing):
        raise PliantError(
            "no such joint in the model", field="joint", found=missing[0], accepted=known
        )
    pairs = ",".join(f"{theirs}={ours}" for theirs, ours in meant.items())
    raise PliantError(
        f"joints of the recording are not in the model; if these are the same, add --rename {pairs}",
        field="joint",
        found=missing[0],
        accepted=known,
    )


def proposal(recorded: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Recorded joint to the joint of the model that it is most likely, each used once."""
    if not recorded or not known or max(len(recorded), len(known)) > MOST:
        return {}
    alike = [(_likeness(a, b), k, a, b) for k, a in enumerate(recorded) for b in known]
    pairs: dict[str, str] = {}
    for likeness, _, theirs, ours in sorted(alike, key=lambda one: (-one[0], one[1])):
        if likeness >= LIKELY and theirs not in pairs and ours not in pairs.values():
            pairs[theirs] = ours
    return {name: pairs[name] for name in recorded if name in pairs}


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; "main_shoulder_pan" and "ShoulderPan_joint" are 1."""
    a, b = (_plain(name) for name in (one[:200], other[:200]))
    if a == b:
        return 1.0
    if re.findall(r"\d+", a) != re.findall(r"\d+", b) and re.sub(r"\d+", "", a) == re.sub(
        r"\d+", "", b
    ):
        return 0.0  # joint_1 is not joint_2
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _plain(name: str) -> str:
    """Lower case, without namespaces and words that say only that it is a joint."""
    last = re.split(r"[/.]", name.removesuffix(".pos"))[-1]
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    words = re.findall(r"[^\W\d_]+|\d+", spaced)
    kept = [word for word in words if word not in ("joint", "main", "motor", "actuator")]
    return "_".join(kept) or last.lower()
