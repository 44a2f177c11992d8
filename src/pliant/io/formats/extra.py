"""Optional packages that some formats need."""

from importlib import import_module
from typing import Any

from pliant.errors import PliantError


def extra_module(name: str, extra: str) -> Any:
    """An optional module, imported.

    Args:
        name: of the module. extra: of Pliant, which brings it.

    Raises:
        PliantError: it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = (error.name or name).partition(".")[0]
        raise PliantError(
            f"the package {package} is not installed", accepted=f"pip install 'pliant[{extra}]'"
        ) from None
