"""Commands act a constant time after they were given (bus, firmware cycle).

    the command at work at t was given at t - delay         servos_and_friction: Limitations

The engine keeps the history of the commands.

Left out: jitter, the sampling of the firmware's own loop.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    delay: Annotated[float, "s", (0.0, 0.1)]  # from command to effect


REDUCES_TO = {"immediate": {"delay": 0.0}}


def issued(t: float, p: P) -> float:
    return t - p.delay
