"""Names that are imported on first use: a package's public ones, and how a notebook shows an object."""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any


def on_first_use(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module whose public names its block `if TYPE_CHECKING:` imports.

    Python and type checkers read the same lines, so that they find the same. A name that the package
    has a module for, as `pliant.jax`, is that module.
    """

    @cache
    def homes() -> dict[str, str]:
        loader: Any = sys.modules[package].__loader__
        tree = ast.parse(loader.get_source(package))
        blocks = [
            x for x in tree.body if isinstance(x, ast.If) and "TYPE_CHECKING" in ast.dump(x.test)
        ]
        imports = [x for block in blocks for x in block.body if isinstance(x, ast.ImportFrom)]
        return {alias.name: node.module or "" for node in imports for alias in node.names}

    def found(name: str) -> Any:
        if name == "__version__":
            return version(package)
        home = None if name.startswith("__") else homes().get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(home), name)

    return found


def shown_by(home: str, name: str) -> Callable[[Any], str]:
    """A class's `_repr_html_`: function `name` of the module `home`.

    How things look is known above them; so it is looked for when a notebook asks.
    """

    def html(self: Any) -> str:
        """The object as a notebook shows it."""
        return getattr(import_module(home), name)(self)

    return html
