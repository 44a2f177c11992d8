"""Names that are imported on first use: a package's public ones, and how a notebook shows an object."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` says in which module each public name lives.

    A name whose home is called like it is that module itself, as `pliant.jax`.
    """

    def found(name: str) -> Any:
        if name == "__version__":
            return version(package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        return home if homes[name] == f"{package}.{name}" else getattr(home, name)

    return found


def shown_by(home: str, name: str) -> Callable[[Any], str]:
    """A class's `_repr_html_`: function `name` of the module `home`.

    How things look is known above them; so it is looked for when a notebook asks.
    """

    def html(self: Any) -> str:
        """The object as a notebook shows it."""
        return getattr(import_module(home), name)(self)

    return html
