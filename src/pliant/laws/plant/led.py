"""One joint of a robot, while the other joints follow their recordings.

    angle = q + q_0,  command = goal + g_0
                                         Source: rigid-body dynamics of one joint, others prescribed

The engine supplies inertia and load, which change along the recording. q_0 is the mounting error of
the encoder; g_0 is the offset between the zeros of recorded commands and positions.

Left out: how the other joints would move instead.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    position_offset: Annotated[float, "rad", (-3.2, 3.2)]  # true angle where 0 is reported
    command_offset: Annotated[float, "rad", (-3.2, 3.2)]  # added to a recorded command


def inertia(p: P) -> float:
    return 0.0


def load(q: float, p: P) -> float:
    return 0.0


def angle(q: float, p: P) -> float:
    return q + p.position_offset


def told(goal: float, p: P) -> float:
    return goal + p.command_offset
