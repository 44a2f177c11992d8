"""Choices between lanes, and their way into arrays and out of them: what code for lanes calls.

`branchless` writes `select`, `both`, `either`, `opposite`, `number` and `wide` in place of a law's
branches; loops of engines use the rest.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportMissingParameterType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownLambdaType=false, reportUntypedClassDecorator=false
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from pliant.lower.branchless import WIDTH
from pliant.lower.lanes import DOUBLES, Mask, lanes, mask

_intrinsic: Any = intrinsic  # Numba has no types
_DOUBLE = 8
"""Bytes: arrays of Numba are aligned to no more."""
_MASK_WORD = ir.IntType(WIDTH)


@_intrinsic
def wide(typingctx: Any, x: Any) -> Any:
    """A number as lanes, if it is not that yet; a truth value as 0 or 1; a named tuple as it is."""
    if isinstance(x, types.BaseTuple):  # its own fields were made wide
        return x(x), lambda context, builder, sig, args: args[0]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _wide(context, builder, args[0], sig.args[0])

    return lanes(x), emit


def _wide(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    if isinstance(kind, Mask):
        return builder.uitofp(value, DOUBLES)
    if isinstance(kind, types.Boolean):
        kind, value = types.float64, context.cast(builder, value, kind, types.float64)
    return context.cast(builder, value, kind, lanes)


@_intrinsic
def select(typingctx: Any, test: Any, yes: Any, no: Any) -> Any:
    """`yes` where the test holds and `no` elsewhere; named tuples field by field."""
    result = _chosen(test, yes, no)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _selected(context, builder, args, sig.args, result)

    return result(test, yes, no), emit


def _chosen(test: Any, yes: Any, no: Any) -> Any:
    if isinstance(yes, types.BaseTuple):
        return yes
    if isinstance(yes, (Mask, types.Boolean)) and isinstance(no, (Mask, types.Boolean)):
        return mask
    return lanes


def _selected(context: Any, builder: Any, args: Any, kinds: Any, result: Any) -> Any:
    test, yes, no = args
    if isinstance(result, types.BaseTuple):
        out = context.get_constant_undef(result)
        fields: Any = result
        for k, kind in enumerate(fields.types):
            parts = (builder.extract_value(yes, k), builder.extract_value(no, k))
            of = (kinds[0], kind, kind)
            out = builder.insert_value(
                out, _selected(context, builder, (test, *parts), of, kind), k
            )
        return out
    test = context.cast(builder, test, kinds[0], mask)
    yes = context.cast(builder, yes, kinds[1], result)
    no = context.cast(builder, no, kinds[2], result)
    return builder.select(test, yes, no)


def _logic(name: str) -> Any:
    def both_ways(typingctx: Any, one: Any, other: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a, b = (_truth(context, builder, x, k) for x, k in zip(args, sig.args, strict=True))
            return getattr(builder, name)(a, b)

        return mask(one, other), emit

    return both_ways


def _truth(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    """A number holds where it is not 0."""
    if isinstance(kind, (Mask, types.Boolean)):
        return context.cast(builder, value, kind, mask)
    value = context.cast(builder, value, kind, lanes)
    return builder.fcmp_unordered("!=", value, ir.Constant(DOUBLES, [0.0] * WIDTH))


both: Any = _intrinsic(_logic("and_"))
either: Any = _intrinsic(_logic("or_"))


@_intrinsic
def opposite(typingctx: Any, one: Any) -> Any:
    """`not`."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.not_(_truth(context, builder, args[0], sig.args[0]))

    return mask(one), emit


@_intrinsic
def some(typingctx: Any, test: Any) -> Any:
    """Whether it holds in any lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], _MASK_WORD), _MASK_WORD(0))

    return types.boolean(mask), emit


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Pointer to row `i` of a (…, WIDTH) array."""
    kind = sig.args[0]
    array = context.make_array(kind)(context, builder, args[0])
    row = context.cast(builder, args[1], sig.args[1], types.intp)
    at = builder.mul(row, row.type(WIDTH))
    return builder.bitcast(builder.gep(array.data, [at]), DOUBLES.as_pointer())


@_intrinsic
def row(typingctx: Any, array: Any, i: Any) -> Any:
    """Row `i` of a contiguous (N, WIDTH) array, as lanes."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, sig, args), align=_DOUBLE)

    return lanes(array, i), emit


@_intrinsic
def put(typingctx: Any, array: Any, i: Any, x: Any) -> Any:
    """Write lanes into row `i` of a contiguous (N, WIDTH) array."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = context.cast(builder, args[2], sig.args[2], lanes)
        builder.store(value, _place(context, builder, sig, args), align=_DOUBLE)
        return context.get_dummy_value()

    return signature(types.void, array, i, x), emit
