"""The energy of each joint over a simulation, for the terminal."""

from typing import Any

from pliant.cli.terminal import columns

SHOWN = {
    "drawn": "from the supply",
    "net": "less what went back",
    "heat": "heat in windings",
    "work": "work",
    "spring": "into springs",
    "link": "to the link",
}


def energy_table(energy: dict[str, Any]) -> str:
    """The energies for the terminal, all motors of a joint together."""
    rows = [
        [joint, *("-" if parts[name] is None else f"{parts[name]:.3g}" for name in SHOWN)]
        for joint, parts in energy.items()
    ]
    return columns(["energy [J]", *SHOWN.values()], rows, numbers=tuple(range(1, len(SHOWN) + 1)))
