"""Models that move between processes: binary files, pickles, spawned workers.

A compiled model holds the slot numbers of its plugins, which depend on the process: they are the order in which
it registered its actuators. Here they are looked up again by the fingerprint of the laws in the model, and the
actuator that it names is registered if necessary. `make_movable` lets pickles of `MjModel` and `MjData` do so;
pickles of other models are unchanged.

MuJoCo saves a plugin as its number in the process. Another process that loads the binary model calls whatever has
that number there, or the address 0 if nothing has, and crashes silently. But MuJoCo refuses a binary model with an
address out of bounds. So the plugin locks each model that it accepts: `plugin_stateadr`, which only the plugin uses,
is set out of bounds, in a way that still encodes the state's address (`LOCK - address`). `pliant.load_binary` unlocks
the model; everything else refuses it with MuJoCo's "Invalid model: plugin_stateadr out of bounds".
"""

import copyreg
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files, find, law_files, load_law, load_topology
from pliant.engines.mujoco.plugin.register import register, registered
from pliant.engines.mujoco.plugin.table import library
from pliant.engines.mujoco.plugin.written import found_again, has_written
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.joints import has_budget, inertias_in
from pliant.engines.spec.names import signed
from pliant.engines.spec.readings import ratio_in, target_of
from pliant.engines.spec.slots import FINGERPRINT_DIGITS, FINGERPRINT_MARK, LOCK
from pliant.engines.spec.steps import steps_of
from pliant.errors import PliantError, located
from pliant.files import as_path
from pliant.io.actuator_file import load_actuator

__all__ = ["load_binary", "lock", "make_movable", "unlocked"]


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


_SIGNED = re.compile(f"{FINGERPRINT_MARK}[0-9a-f]{{{FINGERPRINT_DIGITS}}}")
_WHOLE = "model"
"""Name of a model's bytes among MuJoCo's assets."""


def load_binary(path: str | Path) -> tuple[mujoco.MjModel, Attachment]:
    """Read a binary model (`mj_saveModel`, `*.mjb`) with Pliant's actuators, exactly as saved.

    `MjModel.from_binary_path` takes plugins by their number in another process. So it refuses these
    files, see `lock`.

    Args:
        path: the file, of the installed MuJoCo version.

    Returns:
        The compiled model, and its actuators.

    Raises:
        PliantError: the file cannot be read, or names an actuator that does not exist here or has
            other laws here.
    """
    path = as_path(path, "a binary model: *.mjb")
    make_movable()
    try:
        model = _loaded(path.read_bytes())
    except OSError as error:
        raise PliantError("cannot be read", file=path, found=error.strerror) from None
    except (ValueError, mujoco.FatalError) as error:
        found = " ".join(str(error).split())
        raise PliantError(
            "MuJoCo refuses it", file=path, found=found, accepted="*.mjb of this MuJoCo version"
        ) from None
    with located(path):
        ours = _adopted(model, path)
        lock(model, ours)
        return model, _attachment(model, ours)


def _loaded(content: bytes) -> mujoco.MjModel:
    return mujoco.MjModel.from_binary_path(_WHOLE, {_WHOLE: unlocked(content)})


def _adopted(model: mujoco.MjModel, path: Path) -> dict[int, Actuator]:
    """Give the plugin instances of a model this process's slots; instance to actuator."""
    found: dict[int, Actuator] = {}
    for instance in range(model.nplugin):
        laws, reference = _attributes(model, instance)
        if has_written(model, instance):
            model.plugin[instance], found[instance] = _slot_again(model, instance)
            continue
        if _SIGNED.fullmatch(laws) is None:
            _check_slot(model, instance)
            continue
        found[instance] = actuator = _actuator(laws, reference, path)
        model.plugin[instance] = register(actuator).slot
    return found


def _check_slot(model: mujoco.MjModel, instance: int) -> None:
    """Refuse a plugin of another process: MuJoCo would take it by its number, and call an invalid address."""
    if not library().mjp_getPluginAtSlot(int(model.plugin[instance])):
        raise PliantError(
            "is not in this process",
            field=f"plugin instance {instance}",
            accepted="the model's XML",
        )


def _slot_again(model: mujoco.MjModel, instance: int) -> tuple[int, Actuator]:
    known = found_again(model, instance)
    if known is None:
        raise PliantError(
            "was compiled by MuJoCo alone, with an actuator that this process has not loaded",
            field=f"plugin instance {instance}",
            accepted="the same actuator, attached or loaded here first; or the model's XML",
        )
    return known


def _attributes(model: mujoco.MjModel, instance: int) -> tuple[str, str]:
    """The first two attributes of a plugin instance: laws and actuator."""
    begin = int(model.plugin_attradr[instance])
    text = np.asarray(model.plugin_attr[begin:], dtype=np.int8).tobytes()
    laws, reference, *_ = [part.decode(errors="replace") for part in text.split(b"\0")] + ["", ""]
    return laws, reference


