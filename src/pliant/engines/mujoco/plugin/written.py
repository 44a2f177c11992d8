"""Actuators of a model that MuJoCo alone reads: the part of `load_model` that the plugin can do.

MuJoCo makes the first data of a model while still compiling it, and initialises the plugins. At that point
`finish` sets up the joints as `attach` would, recomputes the model's constants, and chooses sub-steps and
grip. For each data, it gives the plugin the parameters from the actuator's file and from `<config>`.

Left out: a second control and a history of commands, which a plugin cannot add. The model must have them, and
the message says how.
"""

import ctypes
import hashlib
import sys
from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.engines.mujoco.plugin.register import registered
from pliant.engines.mujoco.plugin.table import address_of
from pliant.engines.mujoco.plugin.view import ActuatorView, Model
from pliant.engines.spec.joint_numbers import armature_of, is_frictionless
from pliant.engines.spec.joints import has_budget, inertias_in, references
from pliant.engines.spec.names import ACTUATOR, LAWS, PRESET, configured, signed
from pliant.engines.spec.slots import FORM, SEAL, SECOND_FORM, WRITTEN_FORM
from pliant.engines.spec.steps import AT_REST, Steps, check_timestep, row_of, steps_of
from pliant.engines.spec.sticking import SOLIMP, rate_of, row_needed
from pliant.errors import PliantError, located
from pliant.io.actuator_file import load_actuator
from pliant.lower.memory import Symbol
from pliant.lower.types import INTEGER

_NATIVE: Any = mujoco
_MOST = 900
"""[bytes] Of a message: MuJoCo keeps 1024."""
_said: dict[str, ctypes.Array[ctypes.c_char]] = {}


def answer(work: Callable[..., None], *addresses: int) -> int:
    """0, or the address of a text that says why `work` refused."""
    try:
        work(*addresses)
    except PliantError as error:
        text = f"Pliant: {error}"
    except Exception as error:  # noqa: BLE001 - nobody above could hear it
        text = f"Pliant: unexpected {type(error).__name__}: {error}"
    else:
        return 0
    short = text.encode()[:_MOST].decode(errors="ignore")
    if short not in _said:
        _said.clear()
        _said[short] = ctypes.create_string_buffer(short.encode())
    return ctypes.addressof(_said[short])


def finish(address: int, data: int, instance: int, stamp: int) -> None:
    """Give the plugin the parameters of an instance; where the model is new, complete it first.

    The stamp of `native.rows` lies before them.
    """
    model = Model(address)
    if any(place.is_bare for place in model.places(instance)):
        _complete(address, model)
    places = [place for place in model.places(instance) if place.is_written]
    if not places:
        return
    actuator = _actuator(model, instance)
    if any(_seal_of(model, place) != _seal(actuator) for place in places):
        raise PliantError(
            "was compiled with laws or numbers that differ from those here",
            field=f"actuator {places[0].name}",
            accepted="the model's XML, or pliant.load_binary",
        )
    model.set_data(data, instance, _kept(stamp, actuator.values.tobytes()).ctypes.data + 8)


@ctypes.CFUNCTYPE(*[ctypes.c_ssize_t] * 5)
def _finish(model: int, data: int, instance: int, stamp: int) -> int:
    return answer(finish, model, data, instance, stamp)


FINISH = Symbol("finish", address_of(_finish), INTEGER)
"""`finish(model, data, instance, stamp)`: 0, or the address of a text."""


def has_written(model: mujoco.MjModel, instance: int) -> bool:
    """Whether an actuator of the instance is one that MuJoCo alone has read."""
    own = model.actuator_plugin == instance
    return bool(np.any(model.actuator_dynprm[own, FORM] == WRITTEN_FORM))


def found_again(model: mujoco.MjModel, instance: int) -> tuple[int, Actuator] | None:
    """The slot of this process whose plugin the instance was compiled with, and what it is there."""
    view = Model(model._address)
    for slot in registered():
        try:
            actuator = _actuator(view, instance, slot)
        except PliantError:
            continue
        if all(_seal_of(view, p) == _seal(actuator) for p in view.places(instance) if p.is_written):
            return slot, actuator
    return None


# --- which actuator ------------------------------------------------------------------------


def _actuator(model: Model, instance: int, slot: int | None = None) -> Actuator:
    """Actuator of the instance's plugin, with the parameters of its `<config>`."""
    slot = int(model.slots[instance]) if slot is None else slot
    if slot not in registered():
        raise PliantError("names an actuator that this process has not loaded", field="plugin")
    names = (LAWS, ACTUATOR, *registered()[slot].fields)
    return _configured(slot, model.attributes(instance, len(names)))


@cache
def _configured(slot: int, texts: tuple[str, ...]) -> Actuator:
    known = registered()[slot]
    _, reference, *values = texts
    if reference in actuator_files() or known.path is None:
        file: str | Path = reference or known.name
        if file not in actuator_files():
            raise PliantError(
                "was made in a program, so MuJoCo alone cannot read its parameters",
                field="plugin",
                found=known.name,
                accepted="pliant.load_model",
            )
    elif reference and Path(reference).name != known.path.name:
        raise PliantError(
            "differs from the file of this plugin",
            field=ACTUATOR,
            found=reference,
            accepted=str(known.path),
        )
    else:
        file = known.path
    actuator = load_actuator(file)
    if signed(actuator) != signed(known):
        raise PliantError("has other laws than its plugin in this process", file=file)
    given = {key: text for key, text in zip(known.fields, values, strict=True) if text}
    return configured(actuator, given, "model")


