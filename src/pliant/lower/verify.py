"""Checks that a typed tree is sound, before a target uses it.

Targets may rely on these properties: every variable has a single type, and is assigned on every path to each
read; operands have the type of their operation, calls match their callees, and each function comes after
those that it calls.
"""

from typing import NoReturn

from pliant.errors import PliantError
from pliant.lower import typed as t
from pliant.lower import types as ty

_NUMBERS = {ty.FLOAT, ty.INTEGER, ty.LANES}
_TRUTHS = {ty.TRUTH, ty.MASK}


def verify(program: t.Program) -> None:
    """Refuse a program with an unsound function."""
    done: set[t.Function] = set()
    for function in program.functions:
        _Check(program, function, done).block(function.body, in_loop=False)
        done.add(function)


class _Check:
    """One function.

    Attributes:
        given: variables that are set on every path to here; None: unreachable.
    """

    def __init__(self, program: t.Program, function: t.Function, done: set[t.Function]) -> None:
        self.program, self.function, self.done = program, function, done
        self.line = 0
        self.given: frozenset[str] | None = frozenset(name for name, _ in function.arguments)

    def fault(self, problem: str, found: object = None, accepted: object = None) -> NoReturn:
        name = self.function.plain.rpartition("__")[2]
        raise PliantError(
            f"the typed tree is unsound: {problem}",
            file=self.function.path,
            field=f"line {self.line}, {name}()",
            found=None if found is None else str(found),
            accepted=None if accepted is None else str(accepted),
        )

    def want(self, found: ty.Type, wanted: ty.Type, what: str) -> None:
        if found is not wanted:
            self.fault(f"{what} has another type", found, wanted)

    def variable(self, name: str) -> ty.Type:
        if name not in self.function.variables:
            self.fault("no such variable", name, ", ".join(self.function.variables))
        return self.function.variables[name]

    def block(self, body: list[t.Statement], *, in_loop: bool) -> None:
        for node in body:
            self.line = node.line
            self.statement(node, in_loop)

    def statement(self, node: t.Statement, in_loop: bool) -> None:
        for part in t.parts(node):
            if isinstance(part, t.Expression):
                self.expression(part)
        match node:
            case t.Set(name=name, value=value):
                self.want(value.type, self.variable(name), name)
                self.give(name)
            case t.Return(value=value):
                if value is not None:
                    self.want(value.type, self.function.returns, "what is returned")
                self.given = None
            case t.If(test=test, body=body, orelse=orelse):
                self.want(test.type, ty.TRUTH, "a test")
                before = self.given
                self.block(body, in_loop=in_loop)
                after, self.given = self.given, before
                self.block(orelse, in_loop=in_loop)
                if after is not None:
                    self.given = after if self.given is None else self.given & after
            case t.While(test=test, body=body):
                self.want(test.type, ty.TRUTH, "a test")
                self.turns(body)
            case t.For(name=name, low=low, high=high, body=body):
                self.variable(name)
                self.want(low.type, ty.INTEGER, "a bound")
                self.want(high.type, ty.INTEGER, "a bound")
                self.turns(body, name)
            case t.Store(base=base, places=places, value=value):
                self.want(value.type, self.cell(base, places, value.type), "what is stored")
            case t.Break() | t.Continue():
                if not in_loop:
                    self.fault(f"{type(node).__name__.lower()} outside a loop")
                self.given = None
            case _:
                pass

    def give(self, name: str) -> None:
        """Mark a variable as set from here on."""
        if self.given is not None:
            self.given |= {name}

    def turns(self, body: list[t.Statement], *counted: str) -> None:
        """A loop's block, which may never run: after it, no more variables are certain to be set than before."""
        before = self.given
        for name in counted:
            self.give(name)
        self.block(body, in_loop=True)
        self.given = before

    def cell(self, base: t.Expression, places: list[t.Expression], value: ty.Type) -> ty.Type:
        """The type stored at a place."""
        kind = base.type
        for place in places:
            self.want(place.type, ty.INTEGER, "an index")
        if value is ty.LANES and isinstance(kind, ty.Array) and len(places) == 1:
            return ty.LANES
        if isinstance(kind, ty.Pointer) and isinstance(kind.to, ty.Cell):
            return kind.to.value
        if isinstance(kind, ty.Array) and len(places) == kind.rank:
            return kind.cell.value
        raise self.fault("no element", kind)

    def expression(self, node: t.Expression) -> None:
        for part in t.parts(node):
            assert isinstance(part, t.Expression)
            self.expression(part)
        match node:
            case t.Var(name=name):
                self.want(node.type, self.variable(name), name)
                if self.given is not None and name not in self.given:
                    accepted = "an assignment on every path before it"
                    self.fault("a variable may be unset", name, accepted)
            case t.Table(name=name):
                if name not in self.program.tables:
                    self.fault("no such table", name)
            case t.Get(of=of, index=index):
                if not isinstance(of.type, ty.Struct) or not 0 <= index < len(of.type.fields):
                    self.fault("no such field", index, of.type)
                self.want(node.type, of.type.fields[index][1], of.type.fields[index][0])
            case t.Make(parts=parts):
                self.made(node, parts)
            case t.Unary(op=op, x=x):
                self.want(x.type, node.type, "an operand")
                self.among(x.type, _TRUTHS if op == "not" else _NUMBERS)
            case t.Binary(op=op, x=x, y=y):
                self.want(x.type, node.type, "an operand")
                self.want(y.type, node.type, "an operand")
                self.among(x.type, _NUMBERS | (_TRUTHS if op in ("and", "or", "xor") else set()))
            case t.Compare(x=x, y=y):
                self.want(y.type, x.type, "an operand")
                self.want(node.type, ty.MASK if x.type is ty.LANES else ty.TRUTH, "a comparison")
            case t.Logic(x=x, y=y):
                self.want(x.type, ty.TRUTH, "an operand")
                self.want(y.type, ty.TRUTH, "an operand")
            case t.Choose(test=test, yes=yes, no=no) | t.Select(test=test, yes=yes, no=no):
                self.among(test.type, {ty.TRUTH} if isinstance(node, t.Choose) else _TRUTHS)
                self.want(yes.type, node.type, "a choice")
                self.want(no.type, node.type, "a choice")
            case t.Math(args=args):
                for one in args:
                    self.want(one.type, node.type, "an argument")
            case t.Call(function=function, args=args):
                self.call(node, function, args)
            case t.EachLane(function=function):
                if function not in self.done:
                    self.fault("calls a function that comes after it", function.name)
            case t.Outside(symbol=symbol):
                if symbol not in self.program.symbols:
                    self.fault("no such symbol", symbol)
            case t.Load(base=base, places=places):
                self.want(node.type, self.cell(base, places, node.type), "what is read")
            case t.Length(base=base, axis=axis):
                if not isinstance(base.type, ty.Array) or not 0 <= axis < base.type.rank:
                    self.fault("no such axis", axis, base.type)
            case t.Member(base=base, name=name):
                record = base.type.to if isinstance(base.type, ty.Pointer) else None
                if not isinstance(record, ty.Record) or name not in record.fields:
                    self.fault("no such field", name, base.type)
            case _:
                pass

    def among(self, found: ty.Type, accepted: set[ty.Type]) -> None:
        if found not in accepted:
            self.fault("is not an operand of this operation", found, ", ".join(map(str, accepted)))

    def made(self, node: t.Make, parts: list[t.Expression]) -> None:
        assert isinstance(node.type, ty.Struct)
        if len(parts) != len(node.type.fields):
            self.fault("wrong number of fields", len(parts), len(node.type.fields))
        for part, (name, kind) in zip(parts, node.type.fields, strict=True):
            self.want(part.type, kind, name)

    def call(self, node: t.Call, function: t.Function, args: list[t.Expression]) -> None:
        if function not in self.done:
            self.fault("calls a function that comes after it", function.name)
        if len(args) != len(function.arguments):
            self.fault(f"wrong number of arguments of {function.name}", len(args))
        for one, (name, kind) in zip(args, function.arguments, strict=True):
            self.want(one.type, kind, name)
        self.want(node.type, function.returns, function.name)
