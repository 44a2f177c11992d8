"""Surroundings of recordings that were computed before: the same recording is laid out many times.

A fit of days asks for the same motions with many supplies, joint by joint, and MuJoCo needs a second for
what depends on the motion alone.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from pliant.engines.mujoco.batch.surroundings import Surroundings
from pliant.io.robot_log import RobotLog

MOST = 128
"""Recordings that are kept, the last asked for: 20 motions of six joints, each alone."""


class Along:
    """Recordings to their surroundings, by the arrays of the motion; another process begins anew."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[RobotLog, Surroundings]] = OrderedDict()

    def __reduce__(self) -> tuple[type["Along"], tuple[()]]:
        return Along, ()

    def of(
        self, log: RobotLog, settings: Hashable, made: Callable[[RobotLog], Surroundings]
    ) -> Surroundings:
        """Surroundings along `log`, from `made` where they are not known.

        Args:
            settings: all else that decides what they are.
        """
        # The log that is kept holds its arrays, so that no other has their identity.
        key = (id(log.time), id(log.position), log.joints, settings)
        if key not in self._known:
            self._known[key] = log, made(log)
        self._known.move_to_end(key)
        found = self._known[key][1]
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found
