"""Springs too stiff for the timestep that stand one behind the other.

Such a joint moves in the actuator's own sub-steps, with the other joints' forces as of the step
before. One is stable at any stiffness; several in a chain are so while they move slowly.
"""

from collections.abc import Iterator, Sequence

import mujoco

from pliant.engines.spec.attachment import Attached

SHOWN = 4
"""Joints that a note names."""


def stiff_chain(spec: mujoco.MjSpec, done: Sequence[Attached]) -> Iterator[str]:
    """A note, if joints that move in sub-steps carry each other."""
    stiff = {entry.joint: entry for entry in done if entry.steps.mobility > 0.0}
    if len(stiff) < 2:
        return
    chained = [joint for joint in stiff if _carried(spec, joint) & (stiff.keys() - {joint})]
    if not chained:
        return
    first = [joint for joint in stiff if any(joint in _carried(spec, other) for other in chained)]
    names = list(dict.fromkeys([*first, *chained]))
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
    longest = min(stiff[joint].steps.longest for joint in names)
    yield (
        f"the springs of {shown} are too stiff for the timestep of {spec.option.timestep:g} s and "
        f"carry each other: slow motion is right, fast motion may diverge; from {longest:.2g} s on "
        "the step resolves them"
    )


def _carried(spec: mujoco.MjSpec, joint: str) -> set[str]:
    """The joints between this one and the world, its own body's included."""
    body: mujoco.MjsBody | None = spec.joint(joint).parent
    found: set[str] = set()
    while body is not None and body.name != "world":
        found |= {other.name for other in body.joints}
        body = body.parent
    return found - {joint}
