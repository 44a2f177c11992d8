"""The energy that an actuator spends on the logs it is judged by, on the terminal."""

from typing import TYPE_CHECKING

from pliant.cli.terminal import columns

if TYPE_CHECKING:
    from pliant.robots.log_energy import Energies


def energy_table(found: "Energies") -> str:
    """All logs together, what is known of them; "" where nothing is."""
    from pliant.robots.log_energy import energy_sums

    sums = energy_sums(found)
    if not sums:
        return ""
    head = f"energy of {len(found)} logs [J]" if len(found) > 1 else "energy [J]"
    row = ["simulated", *sums.values()]
    return columns([head, *sums], [row], numbers=tuple(range(1, len(row))))
