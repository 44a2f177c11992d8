"""Models that only Pliant can load from a binary file.

MuJoCo saves a plugin as its number in the process. Another process that loads the binary model calls
what has that number there, or the address 0 where nothing has, and ends without a word. But MuJoCo
refuses a binary model with an address out of bounds. So the plugin locks each model that it accepts:
`plugin_stateadr`, which nothing but the plugin uses, is out of bounds, and tells where the state is
all the same (`LOCK - address`). `pliant.load_binary` unlocks what it reads; all others refuse it with
MuJoCo's "Invalid model: plugin_stateadr out of bounds".
"""

import struct
from collections.abc import Iterable
from functools import cache
from math import prod
from typing import Any

import mujoco
import numpy as np

from pliant.engines.spec.slots import LOCK

__all__ = ["lock", "unlocked"]

_HEADER = struct.Struct("5i")
"""Beginning of a saved model; its sizes follow, and at the end its arrays."""
_BYTES = {"mjtNum": 8, "int": 4, "char": 1}


def lock(model: mujoco.MjModel, instances: Iterable[int]) -> None:
    """Lock plugin instances of a model, as making an `MjData` does; again changes nothing."""
    addresses: Any = getattr(model, "plugin_stateadr")  # noqa: B009 - the stubs lack it
    for instance in instances:
        addresses[instance] = min(addresses[instance], LOCK - addresses[instance])


def unlocked(content: bytes) -> bytes:
    """A saved model as it was before it was locked; what is none comes back as it is."""
    names, arrays = _format()
    if len(content) < _HEADER.size + 8 * len(names):
        return content
    numbers = struct.unpack_from(f"{len(names)}q", content, _HEADER.size)
    sizes = dict(zip(names, numbers, strict=True))
    behind = sum(
        width * prod(int(count) if count.isdigit() else sizes[count] for count in counts)
        for width, counts in arrays
    )
    begin, count = len(content) - behind, sizes["nplugin"]
    if not (begin >= 0 and 0 < count <= behind // 4):
        return content
    addresses = np.frombuffer(content, np.int32, count, begin).astype(np.int64)
    free = np.where(addresses < -1, LOCK - addresses, addresses).astype(np.int32)
    return content[:begin] + free.tobytes() + content[begin + free.nbytes :]


@cache
def _format() -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Names of a saved model's sizes; bytes and counts of its arrays from `plugin_stateadr` on."""
    from mujoco.introspect.structs import STRUCTS

    fields = STRUCTS["mjModel"].fields
    names = [field.name for field in fields]
    arrays = [
        (_BYTES[field.type.inner_type.name], "*".join(map(str, field.array_extent)).split("*"))
        for field in fields[names.index("plugin_stateadr") :]
        if field.array_extent
    ]
    return names[: names.index("nbuffer") + 1], arrays
