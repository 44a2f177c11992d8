"""The subset of Python for laws and topologies, checked before anything runs.

Floats, `if`, assignment, arithmetic, calls to functions of `math` and of other laws, named tuples:
what every target compiles in the same way. An error names the line. Only listed constructs are
allowed, so a file that passes can compute numbers and nothing else.

    text        the file, of bounded size, read once: the checked text is the one compiled
    syntax      global statements, named tuples, functions, and every name in them
    declared    fields, constants and ports, and the names that they define
    statements  the allowed statements and expressions of a function
    imports     the allowed names and modules
    kinds       numbers, truth values, named tuples, and the names that have them
    body        the kind of every expression of a function; no variable is read before it is set
    cost        the steps of a call, and that it terminates
"""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pliant.errors import PliantError, located
from pliant.ports import FAMILIES, PARTS, Own
from pliant.subset.body import check_functions
from pliant.subset.declared import (
    BUILTINS,
    NUMBER,
    TRUTH,
    Kind,
    Named,
    Names,
    Signature,
    annotated,
    check_defined_once,
    global_names,
    literal,
    spelled,
)
from pliant.subset.imports import MATH, PACKAGE, check_import, law_file
from pliant.subset.syntax import check_syntax
from pliant.subset.text import Text, read

__all__ = [
    "BUILTINS",
    "MATH",
    "PACKAGE",
    "CheckedSource",
    "Names",
    "Text",
    "annotated",
    "check_source",
    "law_file",
    "literal",
    "offered",
    "read",
    "spelled",
]


@dataclass(frozen=True, eq=False)
class CheckedSource:
    """A file of the subset: its checked text, and the meaning of its names."""

    source: Text
    names: Names
    ports: dict[str, str]
    """Each port's name to its family, each part's to the stem of its file, in the file's order."""


@cache
def check_source(path: Path) -> CheckedSource:
    """Refuse a law or topology that leaves the subset.

    Raises:
        PliantError: with the file and the line.
    """
    source = read(path)
    with located(path):
        return _checked(source)


