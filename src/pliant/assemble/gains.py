"""Gains at which a servo stands still."""

from pliant.assemble.actuator import Actuator

PROPORTIONAL, INTEGRAL = ("kp", "k_p"), "k_i"
FOLLOWED = ("rad", "rad/s")
"""Units of goals that a loop follows: positions, and speeds."""


def still(actuator: Actuator) -> list[str]:
    """Names of the proportional gains that are 0 in a control that follows its goal, and has no integral one."""
    found: list[str] = []
    for port, law in actuator.laws.items():
        if law.kind != "control" or getattr(law.module, "GOAL", None) not in FOLLOWED:
            continue
        gains = {f.name: actuator.value(f"{port}.{f.name}") for f in law.parameters}
        if not gains.get(INTEGRAL):
            found += [f"{port}.{n}" for n in PROPORTIONAL if gains.get(n) == 0.0]
    return found
