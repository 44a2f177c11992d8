"""Imports allowed in a law or topology: listed names, and names from existing laws."""

import ast
import re
from pathlib import Path

from pliant.errors import PliantError, check_known, located
from pliant.ports import FAMILIES, PARTS

PACKAGE = Path(__file__).parents[1]
"""Folder of Pliant's own laws and topologies."""
MATH = frozenset(
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh e erf exp expm1 fabs floor "
    "hypot inf log log10 log1p pi pow sin sinh sqrt tan tanh tau trunc".split()
)
"""Names that a law may import from `math`: those available in every target."""
TYPING = frozenset({"Annotated", "NamedTuple"})
PORTS = frozenset({"Parameters", "State", *(p.__name__ for p in [*FAMILIES.values(), *PARTS])})
_MODULES = ("math", "typing", "pliant.laws", "pliant.ports")
_LAW = re.compile(r"pliant\.laws\.([a-z_]+)(?:\.([A-Za-z0-9_]+))?")


def check_import(node: ast.Import | ast.ImportFrom) -> None:
    """Refuse an import of anything that is not listed.

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
        check_known(alias.name, MATH, "not a function of math available in every target")
        return
    if module in ("typing", "pliant.ports"):
        names = TYPING if module == "typing" else PORTS
        if alias.name not in names or alias.asname is not None:
            raise PliantError(
                f"not a name that a law can import from {module}",
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
    """The file of Pliant's law `pliant.laws.family.name`; None if no name matches exactly."""
    match = _LAW.fullmatch(dotted)
    if match is None or match[2] is None:
        return None
    folder = PACKAGE / "laws" / match[1]
    return folder / f"{match[2]}.py" if match[2] in _stems(folder) else None


def _stems(folder: Path) -> set[str]:
    """Stems of the files in their exact spelling, even if the file system ignores case."""
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
