"""The energy that each joint of a robot spends on the logs it is judged by, for the terminal."""

from pliant.cli.terminal import columns
from pliant.robots.robot_energies import SHOWN, Energies, energy_rows


def robot_energy_table(spent: Energies) -> str:
    """Each joint and the robot over all logs, what is known of them; "" where nothing is."""
    shown, rows = energy_rows(spent)
    if not shown:
        return ""
    head = f"energy of {len(spent)} logs [J]" if len(spent) > 1 else "energy [J]"
    cells = [[joint, *parts] for joint, parts in rows.items()]
    titles = [SHOWN[name] for name in shown]
    return columns([head, *titles], cells, numbers=tuple(range(1, len(shown) + 1)))
