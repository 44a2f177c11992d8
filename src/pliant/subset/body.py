"""Body and cost of a function: the kind of every expression, its steps and its calls.

There are only numbers, truth values and named tuples. A function, a module or a class is never a value: it can only be
called, by its name. An attribute is a declared field of a named tuple. So what a law computes, and how much, is known
before it runs: the cost of every call includes all the calls it makes.
"""

import ast
from collections.abc import Iterable

from pliant.errors import PliantError
from pliant.subset.declared import BUILTINS, NUMBER, TRUTH, TUPLE, Kind, Named, Names, Signature

_TWO = frozenset({"atan2", "copysign", "hypot", "pow"})
_CONSTANTS = frozenset({"e", "inf", "pi", "tau"})


class Body:
    """One function: the kinds of its variables, its steps, and its calls of its own file."""

    def __init__(self, node: ast.FunctionDef, names: Names) -> None:
        self.names = names
        self.signature = names.functions[node.name]
        self.kinds: dict[str, Kind] = dict(self.signature.arguments)
        self.local = {*self.kinds, *_stored(node)}
        self.given: set[str] | None = {*self.kinds}
        """Variables that are set on every path to here; None: unreachable."""
        self.steps = 0
        self.calls: dict[str, tuple[int, int]] = {}
        """Function to its number of calls, and the line of one."""
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        self._block(body)

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self.steps += 1
            if isinstance(node, ast.If):
                self._condition(node.test)
                before = self.given
                self._block(node.body)
                after, self.given = self.given, before
                self._block(node.orelse)
                if after is not None:
                    self.given = after if self.given is None else self.given & after
            elif isinstance(node, ast.Return):
                assert node.value is not None  # the syntax was checked
                self._expect(node.value, self.signature.returns, "returns")
                self.given = None
            elif isinstance(node, ast.AugAssign):
                self._expression(node.target)
                self._expect(node.value, NUMBER, "takes")
                self._assign(node.target, NUMBER)
            elif isinstance(node, ast.AnnAssign):
                assert node.value is not None
                kind = self._expression(node.value)
                if self._meant(node.annotation) is not kind:
                    raise self._error(node, "has the annotation of another kind", ast.unparse(node))
                self._assign(node.target, kind)
            elif isinstance(node, ast.Assign):
                self._assign(node.targets[0], self._expression(node.value))

    def _meant(self, annotation: ast.expr) -> Kind | None:
        name = annotation.id if isinstance(annotation, ast.Name) else ""
        return NUMBER if name == "float" else self.names.structures.get(name)

    def _assign(self, target: ast.expr, kind: Kind) -> None:
        assert isinstance(target, ast.Name)
        if self.kinds.setdefault(target.id, kind) is not kind:
            raise self._error(
                target, "a variable can have only one kind", target.id, str(self.kinds[target.id])
            )
        if self.given is not None:
            self.given = self.given | {target.id}

    def _expect(self, node: ast.expr, wanted: Kind, does: str) -> None:
        kind = self._expression(node)
        if kind is not wanted:
            hint = ": `1.0 if ... else 0.0` converts it to a number" if kind == TRUTH else ""
            raise self._error(node, f"{does} {wanted}, not {kind}{hint}", ast.unparse(node))

    def _condition(self, node: ast.expr) -> None:
        """Refuse numbers as conditions: `and` and `or` of numbers differ between compilers."""
        if self._expression(node) != TRUTH:
            raise self._error(node, "is not a condition", ast.unparse(node), "a comparison")

    def _expression(self, node: ast.expr) -> Kind:
        self.steps += 1
        match node:
            case ast.Constant(value=value):
                return TRUTH if isinstance(value, bool) else NUMBER
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node)
            case ast.BinOp(left=left, right=right):
                self._expect(left, NUMBER, "takes")
                self._expect(right, NUMBER, "takes")
                return NUMBER
            case ast.Compare(left=left, comparators=others):
                for part in (left, *others):
                    self._expect(part, NUMBER, "compares")
                return TRUTH
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._condition(operand)
                return TRUTH
            case ast.UnaryOp(operand=operand):
                self._expect(operand, NUMBER, "takes")
                return NUMBER
            case ast.BoolOp(values=values):
                for part in values:
                    self._condition(part)
                return TRUTH
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._condition(test)
                kind = self._expression(body)
                self._expect(orelse, kind, "gives")
                return kind
            case _:
                raise self._error(node, "has no known kind", ast.unparse(node))

    def _name(self, node: ast.Name) -> Kind:
        if node.id in self.local:
            if self.given is not None and node.id not in self.given:
                problem = "is not set on every path to here"
                accepted = "an assignment on every path before it"
                raise self._error(node, problem, node.id, accepted)
            return self.kinds[node.id]
        if node.id in self.names.constants:
            return self.names.constants[node.id]
        if self.names.math.get(node.id) in _CONSTANTS:
            return NUMBER
        self._check_known(node)
        raise self._error(node, "is a function and can only be called", node.id)

    def _check_known(self, node: ast.Name) -> None:
        known = self.names.known() | self.local
        if node.id not in known:
            raise self._error(node, "unknown name", node.id, known)

    def _module(self, node: ast.expr) -> Names | None:
        """The port, part or law named by `node`."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            return self.names.modules.get(node.id)
        return None

    def _attribute(self, node: ast.Attribute) -> Kind:
        module = self._module(node.value)
        if module is not None:
            if node.attr in module.constants:
                return module.constants[node.attr]
            raise self._error(node, "has no such number", ast.unparse(node), module.constants)
        kind = self._expression(node.value)
        if not isinstance(kind, Named):
            raise self._error(node, f"{kind} has no fields", ast.unparse(node))
        if kind.fields is None:
            if node.attr in TUPLE:
                raise self._error(node, "is not a field", node.attr)
            return NUMBER
        if node.attr not in kind.fields:
            raise self._error(
                node,
                f"{kind.name} has no such field",
                node.attr,
                list(kind.fields) or "none: it has no fields",
            )
        return kind.fields[node.attr]

    def _call(self, node: ast.Call) -> Kind:
        match node.func:
            case ast.Name(id=name) if name not in self.local:  # shadowed: it is a value
                if name in BUILTINS or name in self.names.math:
                    return self._arithmetic(node, name)
                self._check_known(node.func)
                home, own = self.names, True
            case ast.Attribute(value=value, attr=name) if found := self._module(value):
                home, own = found, False
            case _:
                raise self._error(
                    node, "cannot be called", ast.unparse(node.func), "a function by its name"
                )
        if name in home.structures:
            structure = home.structures[name]
            self._arguments(node, structure.fields or {}, structure.whole)
            return structure
        if name not in home.functions:
            raise self._error(
                node,
                "no such function",
                ast.unparse(node.func),
                [*home.functions, *home.structures],
            )
        signature = home.functions[name]
        self._arguments(node, signature.arguments, True)
        if own and name not in home.imported:
            times, _ = self.calls.get(name, (0, 0))
            self.calls[name] = (times + 1, node.lineno)
        else:
            self.steps += signature.cost
        return signature.returns

    def _arithmetic(self, node: ast.Call, name: str) -> Kind:
        """A call of `math` or of a builtin."""
        original = self.names.math.get(name, name)
        if original in _CONSTANTS or node.keywords:
            raise self._error(node, "cannot be called in this way", ast.unparse(node))
        several = original in ("min", "max")
        wanted = 2 if several or original in _TWO else 1
        if len(node.args) != wanted and not (several and len(node.args) > wanted):
            accepted = (
                f"{wanted} numbers{' or more' if several else ''}" if wanted > 1 else "1 number"
            )
            raise self._error(node, "wrong number of arguments", ast.unparse(node), accepted)
        for argument in node.args:
            self._expect(argument, NUMBER, "takes")
        return NUMBER

    def _arguments(self, node: ast.Call, wanted: dict[str, Kind], whole: bool) -> None:
        """Refuse repeated arguments and ones of the wrong kind, and missing ones if `whole`."""
        given = dict(zip(wanted, node.args, strict=False))
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        if (
            len(node.args) > len(wanted)
            or len(named) < len(node.keywords)
            or given.keys() & named.keys()
            or not named.keys() <= wanted.keys()
            or (whole and len(given) + len(named) < len(wanted))
        ):
            accepted = ", ".join(wanted) or "none"
            raise self._error(node, "wrong arguments", ast.unparse(node), f"({accepted})")
        for name, value in {**given, **named}.items():
            self._expect(value, wanted[name], "takes")

    def _error(
        self,
        node: ast.expr | ast.stmt,
        problem: str,
        found: str,
        accepted: str | Iterable[str] | None = None,
    ) -> PliantError:
        return PliantError(problem, field=f"line {node.lineno}", found=found, accepted=accepted)


def _stored(node: ast.AST) -> set[str]:
    """The names that are assigned to."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


