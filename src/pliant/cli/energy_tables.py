"""Tables of energy on the terminal: of a bench's logs, of a robot's recordings, of a simulation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pliant.cli.terminal import columns

if TYPE_CHECKING:
    from pliant.robots.log_energy import Energies as BenchEnergies
    from pliant.robots.robot_energies import Energies

SIMULATED = {
    "drawn": "from the supply",
    "net": "less what went back",
    "heat": "heat in windings",
    "work": "work",
    "spring": "into springs",
    "link": "to the link",
}


def bench_table(found: "BenchEnergies") -> str:
    """All logs together, what is known of them; "" where nothing is."""
    from pliant.robots.log_energy import energy_sums

    sums = energy_sums(found)
    return _table(len(found), [*sums], [["simulated", *sums.values()]]) if sums else ""


def robot_table(spent: "Energies") -> str:
    """Each joint and the robot over all logs, what is known of them; "" where nothing is."""
    from pliant.robots.robot_energies import SHOWN, energy_rows

    shown, rows = energy_rows(spent)
    titles = [SHOWN[name] for name in shown]
    return _table(len(spent), titles, [[j, *parts] for j, parts in rows.items()]) if shown else ""


def simulated_table(energy: Mapping[str, Mapping[str, Any]]) -> str:
    """Each joint over a simulation, all its motors together."""
    rows = [
        [joint, *("-" if parts[name] is None else f"{parts[name]:.3g}" for name in SIMULATED)]
        for joint, parts in energy.items()
    ]
    return _table(1, [*SIMULATED.values()], rows)


def _table(logs: int, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = f"energy of {logs} logs [J]" if logs > 1 else "energy [J]"
    return columns([head, *titles], rows, numbers=tuple(range(1, len(titles) + 1)))