def _seal_of(model: Model, place: ActuatorView) -> tuple[float, ...]:
    return tuple(model.dynprm[place.number][SEAL : SEAL + 2])


def _seal(actuator: Actuator) -> tuple[float, float]:
    text = signed(actuator).encode() + actuator.values.tobytes()
    digits = hashlib.sha256(text).hexdigest()
    return float(int(digits[:12], 16)), float(int(digits[12:24], 16))


@cache
def _kept(stamp: int, values: bytes) -> Floats:
    """Stamp and parameters at a place of their own, for as long as the process lives."""
    return np.frombuffer(stamp.to_bytes(8, sys.byteorder, signed=True) + values).copy()


# --- a new model ---------------------------------------------------------------------------


def _complete(address: int, model: Model) -> None:
    """Make a model what `load_model` and `compile` would have made it.

    All its actuators at once: springs feel each other.
    """
    check_timestep(model.timestep)
    entries: list[tuple[ActuatorView, Actuator]] = []
    for place in model.all_places():
        if (
            place.is_bare
            and place.instance >= 0
            and int(model.slots[place.instance]) in registered()
        ):
            with located(field=f"actuator {place.name}"):
                actuator = _actuator(model, place.instance)
                _check_joint(model, place)
                if references(actuator) > 1:
                    _find_second(model, place)
                _take_joint(model, place, actuator)
                _write(model, place, actuator, AT_REST)
            entries.append((place, actuator))
    joints = [model.joint_name(place.joint) for place, _ in entries]
    springs = [j for j, (_, a) in zip(joints, entries, strict=True) if not has_budget(a)]
    twin = model.twin()
    _NATIVE.mj_setConst(twin, mujoco.MjData(twin))
    model.take_constants(twin)
    inertias, coupling = inertias_in(twin, joints, springs)
    for (place, actuator), inertia in zip(entries, inertias, strict=True):
        with located(field=f"actuator {place.name}"):
            steps = steps_of(actuator, inertia / place.gear**2, model.timestep, coupling)
            _check_history(model, place, steps)
            _write(model, place, actuator, steps)


def _check_joint(model: Model, place: ActuatorView) -> None:
    if place.gear == 0.0:
        raise PliantError("moves nothing", field="gear", found=0.0, accepted="not 0")
    for other in model.all_places():
        shares = other.joint == place.joint and other.number != place.number
        if shares and other.name != f"{place.name}{PRESET}":
            raise PliantError("two actuators on one joint", found=other.name, accepted="one")


def _find_second(model: Model, place: ActuatorView) -> None:
    """Mark the actuator without a force whose control is the second command."""
    name = f"{place.name}{PRESET}"
    second = next((p for p in model.all_places() if p.name == name), None)
    good = second is not None and second.joint == place.joint and second.instance < 0
    if second is None or not good or model.gainprm[second.number][0] != 0.0:
        joint = model.joint_name(place.joint)
        raise PliantError(
            "takes two commands, and a plugin cannot add a control",
            accepted=f'<general name="{name}" joint="{joint}" gainprm="0"/> beside it, '
            "or pliant.load_model, which adds it",
        )
    model.dynprm[second.number][FORM] = SECOND_FORM


def _take_joint(model: Model, place: ActuatorView, actuator: Actuator) -> None:
    """As `rows.complete` does in a spec: inertia, friction, a row that holds."""
    gear, dof = abs(place.gear), model.dof(place.joint)
    model.armature[dof] = armature_of(actuator) * gear**2
    if not has_budget(actuator):
        return
    if not is_frictionless(actuator):
        for array in model.dampings:
            array[dof] = 0.0
        model.frictionloss[dof] = 0.0
    model.solref[dof] = rate_of(model.timestep, model.integrator)
    model.solimp[dof] = SOLIMP
    steps = steps_of(actuator, 1.0, model.timestep)  # what is asked of it knows no inertia
    unloaded = gear * steps.unloaded
    model.frictionloss[dof] = unloaded if unloaded > 0.0 else row_needed(model.frictionloss[dof])


def _write(model: Model, place: ActuatorView, actuator: Actuator, steps: Steps) -> None:
    row = row_of(steps, model.timestep, abs(place.gear), 0)
    row[FORM] = WRITTEN_FORM
    row[SEAL : SEAL + 2] = _seal(actuator)
    model.dynprm[place.number] = row


def _check_history(model: Model, place: ActuatorView, steps: Steps) -> None:
    if steps.delay <= 0.0:
        return
    needed = ceil(steps.delay / model.timestep) + 2
    if model.history[place.number][0] < needed:
        raise PliantError(
            "has a command delay, and a plugin cannot store old commands",
            accepted=f'delay="{steps.delay:g}" nsample="{needed}" interp="linear" in its element, '
            "or pliant.load_model, which adds them",
        )
