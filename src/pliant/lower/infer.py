"""From the linker's definitions to the typed tree.

A function is made once for each tuple of argument types, by one walk over its syntax in which every
expression gets its type. Where a variable first holds an integer and later a float, it is a float
from the beginning, and the walk is done again.
"""

from collections.abc import Mapping, Sequence

from pliant.lower import typed as t
from pliant.lower.folded import as_type
from pliant.lower.infer_statements import Statements
from pliant.lower.link import Function, Linker
from pliant.lower.types import (
    ANY,
    FLOAT,
    INT32,
    LANES,
    MASK,
    NAMED,
    NOTHING,
    TRUTH,
    Cell,
    Struct,
    Type,
)

MANY_BRANCHES = 8
"""A function with more, such as a table of a spring, is not inlined wherever it is called; in lanes,
which compute both sides of a branch, it is called lane by lane: so many branches cost what eight lanes do."""


class Inference:
    """Functions of a linker, typed as they are asked for.

    Attributes:
        replaced: functions of `math` to linked ones that stand for them in a target.
        alone: the same for one lane, and by_lane: functions that are called by it, lane after lane.
    """

    def __init__(
        self, linker: Linker, width: int = 1, replaced: Mapping[str, str] | None = None
    ) -> None:
        self.linker, self.replaced = linker, dict(replaced or {})
        self.alone: Inference | None = None
        self.by_lane: set[str] = set()
        self.program, self.suffix = t.Program(width=width), ""
        self.sources = {x.name: x for x in linker.definitions if isinstance(x, Function)}
        self.structures = {x.name: x for x in linker.definitions if isinstance(x, Struct)}
        self._made: dict[tuple[str, tuple[Type, ...]], t.Function] = {}

    def entry(
        self, name: str, kinds: Sequence[Type], outside: str, returned: Type | None = None
    ) -> t.Function:
        """Type function `name` for arguments of these types, and let it be called as `outside`.

        Args:
            kinds, returned: a cell is how C hands over its value.
        """
        made = self.function(name, [x.value if isinstance(x, Cell) else x for x in kinds])
        cells = {a: x for (a, _), x in zip(made.arguments, kinds, strict=True)} | {
            "return": returned
        }
        made.narrow = frozenset(a for a, x in cells.items() if x is INT32)
        self.program.entries[outside] = made
        return made

    def function(self, name: str, kinds: Sequence[Type]) -> t.Function:
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
        """The function for arguments of the types that its signature declares."""
        source = self.sources[name]
        kinds: list[Type] = []
        for argument, kind in source.arguments:
            kinds.append(NAMED[source.annotations[argument]] if kind is ANY else kind)
        return self.function(name, kinds)

    def lanes(self) -> Type:
        """The type of lanes at this width."""
        return LANES if self.program.width > 1 else FLOAT

    def mask(self) -> Type:
        """The type of a truth for each lane."""
        return MASK if self.program.width > 1 else TRUTH

    def _typed(self, source: Function, kinds: Sequence[Type], name: str) -> t.Function:
        arguments = [(a, kind) for (a, _), kind in zip(source.arguments, kinds, strict=True)]
        body = Statements(self, source, arguments)
        statements = body.block(source.node.body)
        while body.grew:
            body.grew = False
            statements = body.block(source.node.body)
        variables, line, given = body.variables, body.line, list[tuple[str, Type]]()
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
            body.returns or NOTHING,
            statements,
            apart="apart" in source.marks or source.branches > MANY_BRANCHES,
            any_order="any_order" in source.marks,
        )
