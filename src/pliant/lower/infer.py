"""From the linker's definitions to the typed tree.

A function is instantiated once for each tuple of argument types, by one pass over its syntax in which
every expression gets its type. If a variable first holds an integer and later a float, it is a float
from the start, and the pass is repeated.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower import types as ty
from pliant.lower.infer_calls import Calls
from pliant.lower.link import Function, Linker
from pliant.lower.operations import as_type


class Statements(Calls):
    """The blocks of a function.

    Attributes:
        returns: its type as far as known. grew: a type was widened, so the pass must be repeated.
    """

    returns: ty.Type | None = None
    grew = False

    def block(self, body: Sequence[ast.stmt]) -> list[t.Statement]:
        made: list[t.Statement] = []
        for node in body:
            self.line = getattr(node, "lineno", self.line)
            done = getattr(self, f"do_{type(node).__name__}", None)
            if done is None:
                raise self.fault(node, "is not a statement allowed in a kernel", ast.unparse(node))
            made += done(node)
            if made and isinstance(made[-1], (t.Return, t.Break, t.Continue)):
                break
        return made

    def set(self, name: str, value: t.Expression, node: ast.AST) -> t.Set:
        before = self.variables.get(name)
        kind = value.type if before is None else ty.joined(before, value.type)
        if kind is None or kind is ty.NOTHING:
            raise self.fault(node, f"{name} cannot hold both types", value.type, before)
        if before is not None and kind is not before:
            self.grew = True
        self.variables[name] = kind
        return t.Set(self.line, name, as_type(value, kind))

    def do_Expr(self, node: ast.Expr) -> list[t.Statement]:
        if isinstance(node.value, ast.Constant):
            return []
        if isinstance(node.value, ast.Call) and self.is_of_lanes(node.value.func, "put"):
            array_, place, value = node.value.args
            return [self._put(self.value(array_), self.value(place), self.value(value))]
        return [t.Do(self.line, self.value(node.value))]

    def _put(self, base: t.Expression, place: t.Expression, value: t.Expression) -> t.Store:
        return t.Store(
            self.line, base, [as_type(place, ty.INTEGER)], as_type(value, self.home.lanes())
        )

    def do_Assign(self, node: ast.Assign) -> list[t.Statement]:
        value, made = self.value(node.value), list[t.Statement]()
        if len(node.targets) > 1:
            kept = self.set(f"all.{node.lineno}", value, node)
            made.append(kept)
            value = t.Var(kept.value.type, kept.name)
        for target in node.targets:
            made += self.assigned(target, value)
        return made

    def assigned(self, target: ast.expr, value: t.Expression) -> list[t.Statement]:
        if isinstance(target, ast.Name):
            return [self.set(target.id, value, target)]
        if isinstance(target, ast.Tuple):
            if not isinstance(value.type, ty.Struct) or len(value.type.fields) != len(target.elts):
                raise self.fault(target, "has too few or many values", value.type, len(target.elts))
            kept = self.set(f"whole.{target.lineno}.{target.col_offset}", value, target)
            made, kind = list[t.Statement]([kept]), cast("ty.Struct", kept.value.type)
            for k, one in enumerate(target.elts):
                made += self.assigned(one, t.Get(kind.fields[k][1], t.Var(kind, kept.name), k))
            return made
        if isinstance(target, ast.Subscript):
            return self._stored(target, value)
        raise self.fault(target, "cannot be assigned to", ast.unparse(target))

    def _stored(self, target: ast.Subscript, value: t.Expression) -> list[t.Statement]:
        place = self.of_Subscript(target)
        if isinstance(place, t.Load):
            fitting = self.fits(value, place.type, target)
            return [t.Store(self.line, place.base, place.places, fitting)]
        if isinstance(place, t.Cut) and isinstance(place.type, ty.Array):
            return self._filled(target, place, place.type, value)
        raise self.fault(target, "does not match the stored type", value.type, place.type)

    def _filled(
        self, target: ast.expr, place: t.Expression, kind: ty.Array, value: t.Expression
    ) -> list[t.Statement]:
        """Write an array into another of its shape, or a number into each of its cells."""
        mark = f"{target.lineno}.{target.col_offset}"
        made = [self.set(f"into.{mark}", place, target), self.set(f"from.{mark}", value, target)]
        into, given = (t.Var(one.value.type, one.name) for one in made)
        names = [f"k{axis}.{mark}" for axis in range(kind.rank)]
        self.variables |= dict.fromkeys(names, ty.INTEGER)
        at: list[t.Expression] = [t.Var(ty.INTEGER, name) for name in names]
        one: t.Expression = given
        if isinstance(given.type, ty.Array):
            if given.type.rank != kind.rank:
                raise self.fault(target, "does not match the stored type", given.type, kind)
            one = t.Load(given.type.cell.value, given, at)
        one = self.fits(one, kind.cell.value, target)
        body: list[t.Statement] = [t.Store(self.line, into, at, one)]
        for axis, name in reversed([*enumerate(names)]):
            size = t.Length(ty.INTEGER, into, axis)
            body = [t.For(self.line, name, t.Const(ty.INTEGER, 0), size, 1, body)]
        return [*made, *body]

    def do_AugAssign(self, node: ast.AugAssign) -> list[t.Statement]:
        read = ast.copy_location(_as_load(node.target), node)
        value = self.binary(node, node.op, self.value(read), self.value(node.value))
        return self.assigned(node.target, value)

    def do_Return(self, node: ast.Return) -> list[t.Statement]:
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            return [t.Return(self.line, None)]
        value = self.value(node.value)
        declared = self.source.returns
        if declared is not ty.ANY:
            value = self.as_declared(value, declared, node, "returns another type")
        kind = value.type if self.returns is None else ty.joined(self.returns, value.type)
        if kind is None:
            raise self.fault(node, "returns values of different types", value.type, self.returns)
        if self.returns is not None and kind is not self.returns:
            self.grew = True
        self.returns = kind
        return [t.Return(self.line, as_type(value, kind))]

    def do_If(self, node: ast.If) -> list[t.Statement]:
        test = self.truth(self.value(node.test), node)
        if isinstance(test, t.Const):
            return self.block(node.body if test.value else node.orelse)
        if test.type is ty.MASK:
            raise self.fault(node, "branches on lanes", ast.unparse(node.test), "select")
        return [t.If(self.line, test, self.block(node.body), self.block(node.orelse))]

    def do_While(self, node: ast.While) -> list[t.Statement]:
        return [t.While(self.line, self.truth(self.value(node.test), node), self.block(node.body))]

    def do_For(self, node: ast.For) -> list[t.Statement]:
        assert isinstance(node.target, ast.Name)
        line = self.line
        if isinstance(node.iter, ast.Tuple):  # unrolled
            made: list[t.Statement] = []
            for one in node.iter.elts:
                made += [self.set(node.target.id, self.value(one), node), *self.block(node.body)]
            return made
        assert isinstance(node.iter, ast.Call)
        given = [as_type(self.value(one), ty.INTEGER) for one in node.iter.args]
        low, high, *step = given if len(given) > 1 else (t.Const(ty.INTEGER, 0), given[0])
        before = self.variables.get(node.target.id)
        self.variables[node.target.id] = (
            ty.joined(before, ty.INTEGER) or ty.INTEGER if before else ty.INTEGER
        )
        size = int(cast("t.Const", step[0]).value) if step else 1
        return [t.For(line, node.target.id, low, high, size, self.block(node.body))]

    def do_Pass(self, node: ast.Pass) -> list[t.Statement]:
        return []

    def do_Break(self, node: ast.Break) -> list[t.Statement]:
        return [t.Break(self.line)]

    def do_Continue(self, node: ast.Continue) -> list[t.Statement]:
        return [t.Continue(self.line)]


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(target.value, target.slice, ast.Load())


MANY_BRANCHES = 8
"""Most branches of an inlined function. One with more, such as a spring's table, is called instead; in lanes,
which compute both sides of a branch, it is called lane by lane: this many branches cost as much as eight lanes."""


class Inference:
    """Functions of a linker, typed on demand.

    Attributes:
        replaced: functions of `math` to the linked ones that replace them in a target.
        alone: the same for one lane, and by_lane: functions that are called through it, lane by lane.
    """

    def __init__(
        self, linker: Linker, width: int = 1, replaced: Mapping[str, str] | None = None
    ) -> None:
        self.linker, self.replaced = linker, dict(replaced or {})
        self.alone: Inference | None = None
        self.by_lane: set[str] = set()
        self.program, self.suffix = t.Program(width=width), ""
        self.sources = {x.name: x for x in linker.definitions if isinstance(x, Function)}
        self.structures = {x.name: x for x in linker.definitions if isinstance(x, ty.Struct)}
        self._made: dict[tuple[str, tuple[ty.Type, ...]], t.Function] = {}

    def entry(
        self, name: str, kinds: Sequence[ty.Type], outside: str, returned: ty.Type | None = None
    ) -> t.Function:
        """Type function `name` for arguments of these types, and export it as `outside`.

        Args:
            kinds, returned: types; a cell means that C passes its value in that form.
        """
        made = self.function(name, [x.value if isinstance(x, ty.Cell) else x for x in kinds])
        cells = {a: x for (a, _), x in zip(made.arguments, kinds, strict=True)} | {
            "return": returned
        }
        made.narrow = frozenset(a for a, x in cells.items() if x is ty.INT32)
        self.program.entries[outside] = made
        return made

    def function(self, name: str, kinds: Sequence[ty.Type]) -> t.Function:
        """The function for arguments of these types."""
        key = (name, tuple(kinds))
        if key not in self._made:
            others = sum(made == name for made, _ in self._made)
            source = self.sources[name]
            final = f"{name}{self.suffix}" + (f"_{others}" if others else "")
            self._made[key] = made = self._typed(source, kinds, final)
            self.program.functions.append(made)
        return self._made[key]

    def declared(self, name: str) -> t.Function:
        """The function for the argument types that its signature declares."""
        source = self.sources[name]
        kinds: list[ty.Type] = []
        for argument, kind in source.arguments:
            kinds.append(ty.NAMED[source.annotations[argument]] if kind is ty.ANY else kind)
        return self.function(name, kinds)

    def lanes(self) -> ty.Type:
        """The type of lanes at this width."""
        return ty.LANES if self.program.width > 1 else ty.FLOAT

    def mask(self) -> ty.Type:
        """The type of a truth value for each lane."""
        return ty.MASK if self.program.width > 1 else ty.TRUTH

    def _typed(self, source: Function, kinds: Sequence[ty.Type], name: str) -> t.Function:
        arguments = [(a, kind) for (a, _), kind in zip(source.arguments, kinds, strict=True)]
        body = Statements(self, source, arguments)
        statements = body.block(source.node.body)
        while body.grew:
            body.grew = False
            statements = body.block(source.node.body)
        variables, line, given = body.variables, body.line, list[tuple[str, ty.Type]]()
        for argument, kind in reversed(arguments):
            before = argument
            if variables[argument] is not kind:  # it becomes a float, or the like, at once
                before = f"{argument}.given"
                value = as_type(t.Var(kind, before), variables[argument])
                statements.insert(0, t.Set(line, argument, value))
                variables[before] = kind
            given.insert(0, (before, kind))
        return t.Function(
            name,
            source.name,
            source.path,
            given,
            variables,
            body.returns or ty.NOTHING,
            statements,
            apart="apart" in source.marks or source.branches > MANY_BRANCHES,
            any_order="any_order" in source.marks,
        )
