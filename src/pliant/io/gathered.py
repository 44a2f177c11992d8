"""Merge equal findings about several joints into one that lists the joints."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog
from pliant.words import ranged, without_figures

FEWEST = 3
"""Number of joints from which they are named together."""
NAMED = 6
"""Joints that are named one by one."""


def gathered(findings: Iterable[Finding], joints: Sequence[str]) -> list[Finding]:
    """The findings, in their order; those that differ only in joint and figures are merged."""
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for one in findings:
        channel, joint = _parted(one.field, joints)
        words = without_figures(one.message) if joint else one.message
        key = one.kind, channel, one.severity, one.repair, one.repaired, words
        if not joint:
            key = (*key, len(groups))
        groups.setdefault(key, []).append((joint, one))
    return [one for group in groups.values() for one in _together(group, joints)]


def _parted(field: str, joints: Sequence[str]) -> tuple[str, str]:
    """`position_elbow` as channel and joint; the joint empty where there is none."""
    joint = max((j for j in joints if field.endswith(f"_{j}")), key=len, default="")
    return (field.removesuffix(f"_{joint}"), joint) if joint else (field, "")


def _together(group: Sequence[tuple[str, Finding]], joints: Sequence[str]) -> list[Finding]:
    found = [one for _, one in group]
    names = [joint for joint, _ in group]
    if len(names) < FEWEST or not all(names):
        return found
    channel, _ = _parted(found[0].field, joints)
    every = len(set(names)) == len(joints)
    rest = [joint for joint in joints if joint not in names]
    who = f"all {len(joints)} joints" if every else ", ".join(names[:NAMED])
    if not every and len(names) > NAMED:
        who = f"{len(names)} of {len(joints)} joints"
        who += f" (not {', '.join(rest)})" if len(rest) <= NAMED else f" ({names[0]}, ...)"
    message = ranged([one.message for one in found])
    return [replace(found[0], field=f"{channel} of {who}", message=message)]


def warnings_in(logs: Iterable[RobotLog]) -> list[str]:
    """All messages about recordings, each once, with the number of recordings it applies to."""
    times: dict[str, int] = {}
    total = 0
    for log in logs:
        total += 1
        told = [
            one
            for one in log.findings
            if one.severity == "warning" or one.repaired or one.kind == "cut"
        ]
        for text in dict.fromkeys(map(str, gathered(told, log.joints))):
            times[text] = times.get(text, 0) + 1
    return [
        text if n == total or total == 1 else f"{text} (in {n} of {total} runs)"
        for text, n in times.items()
    ]
