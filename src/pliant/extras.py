"""Optional packages: each comes with an extra of Pliant, which the error names if the package is missing."""

import importlib
import importlib.util
from importlib.metadata import version
from typing import Any

from pliant.errors import PliantError


def extra_module(name: str, extra: str) -> Any:
    """Import an optional module. A module that imports with it becomes optional too."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _missing((error.name or name).partition(".")[0], extra) from None


def need(package: str, extra: str, least: tuple[int, int] | None = None) -> None:
    """Raise an error if a package is missing or too old. It is not imported.

    Args:
        package: its name. extra: of Pliant, that installs it. least: first version that works.

    Raises:
        PliantError: it is not installed, or older.
    """
    if importlib.util.find_spec(package) is None:
        raise _missing(package, extra)
    if least is None:
        return
    found = version(package)
    if tuple(int(part) for part in found.split(".")[:2]) < least:
        raise PliantError(
            f"this {package} is too old",
            found=found,
            accepted=f"{least[0]}.{least[1]} or newer: {installed_by(extra)}",
        )


def installed_by(extra: str) -> str:
    """The command that installs an extra, in quotes that every shell accepts."""
    return f'pip install "pliant[{extra}]"'


def _missing(package: str, extra: str) -> PliantError:
    return PliantError(f"the package {package} is not installed", accepted=installed_by(extra))
