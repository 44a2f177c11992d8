"""Reading and writing memory from compiled code, at no cost.

Addresses are plain integers (`intp`). `number(base, offset)` and its kin read a field of a
struct; `number_at(array, i)` and its kin an element of a C array. All of them compile to
one machine instruction inside `njit` and `cfunc`, and survive Numba's disk cache. Nothing
is checked: an offset comes from `layout()`, an index from the model.
"""

from typing import Any

from numba import njit, types
from numba.extending import intrinsic
from numba.np import arrayobj

__all__ = [
    "byte_at",
    "compiled",
    "inlined",
    "integer",
    "integer_at",
    "number",
    "number_at",
    "numbers",
    "pointer",
    "set_integer_at",
    "set_number_at",
    "set_pointer",
    "size",
]


_arrays: Any = arrayobj  # Numba has no types

# Division by zero gives inf or nan: a native callback has nobody to raise to. Compiled code alone
# may call these, and none makes an array: a way in from Python and the counting of references would
# take longer to compile than the functions. Called from Python, they end the process.
_LEAN: Any = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
compiled = njit(**_LEAN)
inlined = njit(forceinline=True, **_LEAN)


def _loader(value: Any, stride: int) -> Any:
    """An intrinsic `load(base, index)` that reads the `value` at base + stride * index bytes."""

    @intrinsic
    def load(typing_context: Any, base: Any, index: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(_place(context, builder, arguments, value, stride))

        return value(types.intp, types.intp), lower

    return load


def _storer(value: Any, stride: int) -> Any:
    """An intrinsic `store(base, index, x)` that writes a `value` at base + stride * index bytes."""

    @intrinsic
    def store(typing_context: Any, base: Any, index: Any, x: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], _place(context, builder, arguments, value, stride))
            return context.get_dummy_value()

        return types.void(types.intp, types.intp, value), lower

    return store


def _place(context: Any, builder: Any, arguments: Any, value: Any, stride: int) -> Any:
    base, index = arguments[:2]
    address = builder.add(base, builder.mul(index, index.type(stride)))
    return builder.inttoptr(address, context.get_value_type(value).as_pointer())


def _viewer() -> Any:
    """An intrinsic `view(address, count)`: the array of `count` numbers there, owned by nobody."""
    kind = types.Array(types.float64, 1, "C")

    @intrinsic
    def view(typing_context: Any, address: Any, count: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address, count = arguments
            array = _arrays.make_array(kind)(context, builder)
            pointed = context.get_value_type(types.float64).as_pointer()
            width = count.type(8)
            _arrays.populate_array(
                array,
                data=builder.inttoptr(address, pointed),
                shape=[count],
                strides=[width],
                itemsize=width,
                meminfo=None,
            )
            return array._getvalue()

        return kind(types.intp, types.intp), lower

    return view


# Intrinsics, not functions: a function costs the compiler some time at each of a hundred places.
pointer = _loader(types.intp, 1)
"""pointer(base, offset): the address stored in the field at `offset` of the struct at `base`."""
number = _loader(types.float64, 1)
"""number(base, offset): the float64 field at `offset` of the struct at `base`."""
integer = _loader(types.int32, 1)
"""integer(base, offset): the int32 field at `offset` of the struct at `base`."""
size = _loader(types.int64, 1)
"""size(base, offset): the int64 field at `offset` of the struct at `base`."""
number_at = _loader(types.float64, 8)
"""number_at(array, index): element `index` of the float64 array at `array`."""
integer_at = _loader(types.int32, 4)
"""integer_at(array, index): element `index` of the int32 array at `array`."""
byte_at = _loader(types.uint8, 1)
"""byte_at(array, index): element `index` of the array of bytes, or truth values, at `array`."""
set_number_at = _storer(types.float64, 8)
"""set_number_at(array, index, value): write element `index` of the float64 array at `array`."""
set_pointer = _storer(types.intp, 1)
"""set_pointer(base, offset, address): write the address at `offset` of the struct at `base`."""
set_integer_at = _storer(types.int32, 4)
"""set_integer_at(array, index, value): write element `index` of the int32 array at `array`."""
numbers = _viewer()
"""numbers(array, count): the `count` float64 at address `array` as a NumPy array."""
