"""One module to be lowered, split into its functions, named tuples, constants and imports."""

import ast
import importlib.util
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pliant.catalogue import PACKAGE, Physics
from pliant.lower.types import ANY, FLOAT, Struct, Type, struct
from pliant.ports import OPTIONAL
from pliant.subset import law_file, read
from pliant.subset.text import syntax_tree


@dataclass(eq=False)
class Source:
    """A module, and the laws bound to its ports."""

    prefix: str
    path: Path
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict[str, ast.FunctionDef])
    structures: dict[str, Struct] = field(default_factory=dict[str, Struct])
    constants: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    imports: dict[str, tuple[str, str | None]] = field(
        default_factory=dict[str, "tuple[str, str | None]"]
    )
    """Local name to (module, name in it), or (module, None) for `import module as name`."""
    bindings: dict[str, "Source"] = field(default_factory=dict[str, "Source"])
    values: set[str] = field(default_factory=set[str])
    """Names assigned together, `A, B = range(2)`; their values are taken from the module."""

    def offers(self, name: str) -> bool:
        """Whether the module defines a name: a function, a named tuple, a constant."""
        return (
            name in self.functions
            or name in self.structures
            or name in self.constants
            or name in self.values
        )


def read_source(path: Path, prefix: str) -> Source:
    """Split the module at `path`."""
    source = Source(prefix, path)
    for node in read(path).tree.body:
        if isinstance(node, ast.FunctionDef):
            source.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            source.structures[node.name] = struct(
                f"{prefix}__{node.name}",
                tuple(
                    (part.target.id, _field_type(part.annotation))
                    for part in node.body
                    if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
                ),
            )
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            source.constants[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            source.constants[node.target.id] = node.value
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.value, ast.Tuple)
        ):
            pairs = zip(node.targets[0].elts, node.value.elts, strict=True)
            source.constants |= {x.id: value for x, value in pairs if isinstance(x, ast.Name)}
        elif isinstance(node, ast.Assign):
            targets = [x for target in node.targets for x in ast.walk(target)]
            source.values |= {x.id for x in targets if isinstance(x, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                source.imports[alias.asname or alias.name] = (node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                source.imports[alias.asname or alias.name] = (alias.name, None)
    return source


def _field_type(annotation: ast.expr) -> Type:
    """`float` or `Annotated[float, …]`."""
    if isinstance(annotation, ast.Subscript):
        inside = annotation.slice
        annotation = inside.elts[0] if isinstance(inside, ast.Tuple) else inside
    return FLOAT if isinstance(annotation, ast.Name) and annotation.id == FLOAT.name else ANY


def module_name(path: Path) -> str:
    """The module of a file in the package."""
    return ".".join(("pliant", *path.relative_to(PACKAGE).with_suffix("").parts))


def source_of(physics: Physics) -> Source:
    """The source of a law, with the functions that it left out, or of a topology with unbound ports."""
    return completed(read_source(physics.path, prefix(physics.kind, physics.path)), physics.kind)


def completed(source: Source, kind: str) -> Source:
    """`source` with defaults for the functions that its family lets it leave out."""
    for name, text in OPTIONAL.get(kind, {}).items():
        [absent] = syntax_tree(text).body
        assert isinstance(absent, ast.FunctionDef)
        source.functions.setdefault(name, absent)
    return source


def prefix(kind: str, path: Path) -> str:
    """Prefix of a law's or topology's names in a generated module.

    A file from outside the package is marked by its content: it may have the name of one of ours, which
    also need not be an identifier.
    """
    stem = f"{kind}_{path.stem}"
    if path.is_relative_to(PACKAGE):
        return stem
    mark = read(path).digest[:16]
    return f"{re.sub(r'[^0-9A-Za-z_]', '_', stem)}_{mark}"


@cache
def module_path(dotted: str) -> Path | None:
    """The file of an importable module, without running it; None for what is not a Python file."""
    if dotted.startswith("pliant.laws."):
        return law_file(dotted)
    try:
        spec = importlib.util.find_spec(dotted)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)
