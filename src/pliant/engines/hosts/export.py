"""An actuator written for a host that Pliant does not run in."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import c_header
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.output import prepare_place, write_whole

TARGETS: Mapping[str, Callable[[Actuator, str | None], str]] = {"c": c_header}
"""Target to what writes its text."""


def export(
    actuator: str | Path | Actuator,
    to: str,
    path: str | Path,
    *,
    name: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write an actuator as source text for another host.

    Args:
        actuator: name in the catalogue, a TOML file, or an `Actuator`.
        to: "c": one header of C99 and C++, without allocation, float or double.
        path: the file. name: what all names in it begin with; None: the actuator's. overwrite: replace one that exists.

    Returns:
        `path`.

    Raises:
        PliantError: no such target or actuator, one that the target cannot express, or a file that
            exists.
    """
    if to not in TARGETS:
        raise PliantError("no such target", field="to", found=to, accepted=TARGETS)
    place = Path(path)
    prepare_place(place, overwrite=overwrite)
    write_whole(place, TARGETS[to](load_actuator(actuator), name))
    return place
