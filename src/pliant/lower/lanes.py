"""Numbers in lanes: one vector of floats for each variable, as a type for Numba.

Arithmetic, comparisons, `min`, `max`, `abs`, `float` and the functions of `math` work on it as on a
float, lane by lane, and a plain float beside it stands for the same number in every lane. So a law
compiles for lanes as it is, once its branches are selections (`branchless`). It is a vector of LLVM's
own, which every processor can do: LLVM cuts it into as wide pieces as there are. Nothing is fused or
reordered, so a lane computes what a float would, up to the last digits of `elementary`.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportMissingParameterType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownLambdaType=false, reportUntypedClassDecorator=false
import math
import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from pliant.lower.branchless import WIDTH

_infer_global: Any = infer_global  # Numba has no types
_intrinsic: Any = intrinsic


class Lanes(types.Type):
    """WIDTH floats."""

    def __init__(self) -> None:
        super().__init__(f"Lanes({WIDTH})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """A number is the same in every lane."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


class Mask(types.Type):
    """WIDTH truth values."""

    def __init__(self) -> None:
        super().__init__(f"Mask({WIDTH})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """A truth value is the same in every lane."""
        return Conversion.safe if isinstance(other, types.Boolean) else None


lanes, mask = Lanes(), Mask()
DOUBLES, BITS = ir.VectorType(ir.DoubleType(), WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
WORDS = ir.VectorType(ir.IntType(64), WIDTH)
_INDEX = ir.IntType(32)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, DOUBLES)


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, BITS)


def splat(builder: Any, value: Any, kind: Any) -> Any:
    """One value in every lane of a vector."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _to_lanes(context: Any, builder: Any, fromty: Any, toty: Any, val: Any) -> Any:
    return splat(builder, context.cast(builder, val, fromty, types.float64), DOUBLES)


@lower_cast(types.Boolean, Mask)
def _to_mask(context: Any, builder: Any, fromty: Any, toty: Any, val: Any) -> Any:
    return splat(builder, builder.trunc(val, ir.IntType(1)) if val.type.width > 1 else val, BITS)


def _typed(key: Any, result: Any, count: int) -> None:
    """Tell Numba that `key` of `count` numbers, one of them in lanes, is a `result`."""

    @_infer_global(key)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            given = all(isinstance(a, (Lanes, types.Float, types.Integer)) for a in args)
            if len(args) == count and given and any(isinstance(a, Lanes) for a in args):
                return signature(result, *[lanes] * count)
            return None


def _lowered(key: Any, result: Any, count: int, emit: Any) -> None:
    _typed(key, result, count)

    @lower_builtin(key, *[Lanes] * count)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


def _called(name: str) -> Any:
    """LLVM's own function of one vector, or of two."""

    def emit(builder: Any, *args: Any) -> Any:
        kind = ir.FunctionType(DOUBLES, [DOUBLES] * len(args))
        function = get_or_insert_function(builder.module, kind, f"{name}.v{WIDTH}f64")
        return builder.call(function, args)

    return emit


for _key, _emit in {
    operator.add: lambda b, x, y: b.fadd(x, y),
    operator.sub: lambda b, x, y: b.fsub(x, y),
    operator.mul: lambda b, x, y: b.fmul(x, y),
    operator.truediv: lambda b, x, y: b.fdiv(x, y),
    operator.iadd: lambda b, x, y: b.fadd(x, y),
    operator.isub: lambda b, x, y: b.fsub(x, y),
    operator.imul: lambda b, x, y: b.fmul(x, y),
    operator.itruediv: lambda b, x, y: b.fdiv(x, y),
    min: lambda b, x, y: b.select(b.fcmp_ordered("<", y, x), y, x),
    max: lambda b, x, y: b.select(b.fcmp_ordered(">", y, x), y, x),
    math.copysign: _called("llvm.copysign"),
}.items():
    _lowered(_key, lanes, 2, _emit)
for _key, _emit in {
    operator.neg: lambda b, x: b.fneg(x),
    operator.pos: lambda b, x: x,
    abs: _called("llvm.fabs"),
    math.fabs: _called("llvm.fabs"),
    math.floor: _called("llvm.floor"),
    math.ceil: _called("llvm.ceil"),
    math.trunc: _called("llvm.trunc"),
    math.sqrt: _called("llvm.sqrt"),
}.items():
    _lowered(_key, lanes, 1, _emit)
for _key, _sign in {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
}.items():
    _lowered(_key, mask, 2, lambda b, x, y, sign=_sign: b.fcmp_ordered(sign, x, y))
_lowered(operator.ne, mask, 2, lambda b, x, y: b.fcmp_unordered("!=", x, y))


def _by_library(key: Any, count: int) -> Any:
    """Code of a function of `math` that has no vector form: the float's, lane after lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        scalar = signature(types.float64, *[types.float64] * count)
        function = context.get_function(key, scalar)
        out = ir.Constant(DOUBLES, ir.Undefined)
        for k in range(WIDTH):
            values = [builder.extract_element(a, _INDEX(k)) for a in args]
            out = builder.insert_element(out, function(builder, values), _INDEX(k))
        return out

    return emit


def one_by_one(key: Any) -> Any:
    """The C library's function of each lane, to call by a name of its own."""
    return _intrinsic(lambda typingctx, x: (lanes(lanes), _by_library(key, 1)))


_ONE = "acos acosh asin asinh atan atanh erf expm1 log log10 log1p tan tanh"
for _name in _ONE.split():
    _typed(getattr(math, _name), lanes, 1)
    lower_builtin(getattr(math, _name), Lanes)(_by_library(getattr(math, _name), 1))
for _name in ("atan2", "hypot"):
    _typed(getattr(math, _name), lanes, 2)
    lower_builtin(getattr(math, _name), Lanes, Lanes)(_by_library(getattr(math, _name), 2))
