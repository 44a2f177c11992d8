"""Check that an optional package is installed and new enough."""

import importlib.util
from importlib.metadata import version

from pliant.errors import PliantError


def need(package: str, extra: str, least: tuple[int, int]) -> None:
    """Refuse to go on without a package, or with one that is too old.

    Args:
        package: its name. extra: of Pliant, which brings it. least: its first version that serves.

    Raises:
        PliantError: it is not installed, or older.
    """
    install = f"pip install 'pliant[{extra}]'"
    if importlib.util.find_spec(package) is None:
        raise PliantError(f"the package {package} is not installed", accepted=install)
    found = version(package)
    if tuple(int(part) for part in found.split(".")[:2]) < least:
        raise PliantError(
            f"this {package} is too old",
            found=found,
            accepted=f"{least[0]}.{least[1]} or newer: {install}",
        )