def _actuator(laws: str, reference: str, path: Path) -> Actuator:
    """The actuator that a model names; where it is not here, one of this process with its laws.

    The compiled code is the same for all actuators of the same laws, and the numbers are the
    model's.
    """
    try:
        return _named(laws, reference, path)
    except PliantError:
        known = next((one for one in registered().values() if signed(one) == laws), None)
        if known is None:
            raise
        return known


def _named(laws: str, reference: str, path: Path) -> Actuator:
    actuator = load_actuator(find("actuator", reference, actuator_files(), path))
    if signed(actuator) != laws:
        raise PliantError(
            f"was saved with other laws than the actuator {reference} has here",
            file=path,
            field="plugin",
            found=laws,
            accepted=signed(actuator),
        )
    return actuator


def _attachment(model: mujoco.MjModel, instances: dict[int, Actuator]) -> Attachment:
    entries = [
        (k, target_of(model, k), instances[int(instance)])
        for k, instance in enumerate(model.actuator_plugin)
        if int(instance) in instances
    ]
    springs = [joint for _, joint, actuator in entries if not has_budget(actuator)]
    inertias, coupling = inertias_in(model, [joint for _, joint, _ in entries], springs)
    joints: list[Attached] = []
    for (k, joint, actuator), inertia in zip(entries, inertias, strict=True):
        own = actuator
        if not has_written(model, int(model.actuator_plugin[k])):
            values = dict(zip(actuator.fields, model.actuator_user[k].tolist(), strict=False))
            own = actuator.with_values(values, "saved model", "convention")
        gear = ratio_in(model, k)
        steps = steps_of(own, inertia / gear**2, float(model.opt.timestep), coupling)
        joints.append(Attached(joint, model.actuator(k).name, own, (), steps))
    return Attachment(tuple(joints), None)


# --- pickles -------------------------------------------------------------------------------


@dataclass(frozen=True)
class PluginSources:
    """Sources of a plugin: names of the catalogue, or files."""

    name: str
    topology: str
    laws: tuple[tuple[str, str, str], ...]
    """Port, family, law."""
    path: Path | None

    @classmethod
    def of(cls, actuator: Actuator) -> "PluginSources":
        laws = [
            (
                port,
                law.kind,
                law.name if law_files(law.kind).get(law.name) == law.path else str(law.path),
            )
            for port, law in actuator.laws.items()
        ]
        return cls(actuator.name, str(actuator.topology.path), tuple(laws), actuator.path)

    def actuator(self) -> Actuator:
        """The actuator without numbers: those are in the model."""
        laws = {port: load_law(family, law) for port, family, law in self.laws}
        topology = load_topology(self.topology)
        return Actuator(self.name, "", "", topology, laws, {}, {}, path=self.path)


def _reduced_model(model: mujoco.MjModel) -> Any:
    ours = _recipes(model)
    if not ours:
        return model.__reduce_ex__(4)
    content = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, content)
    return _restored_model, (content.tobytes(), ours)


def _recipes(model: mujoco.MjModel) -> list[tuple[int, PluginSources]]:
    here = registered()
    slots = [(instance, int(slot)) for instance, slot in enumerate(model.plugin[: model.nplugin])]
    return [(instance, PluginSources.of(here[slot])) for instance, slot in slots if slot in here]


def _restored_model(content: bytes, recipes: list[tuple[int, PluginSources]]) -> mujoco.MjModel:
    model = _loaded(content)
    make_movable()
    for instance, recipe in recipes:
        model.plugin[instance] = register(recipe.actuator()).slot
    lock(model, [instance for instance, _ in recipes])
    return model


def _reduced_data(data: mujoco.MjData) -> Any:
    model = data.model
    if not _recipes(model):
        return data.__reduce_ex__(4)
    state = np.empty(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, state, _STATE)
    return _restored_data, (model, state)


def _restored_data(model: mujoco.MjModel, state: np.ndarray[Any, Any]) -> mujoco.MjData:
    """The data with all that its future depends on; what derives from it is computed anew."""
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, state, _STATE)
    mujoco.mj_forward(model, data)
    mujoco.mj_setState(model, data, state, _STATE)  # the solver's last solution is part of it
    return data


_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_REDUCTIONS: dict[type, Callable[[Any], Any]] = {
    mujoco.MjModel: _reduced_model,
    mujoco.MjData: _reduced_data,
}


def make_movable() -> None:
    """Let pickles of models with Pliant's actuators name those, and find them where they arrive."""
    for kind, reduction in _REDUCTIONS.items():
        copyreg.pickle(kind, reduction)