def _checked(source: Text) -> CheckedSource:
    tree = source.tree
    check_syntax(tree)
    names = Names()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            check_import(node)
            _add_import(node, names)
        elif isinstance(node, ast.ClassDef):
            names.structures[node.name] = _structure(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            _add_constant(node, names)
    check_defined_once(tree)
    ports = _ports(tree, names)
    _add_wiring(tree, names, ports)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names.functions[node.name] = _signature(node, names)
    check_functions(tree, names)
    return CheckedSource(source, names, ports)


def _structure(node: ast.ClassDef) -> Named:
    fields: dict[str, Kind] = {
        part.target.id: NUMBER
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    return Named(node.name, fields)


def _add_constant(node: ast.Assign | ast.AnnAssign, names: Names) -> None:
    """Add a constant that is a number or truth value; functions cannot read other constants, such as units."""
    [name] = global_names(node)
    assert node.value is not None  # checked by the caller
    if literal(node.value) is not None:
        names.constants[name] = NUMBER
    elif isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
        names.constants[name] = TRUTH


def _add_import(node: ast.Import | ast.ImportFrom, names: Names) -> None:
    assert isinstance(node, ast.ImportFrom) and node.module is not None  # was checked
    for alias in node.names:
        local = alias.asname or alias.name
        if node.module == "math":
            names.math[local] = alias.name
        elif (file := law_file(f"{node.module}.{alias.name}")) is not None:
            names.modules[local] = check_source(file).names
        elif (file := law_file(node.module)) is not None:
            there = check_source(file).names
            if not _add_from_law(alias.name, local, there, names):
                raise PliantError(
                    f"{node.module} has no such name",
                    field=f"line {node.lineno}",
                    found=alias.name,
                    accepted=[*there.functions, *there.structures, *there.constants],
                )


def _add_from_law(name: str, local: str, there: Names, names: Names) -> bool:
    """Add a name imported from a law to `names`; False if the law lacks it."""
    if name in there.functions:
        names.functions[local] = there.functions[name]
        names.imported.add(local)
    elif name in there.structures:
        names.structures[local] = there.structures[name]
    elif name in there.constants:
        names.constants[local] = there.constants[name]
    else:
        return False
    return True


def _ports(tree: ast.Module, names: Names) -> dict[str, str]:
    """The ports and parts that a topology declares: `motor: Motor`."""
    known = {protocol.__name__: family for family, protocol in FAMILIES.items()}
    known |= {part.__name__: file for part, file in PARTS.items()}
    imported = _from_ports(tree)
    found: dict[str, str] = {}
    for node in tree.body:
        if not (isinstance(node, ast.AnnAssign) and node.value is None):
            continue
        kind = node.annotation.id if isinstance(node.annotation, ast.Name) else ""
        if kind not in known or kind not in imported:
            raise PliantError(
                "declares no port",
                field=f"line {node.lineno}",
                found=ast.unparse(node),
                accepted=known,
            )
        [name] = global_names(node)
        if name in _NOT_PORTS:
            raise PliantError(
                "cannot be the name of a port",
                field=f"line {node.lineno}",
                found=name,
                accepted=f"any name but {' and '.join(_NOT_PORTS)}",
            )
        found[name] = known[kind]
    return found


def _from_ports(tree: ast.Module) -> set[str]:
    return {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "pliant.ports"
        for alias in node.names
    }


_NOT_PORTS = ("own", "plant")
"""Reserved for the topology's own numbers and those of the bench."""


def _add_wiring(tree: ast.Module, names: Names, ports: dict[str, str]) -> None:
    """Add the names that ports and parts offer, and the types `Parameters` and `State` that hold theirs."""
    parameters, state = Named("Parameters", {}), Named("State", {}, whole=False)
    assert parameters.fields is not None and state.fields is not None
    for own, composite in (("P", parameters), ("S", state)):
        if own in names.structures:
            composite.fields["own"] = names.structures[own]  # type: ignore[index]
    for name, kind in ports.items():
        there = offered(kind, name) if kind in FAMILIES else _part(kind)
        names.modules[name] = there
        parameters.fields[name] = there.structures.pop("Parameters")
        if "State" in there.structures:
            state.fields[name] = there.structures.pop("State")
    for composite in (parameters, state):
        if composite.name in _from_ports(tree):
            names.structures[composite.name] = composite


def offered(family: str, name: str) -> Names:
    """Names that any law of a family offers; its parameters and state are known by name only."""
    protocol = FAMILIES[family]
    own: dict[str, Kind] = {"p": Named(f"p of {name}"), "s": Named(f"s of {name}")}
    found = Names()
    for function, definition in vars(protocol).items():
        if function.startswith("_"):
            continue
        hints: dict[str, object] = dict(definition.__func__.__annotations__)
        returns = hints.pop("return")
        found.functions[function] = Signature(
            {argument: own.get(argument, NUMBER) for argument in hints},
            NUMBER if hasattr(returns, "__metadata__") else own["p" if returns is Own else "s"],
        )
    found.structures["Parameters"] = own["p"]  # type: ignore[assignment]
    if "start" in found.functions:
        found.structures["State"] = own["s"]  # type: ignore[assignment]
    return found


def _part(stem: str) -> Names:
    """Names that a part offers."""
    there = check_source(PACKAGE / "topologies" / f"{stem}.py").names
    return Names(functions=there.functions, structures=dict(there.structures))


def _signature(node: ast.FunctionDef, names: Names) -> Signature:
    def kind(annotation: ast.expr | None) -> Kind:
        name = annotation.id if isinstance(annotation, ast.Name) else ""
        if name == "float":
            return NUMBER
        if name not in names.structures:
            raise PliantError(
                "neither float nor a named tuple",
                field=f"line {node.lineno}",
                found=name,
                accepted=["float", *names.structures],
            )
        return names.structures[name]

    return Signature({a.arg: kind(a.annotation) for a in node.args.args}, kind(node.returns))
