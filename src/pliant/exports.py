"""Lazy imports: a package's public names, and the HTML of objects in notebooks."""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any


def on_first_use(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module whose `if TYPE_CHECKING:` block imports its public names.

    Python and type checkers read the same lines, so both find the same names. The name of a module in
    the package, such as `pliant.jax`, is that module.
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
    """A class's `_repr_html_`: calls function `name` of the module `home`.

    The room that renders HTML lies above this class's, so it is imported only when a notebook asks.
    """

    def html(self: Any) -> str:
        """The object as a notebook shows it."""
        return getattr(import_module(home), name)(self)

    return html
