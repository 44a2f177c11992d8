"""Arrays whose memory is not counted, for compiled code that works on another's buffers.

Every view of an array raises the count of its owner and lowers it again, atomically: with the many
views of `State` that took more time than the estimator itself.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic
from numba.np import arrayobj

_numba: Any = arrayobj  # it declares no types
_array: Any = types.Array


def _unowned(typing_context: Any, array: Any) -> Any:
    """For the compiler: the array's fields, but for those that count."""
    if not isinstance(array, _array):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        same = _numba.make_array(array)(context, builder, arguments[0])
        for owner in ("meminfo", "parent"):
            setattr(same, owner, getattr(same, owner).type(None))
        return same._getvalue()  # noqa: SLF001 - Numba's way to hand a struct on

    return array(array), code


unowned: Any = intrinsic(_unowned)
"""The same array, whose memory somebody else holds for as long as it is used."""
