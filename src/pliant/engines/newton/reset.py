"""The reset of some actuators' state, as a Warp kernel."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def clear(mask: wp.array[wp.bool], act: wp.array2d[float]):
    """Zero the rows that `mask` marks."""
    i, k = wp.tid()
    if mask[i]:
        act[i, k] = 0.0
