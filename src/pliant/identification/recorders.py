"""Age, supply and temperature of new recordings, group by group, with the actuators as they are."""

from collections.abc import Sequence

import numpy as np

from pliant.identification.problem.mounting import AUTO, check_kind
from pliant.identification.problem.posterior import Posterior, expected
from pliant.identification.problem.recorded_apart import Apart, apart_of, put_all, with_parts
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.search.least_squares import polish

JACOBIANS = 12


def recorders_beside(
    rig: Rig[LogT], logs: Sequence[LogT], recorder_by: str | None = AUTO
) -> tuple[list[LogT], list[Apart]]:
    """Logs without what differs between their recorders, and what that is; nothing of the actuators moves.

    The group of the most logs counts as it was recorded.

    Args:
        rig: the joint or robot as it is. logs: new to it.
        recorder_by: what logs of one recorder share; "auto": the day.

    Raises:
        PliantError: no such property of recordings.
    """
    check_kind("recorder_by", recorder_by)
    by, none = rig.recorder_kind(logs, recorder_by), np.empty(0)
    parts = rig.recorder_parts()
    space = with_parts(Space((), none, none, none), parts, logs, by) if by else None
    if by is None or space is None or not space.names:
        return list(logs), []
    # Of a single joint at its own step: a coarser one is late itself.
    work = rig if len(rig.actuators) == 1 else rig.one_by_one().coarse()
    goal = Posterior(work.apart(by).residuals(logs, space), expected(space))
    end = polish(goal, space.to_cube(space.start), JACOBIANS)
    found = apart_of(parts, by, logs, space.values(end))
    return put_all(parts, found, logs), found
