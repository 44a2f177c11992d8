"""Reading and writing memory from compiled code, at no cost.

Addresses are plain integers (`intp`). `number(base, offset)` and its kin read a field of a
struct; `number_at(array, i)` and its kin an element of a C array. All of them compile to
one machine instruction inside `njit` and `cfunc`, and survive Numba's disk cache. Nothing
is checked: an offset comes from `layout()`, an index from the model.
"""

from typing import Any

from numba import njit, types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

__all__ = [
    "byte_at",
    "compiled",
    "flag_at",
    "inlined",
    "integer",
    "integer_at",
    "number",
    "number_at",
    "numbers",
    "pointer",
    "set_integer_at",
    "set_number_at",
    "size",
]


# Division by zero gives inf or nan: a native callback has nobody to raise to.
compiled = njit(error_model="numpy")
inlined = njit(inline="always", error_model="numpy")


def _loader(value: Any) -> Any:
    """An intrinsic `load(base, offset)` that reads one `value` at base + offset bytes."""

    @intrinsic
    def load(typing_context: Any, base: Any, offset: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments, value)
            return builder.load(place)

        return value(types.intp, types.intp), lower

    return load


def _storer(value: Any) -> Any:
    """An intrinsic `store(base, offset, x)` that writes one `value` at base + offset bytes."""

    @intrinsic
    def store(typing_context: Any, base: Any, offset: Any, x: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments, value)
            builder.store(arguments[2], place)
            return context.get_dummy_value()

        return types.void(types.intp, types.intp, value), lower

    return store


def _place(context: Any, builder: Any, signature: Any, arguments: Any, value: Any) -> Any:
    address = builder.add(arguments[0], arguments[1])
    return builder.inttoptr(address, context.get_value_type(value).as_pointer())


def _caster(value: Any) -> Any:
    """An intrinsic `cast(address)` that makes an address a C pointer to `value`."""

    @intrinsic
    def cast(typing_context: Any, address: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointed = context.get_value_type(value).as_pointer()
            return builder.inttoptr(arguments[0], pointed)

        return types.CPointer(value)(types.intp), lower

    return cast


_as_numbers = _caster(types.float64)
_load_number = _loader(types.float64)
_load_int32 = _loader(types.int32)
_load_int64 = _loader(types.int64)
_load_pointer = _loader(types.intp)
_load_byte = _loader(types.uint8)
_store_number = _storer(types.float64)
_store_int32 = _storer(types.int32)


@inlined
def pointer(base: int, offset: int) -> int:
    """The address stored in the field at `offset` of the struct at `base`."""
    return _load_pointer(base, offset)


@inlined
def number(base: int, offset: int) -> float:
    """The float64 field at `offset` of the struct at `base`."""
    return _load_number(base, offset)


@inlined
def integer(base: int, offset: int) -> int:
    """The int32 field at `offset` of the struct at `base`."""
    return _load_int32(base, offset)


@inlined
def size(base: int, offset: int) -> int:
    """The int64 field at `offset` of the struct at `base`."""
    return _load_int64(base, offset)


@inlined
def number_at(array: int, index: int) -> float:
    """Element `index` of the float64 array at `array`."""
    return _load_number(array, 8 * index)


@inlined
def integer_at(array: int, index: int) -> int:
    """Element `index` of the int32 array at `array`."""
    return _load_int32(array, 4 * index)


@inlined
def byte_at(array: int, index: int) -> int:
    """Element `index` of the array of bytes at `array`."""
    return _load_byte(array, index)


@inlined
def flag_at(array: int, index: int) -> bool:
    """Element `index` of the array of one-byte truth values at `array`."""
    return _load_byte(array, index) != 0


@inlined
def set_number_at(array: int, index: int, value: float) -> None:
    """Write element `index` of the float64 array at `array`."""
    _store_number(array, 8 * index, value)


@inlined
def set_integer_at(array: int, index: int, value: int) -> None:
    """Write element `index` of the int32 array at `array`."""
    _store_int32(array, 4 * index, types.int32(value))


@inlined
def numbers(array: int, count: int) -> Any:
    """The `count` float64 at address `array` as a NumPy array that owns nothing."""
    return carray(_as_numbers(array), (count,))
