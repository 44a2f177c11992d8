"""Linker: collects everything that a function needs into one module, with unique names.

Laws and topologies call each other through imports and ports. A compiler needs one flat module. The
linker starts from the requested functions, resolves every global name to a function, a named tuple, a
constant or a function of `math`, and returns the definitions, each after those that it uses. Laws are not
rewritten: only names change. The same holds for functions of an engine's kernel; a kernel's other imports,
constants of other modules and names known to the compiler, stay external.
"""

import ast
from dataclasses import dataclass, field
from pathlib import Path

from pliant.errors import PliantError
from pliant.lower.source import (
    Source,
    module_name,
    module_path,
    prefix,
    read_source,
)
from pliant.lower.syntax import Pruner, copied
from pliant.lower.types import ANY, FLOAT, NAMED, Struct, Type
from pliant.subset import BUILTINS

MATH = "math__"
"""Prefix that marks a function of `math` until the target replaces it."""

COMPILERS = {f"pliant.lower.{name}" for name in ("lanes", "memory")}
"""Modules whose names the compiler knows."""


@dataclass
class Function:
    """A function under its final name. A type is float, a structure, or `ANY` (not in laws)."""

    name: str
    arguments: list[tuple[str, Type]]
    returns: Type
    node: ast.FunctionDef
    path: Path = Path()
    marks: frozenset[str] = frozenset()
    """Decorators of `lower.memory`."""
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    """Annotations of the arguments and of the result, as written."""

    @property
    def is_physics(self) -> bool:
        """Whether it uses only floats and structures, no index and no array of an engine."""
        return all(kind is not ANY for _, kind in self.arguments)

    @property
    def branches(self) -> int:
        """Number of branches."""
        return sum(isinstance(part, (ast.If, ast.IfExp)) for part in ast.walk(self.node))

    @property
    def is_typed(self) -> bool:
        """Whether its signature declares the type of each argument."""
        return all(k is not ANY or self.annotations.get(a) in NAMED for a, k in self.arguments)


@dataclass
class Linker:
    """Definitions in order, and the external imports that they need."""

    definitions: list[Function | Struct] = field(default_factory=list[Function | Struct])
    externals: dict[str, tuple[str, str | None]] = field(
        default_factory=dict[str, "tuple[str, str | None]"]
    )
    math: set[str] = field(default_factory=set[str])
    _sources: dict[Path, Source] = field(default_factory=dict[Path, Source])
    _done: dict[str, Function | Struct] = field(default_factory=dict[str, Function | Struct])

    def add(self, source: Source) -> None:
        """Register a source that others may import."""
        self._sources.setdefault(source.path, source)

    def function(self, source: Source, name: str) -> Function:
        """Link function `name` of `source` and everything it needs."""
        final = f"{source.prefix}__{name}"
        if final not in self._done:
            linked = _Renamer(self, source).linked(source.functions[name], final)
            self._done[final] = linked
            self.definitions.append(linked)
        found = self._done[final]
        assert isinstance(found, Function)
        return found

    def structure(self, structure: Struct) -> Struct:
        """Link a structure and those that it contains."""
        if structure.name not in self._done:
            for _, kind in structure.fields:
                if isinstance(kind, Struct):
                    self.structure(kind)
            self._done[structure.name] = structure
            self.definitions.append(structure)
        return structure

    def external(self, source: Source, name: str) -> str:
        """The final name, in the generated module, of what `source` imports as `name`."""
        target = source.imports[name]
        if self.externals.setdefault(name, target) == target:
            return name
        self.externals[f"{source.prefix}__{name}"] = target
        return f"{source.prefix}__{name}"

    def imported(self, module: str, name: str | None) -> tuple[Source, str | None] | None:
        """Source, or a name in one, that `from module import name` refers to if it is physics."""
        if name is not None and (path := self._physics(f"{module}.{name}")):
            return self._source(path), None
        if name is not None and (path := self._physics(module)):
            return self._source(path), name
        return None

    def _physics(self, dotted: str) -> Path | None:
        path = module_path(dotted)
        if path is None or path.stem == "__init__" or dotted in COMPILERS:
            return None
        return path if path in self._sources or dotted.startswith("pliant.") else None

    def _source(self, path: Path) -> Source:
        if path not in self._sources:
            self._sources[path] = read_source(path, prefix(path.parent.name, path))
        return self._sources[path]


