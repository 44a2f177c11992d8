"""Fields of structures, elements of arrays and memory, while a function is typed."""

import ast
from typing import Any, cast

from pliant.lower import typed as t
from pliant.lower.folded import as_type
from pliant.lower.infer_values import Known, Values
from pliant.lower.types import INTEGER, Array, Cell, Pointer, Record, Struct, array, pointer, struct


class Access(Values):
    """Fields, elements, slices."""

    def of_Attribute(self, node: ast.Attribute) -> "t.Expression | Known":
        of = self.any(node.value)
        if isinstance(of, Known):
            return self.known(getattr(of.value, node.attr), node)
        kind = of.type
        if isinstance(kind, Array) and node.attr == "shape":
            lengths: list[t.Expression] = [t.Length(INTEGER, of, k) for k in range(kind.rank)]
            return t.Make(struct("", tuple((str(k), INTEGER) for k in range(kind.rank))), lengths)
        if isinstance(kind, Struct):
            names = [name for name, _ in kind.fields]
            if node.attr not in names:
                raise self.fault(node, f"{kind} has no such field", node.attr, names)
            place = names.index(node.attr)
            return t.Get(kind.fields[place][1], of, place)
        if isinstance(kind, Pointer) and isinstance(kind.to, Record):
            if node.attr not in kind.to.fields:
                raise self.fault(node, f"{kind.to} has no such field", node.attr)
            _, what = kind.to.fields[node.attr]
            inside = what.value if isinstance(what, Cell) else what
            return t.Member(
                pointer(inside) if isinstance(inside, Record) else inside, of, node.attr
            )
        raise self.fault(node, f"{kind} has no fields", node.attr)

    def of_Subscript(self, node: ast.Subscript) -> t.Expression:
        of = self.any(node.value)
        if isinstance(of, Known):
            assert isinstance(node.slice, ast.Constant)
            return cast("t.Expression", self.known(of.value[node.slice.value], node))
        if isinstance(of.type, Struct):
            place = self.value(node.slice)
            if not isinstance(place, t.Const):
                raise self.fault(node, "is not a constant index", ast.unparse(node.slice))
            if isinstance(of, t.Make):
                return of.parts[int(place.value)]
            return t.Get(of.type.fields[int(place.value)][1], of, int(place.value))
        cuts = [
            self._cut(one)
            for one in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
        ]
        if isinstance(of.type, Pointer) and isinstance(of.type.to, Cell):
            return self._behind(of, of.type, of.type.to, cuts, node)
        if not isinstance(of.type, Array) or len(cuts) > of.type.rank:
            raise self.fault(node, f"{of.type} has no such element", ast.unparse(node.slice))
        return self._element(of, of.type, cuts)

    def _cut(self, node: ast.expr) -> "t.Expression | tuple[t.Expression, t.Expression | None]":
        if not isinstance(node, ast.Slice):
            return as_type(self.value(node), INTEGER)
        low = as_type(self.value(node.lower), INTEGER) if node.lower else t.Const(INTEGER, 0)
        return low, as_type(self.value(node.upper), INTEGER) if node.upper else None

    def _behind(
        self, of: t.Expression, kind: Pointer, cell: Cell, cuts: list[Any], node: ast.AST
    ) -> t.Expression:
        """The value behind a pointer: a number, a row, or the pointer moved on."""
        if any(isinstance(one, tuple) for one in cuts):
            if len(cuts) > 1 or cuts[0][1] is not None:
                raise self.fault(node, "nothing is known of where it ends", kind, "p[a:]")
            return t.Cut(kind, of, cuts)
        if len(cuts) == 1 and kind.row > 1:
            return t.Cut(pointer(cell), of, cuts)
        if len(cuts) > 1 and kind.row == 1:
            raise self.fault(node, "has no rows", kind, "p[i]")
        return t.Load(cell.value, of, cuts)

    def _element(self, of: t.Expression, kind: Array, cuts: list[Any]) -> t.Expression:
        places: list[Any] = [
            t.Binary(INTEGER, "add", t.Length(INTEGER, of, axis), one)
            if isinstance(one, t.Const) and one.value < 0
            else one
            for axis, one in enumerate(cuts)
        ]
        sliced = [isinstance(one, tuple) for one in places]
        if not any(sliced) and len(places) == kind.rank:
            return t.Load(kind.cell.value, of, places)
        rank = kind.rank - sliced.count(False)
        first = sliced.index(True) if True in sliced else len(places)
        whole = all(
            flat and one[1] is None and _is_zero(one[0])
            for flat, one in zip(sliced[first + 1 :], places[first + 1 :], strict=True)
        )
        return t.Cut(array(kind.cell, rank, kind.dense and whole), of, places)


def _is_zero(x: t.Expression) -> bool:
    return isinstance(x, t.Const) and x.value == 0