MOST = 100_000
"""Most steps of one call, callees included: enough for a table of 80 by 50 nodes. Compilers expand them all,
at some 50 µs each."""


def check_functions(tree: ast.Module, names: Names) -> None:
    """Infer the kinds in every function of a file, and refuse expressions that have none.

    `names` has the functions' signatures already; their costs are entered.

    Raises:
        PliantError: with the line.
    """
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    done: dict[str, int] = {}

    def cost(name: str, callers: tuple[str, ...], line: int) -> int:
        if name in callers:
            raise PliantError(
                "calls itself",
                field=f"line {line}",
                found=" -> ".join([*callers, name]),
                accepted="functions without recursion",
            )
        if len(callers) > 100:
            raise PliantError("calls too deeply", field=f"line {line}")
        if name not in done:
            body = Body(nodes[name], names)
            called = sum(
                cost(callee, (*callers, name), line) * times
                for callee, (times, line) in body.calls.items()
            )
            done[name] = body.steps + called
            if done[name] > MOST:
                raise PliantError(
                    "is too long, including the functions it calls",
                    field=f"line {nodes[name].lineno}",
                    found=f"{name}(): {done[name]} steps",
                    accepted=f"at most {MOST}",
                )
        return done[name]

    for name, node in nodes.items():
        signature = names.functions[name]
        names.functions[name] = Signature(
            signature.arguments, signature.returns, cost(name, (), node.lineno)
        )
