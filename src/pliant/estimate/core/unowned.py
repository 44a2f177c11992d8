"""Arrays whose memory is not counted, for compiled code that works on another's buffers.

Every view of an array raises the count of its owner and lowers it again, atomically: with the many
views of `State` that took more time than the estimator itself.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic
def unowned(typing_context: Any, array: Any) -> Any:
    """The same array, whose memory somebody else holds for as long as it is used."""
    if not isinstance(array, types.Array):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = make_array(array)
        given, same = made(context, builder, arguments[0]), made(context, builder)
        for name in ("data", "nitems", "itemsize", "shape", "strides", "parent"):
            setattr(same, name, getattr(given, name))
        same.meminfo = given.meminfo.type(None)
        same.parent = given.parent.type(None)
        return same._getvalue()

    return array(array), code
