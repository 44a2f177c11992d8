"""Gains at which a servo stays where it is."""

from pliant.assemble.actuator import Actuator

PROPORTIONAL, INTEGRAL = ("kp", "k_p"), "k_i"


def still(actuator: Actuator) -> list[str]:
    """Names of the proportional gains that are 0 in a control that takes positions, and has no integral one."""
    found: list[str] = []
    for port, law in actuator.laws.items():
        if law.kind != "control" or getattr(law.module, "GOAL", None) != "rad":
            continue
        gains = {f.name: actuator.value(f"{port}.{f.name}") for f in law.parameters}
        if not gains.get(INTEGRAL):
            found += [f"{port}.{n}" for n in PROPORTIONAL if gains.get(n) == 0.0]
    return found