class _Renamer(Pruner, ast.NodeTransformer):
    """Renames the global names in one function of one source to their final names."""

    def __init__(self, linker: Linker, source: Source) -> None:
        self.linker = linker
        self.source = source
        self.locals: set[str] = set()

    def linked(self, original: ast.FunctionDef, final: str) -> Function:
        node = copied(original)
        arguments = [(a.arg, self._type(a.annotation)) for a in node.args.args]
        returns = self._type(node.returns)
        self.locals = {a.arg for a in node.args.args} | {
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        node.body = self.block(body)
        marks = frozenset(d.id for d in node.decorator_list if isinstance(d, ast.Name))
        node.name, node.returns, node.decorator_list = final, None, []
        annotations = {
            argument.arg: ast.unparse(argument.annotation)
            for argument in node.args.args
            if argument.annotation is not None
        }
        if original.returns is not None:
            annotations["return"] = ast.unparse(original.returns)
        for argument in node.args.args:
            argument.annotation = None
        return Function(final, arguments, returns, node, self.source.path, marks, annotations)

    def _type(self, annotation: ast.expr | None) -> Type:
        if not isinstance(annotation, ast.Name):
            return ANY
        if annotation.id == FLOAT.name:
            return FLOAT
        found = self._named(annotation.id)
        return ANY if found is None else self.linker.structure(found)

    def _named(self, name: str) -> Struct | None:
        """The structure that a name refers to, in this file or imported."""
        found = self.source.structures.get(name)
        if found is None and name in self.source.imports:
            target = self.linker.imported(*self.source.imports[name])
            if target is not None and target[1] is not None:
                return target[0].structures.get(target[1])
        return found

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.locals:
            return node
        return self._resolve(self.source, node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id not in self.locals:
            module = self._module(node.value.id)
            if module is not None:
                return self._resolve(module, node.attr, node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        structure = self._structure(node.func)
        if structure is not None and node.keywords:
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            names = [name for name, _ in structure.fields]
            if node.args or set(given) != set(names):
                raise self._error(node, f"{structure.name} takes the fields {', '.join(names)}")
            node.args, node.keywords = [given[name] for name in names], []
        return self.generic_visit(node)

    def _module(self, name: str) -> Source | None:
        """The physics behind `name` in `name.function`: a bound port, or an imported law."""
        if name in self.source.bindings:
            return self.source.bindings[name]
        if name in self.source.imports:
            target = self.linker.imported(*self.source.imports[name])
            if target is not None and target[1] is None:
                return target[0]
        return None

    def _structure(self, node: ast.expr) -> Struct | None:
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self._named(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self._module(node.value.id)
            return None if module is None else module.structures.get(node.attr)
        return None

    def _resolve(self, source: Source, name: str, node: ast.expr) -> ast.AST:
        if name in source.functions:
            return _name(self.linker.function(source, name).name, node)
        if name in source.structures:
            return _name(self.linker.structure(source.structures[name]).name, node)
        if name in source.constants and _is_plain(source.constants[name]):
            return ast.copy_location(copied(source.constants[name]), node)
        if name in source.constants or name in source.values:
            final = f"{source.prefix}__{name}"
            self.linker.externals[final] = (module_name(source.path), name)
            return _name(final, node)
        if name in source.imports:
            module, original = source.imports[name]
            if module == "math" and original is not None:
                self.linker.math.add(original)
                return _name(MATH + original, node)
            target = self.linker.imported(module, original)
            if target is not None and target[1] is not None and target[0].offers(target[1]):
                return self._resolve(target[0], target[1], node)
            return _name(self.linker.external(source, name), node)
        if name in BUILTINS or name in {"range", "len", "int", "wp"}:
            return node
        raise self._error(node, f"unknown name {name!r}")

    def _error(self, node: ast.expr, problem: str) -> PliantError:
        return PliantError(problem, file=self.source.path, field=f"line {node.lineno}")


def _is_plain(node: ast.expr) -> bool:
    """Whether a constant is written with only numbers and operators."""
    plain = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop)
    return all(isinstance(part, plain) for part in ast.walk(node))


def _name(final: str, node: ast.expr) -> ast.Name:
    return ast.copy_location(ast.Name(final, ast.Load()), node)
