"""The typed tree as C99 that is also valid C++17: structures and functions for a header.

Nothing is allocated. Every name has a prefix, so that one program can contain several of these.
All numbers have the type `PREFIX_real`, float or double, and so do the functions of `math`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from pliant.lower import typed as t
from pliant.lower.python_text import Writer, math_used, structures
from pliant.lower.types import FLOAT, INTEGER, NOTHING, TRUTH, Array, Struct, Type

_SIGNS = {"neg": "-", "not": "!", "and": "&&", "or": "||"}
_TAKEN = frozenset(
    """alignas alignof and_eq asm auto bitand bitor bool break case catch char compl const constexpr
    continue default delete do double else enum explicit export extern false far float for friend goto
    if inline int long mutable near namespace new noexcept operator private protected public register
    restrict return short signed sizeof static struct switch template this throw true try typedef
    typeid typename union unsigned using virtual void volatile while xor I""".split()
)
"""Reserved words of C, C++ and their headers that are valid names in a law."""


class CText:
    """Parts of a header, generated from a program.

    Args:
        prefix: of every name.
        renamed: structures and functions of the program to their names in the header.
    """

    def __init__(self, program: t.Program, prefix: str, renamed: Mapping[str, str]) -> None:
        self.program, self.prefix = program, prefix
        self._names = {known: f"{prefix}_{own}" for known, own in renamed.items()}
        self._given = set(self._names.values())
        self._tuples: dict[Struct, str] = {}

    def name(self, known: str) -> str:
        """The name in C of a structure or function: without double underscores, which C++ reserves."""
        if known not in self._names:
            short = re.sub(r"_[0-9a-f]{8}(?=__)|^kernel__", "", known)
            short = f"{self.prefix}_{re.sub('_+', '_', short).strip('_')}"
            again = short
            for k in range(2, 1000):
                if again not in self._given:
                    break
                again = f"{short}_{k}"
            self._given.add(again)
            self._names[known] = again
        return self._names[known]

    def type(self, kind: Type) -> str:
        """The C name of a type."""
        if isinstance(kind, Struct):
            if not kind.is_named:
                return self._tuples.setdefault(kind, f"{self.prefix}_results_{len(self._tuples)}")
            return self.name(kind.name)
        if isinstance(kind, Array):
            return f"{self.prefix}_line"
        simple = {FLOAT: f"{self.prefix}_real", INTEGER: "int", TRUTH: "int", NOTHING: "void"}
        return simple[kind]

    def structures(self, comments: Mapping[str, str]) -> str:
        """Every structure in order of definition, with a function that builds it from its fields.

        Args:
            comments: structure and field, `name.field`, to its comment.
        """
        kinds = structures(self.program)
        seen = dict.fromkeys(
            kind
            for function in self.program.functions
            for kind in (*function.variables.values(), function.returns)
            if isinstance(kind, Struct) and not kind.is_named
        )
        return "\n".join(self._structure(kind, comments) for kind in (*kinds, *seen))

    def _structure(self, kind: Struct, comments: Mapping[str, str]) -> str:
        own, lines = self.type(kind), ["typedef struct {"]
        for name, one in kind.fields:
            said = comments.get(f"{kind.name}.{name}", "")
            lines.append(f"  {self.type(one)} {field(name)};" + (f" /* {said} */" if said else ""))
        if not kind.fields:  # a structure in C needs at least one
            lines.append(f"  {self.prefix}_real nothing;")
        lines.append(f"}} {own};")
        given = ", ".join(f"{self.type(one)} {field(name)}" for name, one in kind.fields)
        lines.append(f"static inline {own} {own}_of({given or 'void'}) {{")
        lines.append(f"  {own} made;")
        lines += [f"  made.{field(n)} = {field(n)};" for n, _ in kind.fields] or [
            "  made.nothing = 0;"
        ]
        return "\n".join([*lines, "  return made;", "}"])

    def math(self) -> str:
        """The functions of `math` that the program calls, for float and for double."""
        nodes = [n for f in self.program.functions for n in t.walk(f.body)]
        used = math_used(self.program)
        used |= {"fabs": 1} if any(isinstance(n, t.Unary) and n.op == "abs" for n in nodes) else {}
        real, lines = f"{self.prefix}_real", list[str]()
        for name, count in sorted(used.items()):
            names = "xy"[:count]
            single = ", ".join(f"(float){x}" for x in names)
            given, double = (
                ", ".join(f"{kind}{x}" for x in names) for kind in (f"{real} ", "(double)")
            )
            lines += [
                f"static inline {real} {self.prefix}_{name}({given}) {{",
                f"  return sizeof({real}) == sizeof(float) ? ({real}){name}f({single})",
                f"                                         : ({real}){name}({double});",
                "}",
            ]
        for name, test in (("min", "<"), ("max", ">")):
            for kind, mark in ((real, ""), ("int", "_int")):
                lines.append(
                    f"static inline {kind} {self.prefix}_{name}{mark}({kind} x, {kind} y) "
                    f"{{ return y {test} x ? y : x; }}"
                )
        return "\n".join(lines)

    def functions(self) -> str:
        """Every function, after those that it calls."""
        return "\n".join(
            line for one in self.program.functions for line in _CWriter(self, one).definition()
        )


def field(name: str) -> str:
    """A field's or variable's name in C."""
    plain = re.sub("_+", "_", name.replace(".", "_")).strip("_") or "unused"
    plain = f"part_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in _TAKEN else plain


class _CWriter(Writer):
    """One function in C."""

    where, indent = "in C", "  "

    def __init__(self, home: CText, function: t.Function) -> None:
        super().__init__(function)
        self.home = home
        self.read = {n.name for n in t.walk(function.body) if isinstance(n, t.Var)}
        self.names: dict[str, str] = {}
        for name in dict.fromkeys([*(n for n, _ in function.arguments), *function.variables]):
            own = field(name)
            while own in self.names.values():
                own += "_"
            self.names[name] = own

    def definition(self) -> list[str]:
        f, home = self.function, self.home
        given = ", ".join(f"{home.type(kind)} {self.names[name]}" for name, kind in f.arguments)
        lines = [f"static inline {home.type(f.returns)} {home.name(f.name)}({given or 'void'}) {{"]
        own = dict(f.arguments)
        lines += [
            f"  {home.type(kind)} {self.names[name]};"
            for name, kind in f.variables.items()
            if name not in own and name in self.read
        ]
        lines += [f"  (void){self.names[name]};" for name in own if name not in self.read]
        return [*lines, *self.block(f.body), "}"]

    def block(self, body: Sequence[t.Statement]) -> list[str]:
        """Lines of a block; an empty one needs no braces."""
        return super().block(body) if body else []

    def statement(self, node: t.Statement) -> Iterator[str]:
        """Lines of a statement; a value that is never read is not stored."""
        match node:
            case t.Set(name=name, value=value):
                if name in self.read:
                    yield f"{self.names[name]} = {self.e(value)};"
            case t.Store(base=base, places=[place], value=value):
                yield f"{self.e(base)}.at[{self.e(place)}] = {self.e(value)};"
            case t.Do() | t.Return():
                yield from (f"{line};" for line in super().statement(node))
            case t.If(test=test, body=body, orelse=orelse):
                shown = self.e(test)
                yield f"if {shown} {{" if shown.startswith("(") else f"if ({shown}) {{"
                yield from self.block(body)
                if orelse:
                    yield "} else {"
                    yield from self.block(orelse)
                yield "}"
            case t.For(step=1 | -1):
                yield from self.loop(node)
            case _:
                raise self.fault(node)

    def loop(self, node: t.For) -> Iterator[str]:
        """A loop with its own counter, as the body may change the variable."""
        test, more = ("<", "++") if node.step > 0 else (">", "--")
        count, end = f"{self.names[node.name]}_now", f"{self.names[node.name]}_end"
        yield (
            f"for (int {count} = {self.e(node.low)}, {end} = {self.e(node.high)}; "
            f"{count} {test} {end}; {count}{more}) {{"
        )
        if node.name in self.read:
            yield f"  {self.names[node.name]} = {count};"
        yield from self.block(node.body)
        yield "}"

    def of_Const(self, n: t.Const) -> str:
        if n.type is not FLOAT:
            return str(int(n.value))
        x = float(n.value)
        text = "NAN" if x != x else repr(abs(x)).replace("inf", "INFINITY")
        number = f"({self.home.prefix}_real){text}"
        return f"(-{number})" if str(x).startswith("-") else number

    def of_Var(self, n: t.Var) -> str:
        return self.names[n.name]

    def of_Get(self, n: t.Get) -> str:
        assert isinstance(n.of.type, Struct)
        return f"{self.e(n.of)}.{field(n.of.type.fields[n.index][0])}"

    def of_Make(self, n: t.Make) -> str:
        return f"{self.home.type(n.type)}_of({self.all(n.parts)})"

    def of_Unary(self, n: t.Unary) -> str:
        if n.op == "abs" and n.type is not FLOAT:
            raise self.fault(n)
        x = self.e(n.x)
        return f"{self.home.prefix}_fabs({x})" if n.op == "abs" else f"({_SIGNS[n.op]}{x})"

    def of_Binary(self, n: t.Binary) -> str:
        if n.op in ("min", "max"):
            mark = "" if n.type is FLOAT else "_int"
            return f"{self.home.prefix}_{n.op}{mark}({self.e(n.x)}, {self.e(n.y)})"
        if n.op not in ("add", "sub", "mul", "div"):
            raise self.fault(n)
        return super().of_Binary(n)

    def of_Logic(self, n: t.Logic) -> str:
        return f"({self.e(n.x)} {_SIGNS[n.op]} {self.e(n.y)})"

    def of_Choose(self, n: t.Choose) -> str:
        return f"({self.e(n.test)} ? {self.e(n.yes)} : {self.e(n.no)})"

    def of_Cast(self, n: t.Cast) -> str:
        return f"({self.home.type(n.type)})({self.e(n.x)})"

    def of_Math(self, n: t.Math) -> str:
        """A function of `math`, in the type of the numbers."""
        return f"{self.home.prefix}_{n.name}({self.all(n.args)})"

    def of_Call(self, n: t.Call) -> str:
        return f"{self.home.name(n.function.name)}({self.all(n.args)})"

    def of_Load(self, n: t.Load) -> str:
        return f"{self.e(n.base)}.at[{self.all(n.places)}]"

    def of_Length(self, n: t.Length) -> str:
        return f"{self.e(n.base)}.count"
