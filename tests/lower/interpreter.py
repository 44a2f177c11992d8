"""The typed tree, interpreted node by node: an oracle that no target shares."""

import math
from collections.abc import Sequence
from typing import Any

from pliant.lower import typed as t
from pliant.lower.types import FLOAT, INTEGER, TRUTH


class _LeftError(Exception):
    def __init__(self, value: Any = None) -> None:
        self.value = value


class _BrokenError(Exception):
    pass


class _ContinuedError(Exception):
    pass


def run(function: t.Function, arguments: Sequence[Any]) -> Any:
    """What a function returns; structures are tuples, arrays are lists."""
    names = [name for name, _ in function.arguments]
    frame = dict(zip(names, arguments, strict=True))
    try:
        _block(function.body, frame)
    except _LeftError as left:
        return left.value
    return None


def _block(body: Sequence[t.Statement], frame: dict[str, Any]) -> None:
    for node in body:
        _statement(node, frame)


def _statement(node: t.Statement, frame: dict[str, Any]) -> None:
    match node:
        case t.Set(name=name, value=value):
            frame[name] = _value(value, frame)
        case t.Return(value=value):
            raise _LeftError(None if value is None else _value(value, frame))
        case t.Do(value=value):
            _value(value, frame)
        case t.If(test=test, body=body, orelse=orelse):
            _block(body if _value(test, frame) else orelse, frame)
        case t.While(test=test, body=body):
            while _value(test, frame) and not _turn(body, frame):
                pass
        case t.For(name=name, low=low, high=high, step=step, body=body):
            for k in range(_value(low, frame), _value(high, frame), step):
                frame[name] = k
                if _turn(body, frame):
                    break
        case t.Store(base=base, places=places, value=value):
            at = tuple(_value(one, frame) for one in places)
            _value(base, frame)[at if len(at) > 1 else at[0]] = _value(value, frame)
        case t.Break():
            raise _BrokenError
        case t.Continue():
            raise _ContinuedError
        case _:
            raise NotImplementedError(type(node))


def _turn(body: Sequence[t.Statement], frame: dict[str, Any]) -> bool:
    """Whether the loop was left."""
    try:
        _block(body, frame)
    except _ContinuedError:
        return False
    except _BrokenError:
        return True
    return False


_BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "min": min,
    "max": max,
}
_TESTS = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def _value(node: t.Expression, frame: dict[str, Any]) -> Any:
    def of(one: t.Expression) -> Any:
        return _value(one, frame)

    match node:
        case t.Const(value=value):
            return float(value) if node.type is FLOAT else value
        case t.Var(name=name):
            return frame[name]
        case t.Get(of=structure, index=index):
            return of(structure)[index]
        case t.Make(parts=parts):
            return tuple(map(of, parts))
        case t.Unary(op=op, x=x):
            return {"neg": lambda v: -v, "not": lambda v: not v, "abs": abs}[op](of(x))
        case t.Binary(op=op, x=x, y=y):
            return _BINARY[op](of(x), of(y))
        case t.Compare(op=op, x=x, y=y):
            return _TESTS[op](of(x), of(y))
        case t.Logic(op=op, x=x, y=y):
            return (of(x) and of(y)) if op == "and" else (of(x) or of(y))
        case t.Choose(test=test, yes=yes, no=no):
            return of(yes) if of(test) else of(no)
        case t.Cast(x=x):
            return {FLOAT: float, INTEGER: int, TRUTH: bool}[node.type](of(x))
        case t.Math(name=name, args=args):
            return float(getattr(math, name)(*map(of, args)))
        case t.Call(function=function, args=args):
            return run(function, [*map(of, args)])
        case t.Load(base=base, places=places):
            at = tuple(map(of, places))
            return of(base)[at if len(at) > 1 else at[0]]
        case _:
            raise NotImplementedError(type(node))
