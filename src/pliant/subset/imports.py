"""Imports allowed in a law or topology: names from a list, and from laws that are there."""

import ast
import re
from pathlib import Path

from pliant.errors import PliantError, check_known, located
from pliant.ports import FAMILIES, PARTS

PACKAGE = Path(__file__).parents[1]
"""Pliant's own laws and topologies are below it."""
MATH = frozenset(
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh e erf exp expm1 fabs floor "
    "hypot inf log log10 log1p pi pow sin sinh sqrt tan tanh tau trunc".split()
)
"""Names that a law may import from `math`: those that every target has."""
TYPING = frozenset({"Annotated", "NamedTuple"})
PORTS = frozenset({"Parameters", "State", *(p.__name__ for p in [*FAMILIES.values(), *PARTS])})
_MODULES = ("math", "typing", "pliant.laws", "pliant.ports")
_LAW = re.compile(r"pliant\.laws\.([a-z_]+)(?:\.([A-Za-z0-9_]+))?")


def check_import(node: ast.Import | ast.ImportFrom) -> None:
    """Refuse an import of anything that is not on the list.

    Raises:
        PliantError: with the line, and what could be imported.
    """
    with located(field=f"line {node.lineno}"):
        _check(node)


def _check(node: ast.Import | ast.ImportFrom) -> None:
    module = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
    law = _LAW.fullmatch(module)
    allowed = module in ("math", "typing", "pliant.ports") or law is not None
    if not allowed or (isinstance(node, ast.ImportFrom) and node.level):
        raise PliantError(
            "a law imports only math, typing and other laws",
            found=module or "a relative import",
            accepted=", ".join(_MODULES),
        )
    if isinstance(node, ast.Import):
        raise PliantError(
            "a law imports names, not modules",
            found=ast.unparse(node),
            accepted="from math import exp; from pliant.laws.friction_budget import m1",
        )
    for alias in node.names:
        _check_name(module, alias)


def _check_name(module: str, alias: ast.alias) -> None:
    if module == "math":
        check_known(alias.name, MATH, "not a function of math that every target has")
        return
    if module in ("typing", "pliant.ports"):
        names = TYPING if module == "typing" else PORTS
        if alias.name not in names or alias.asname is not None:
            raise PliantError(
                f"not what a law takes from {module}",
                found=f"{alias.name} as {alias.asname}" if alias.asname else alias.name,
                accepted=names,
            )
        return
    if law_file(module) is None and law_file(f"{module}.{alias.name}") is None:
        raise PliantError(
            "no such law",
            found=f"{module}.{alias.name}",
            accepted=_laws(module),
        )


def law_file(dotted: str) -> Path | None:
    """The file of Pliant's law `pliant.laws.family.name`; None if there is none of that spelling."""
    match = _LAW.fullmatch(dotted)
    if match is None or match[2] is None:
        return None
    folder = PACKAGE / "laws" / match[1]
    return folder / f"{match[2]}.py" if match[2] in _stems(folder) else None


def _stems(folder: Path) -> set[str]:
    """Stems of the files as they are spelled, also where the disk ignores case."""
    if folder.name not in {child.name for child in folder.parent.iterdir()}:
        return set()
    return {child.stem for child in folder.glob("*.py")} - {"__init__"}


def _laws(module: str) -> list[str]:
    match = _LAW.fullmatch(module)
    stems = _stems(PACKAGE / "laws" / match[1]) if match else set[str]()
    return (
        sorted(f"pliant.laws.{match[1]}.{stem}" for stem in stems)
        if match and stems
        else [f"pliant.laws.{family}" for family in FAMILIES]
    )
