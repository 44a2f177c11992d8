"""A compiled model by its address, as arrays: also while MuJoCo still compiles it."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.engines.mujoco.plugin.layout import records, struct
from pliant.engines.mujoco.plugin.table import library
from pliant.engines.spec.slots import FORM, WRITTEN_FORM
from pliant.errors import PliantError
from pliant.lower.types import NUMBER, Pointer

_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
_FIELDS = records()["mjModel"].fields
_ONE_DOF = (int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE))


@dataclass(frozen=True)
class ActuatorView:
    """One actuator of a model: its number, name, joint (or -1), plugin instance (or -1), gear."""

    number: int
    name: str
    joint: int
    instance: int
    gear: float
    is_bare: bool
    """It has a row of MuJoCo's own, no state, and no numbers."""
    is_written: bool


class Model:
    """Arrays of an mjModel; writing to them writes to it."""

    def __init__(self, address: int) -> None:
        self._struct: Any = struct("mjModel").from_address(address)
        self._count = int(self._struct.nactuator)
        nv = int(self._struct.nv)
        self.timestep = float(self._struct.opt.timestep)
        self.integrator = int(self._struct.opt.integrator)
        self.slots = self._array("plugin", int(self._struct.nplugin))
        self.dynprm = self._array("actuator_dynprm", self._count)
        self.gainprm = self._array("actuator_gainprm", self._count)
        self.history = self._array("actuator_history", self._count)
        self.armature = self._array("dof_armature", nv)
        self.frictionloss = self._array("dof_frictionloss", nv)
        self.solref = self._array("dof_solref", nv)
        self.solimp = self._array("dof_solimp", nv)
        there = [name for name in ("dof_damping", "dof_dampingpoly") if name in _FIELDS]
        self.dampings = [self._array(name, nv) for name in there]

    def twin(self) -> mujoco.MjModel:
        """A copy that Python owns."""
        native: Any = library()
        native.mj_copyModel.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        native.mj_copyModel.restype = ctypes.c_void_p
        make: Any = mujoco.MjModel
        return make._from_model_ptr(native.mj_copyModel(None, ctypes.addressof(self._struct)))

    def take_constants(self, twin: mujoco.MjModel) -> None:
        """All numbers of a twin, and the mean inertia, unless the model's was chosen by hand."""
        nv, before = int(self._struct.nv), self._array("dof_M0", int(self._struct.nv))
        derived = nv > 0 and np.isclose(self._struct.stat.meaninertia, before.mean(), rtol=1e-9)
        other: Any = struct("mjModel").from_address(twin._address)
        ctypes.memmove(self._struct.buffer, other.buffer, int(self._struct.nbuffer))
        if derived:
            self._struct.stat.meaninertia = float(before.mean())

    def _array(self, name: str, count: int) -> Any:
        """(count,) or (count, row) of a field of float64 or int32."""
        _, what = _FIELDS[name]
        assert isinstance(what, Pointer)
        kind = np.float64 if what.to is NUMBER else np.int32
        size = np.dtype(kind).itemsize * count * what.row
        found = np.empty(0, kind)
        if size:
            room: Any = (ctypes.c_char * size).from_address(getattr(self._struct, name))
            found = np.frombuffer(room, kind)
        return found if what.row == 1 else found.reshape(count, what.row)

    def all_places(self) -> Iterator[ActuatorView]:
        """Every actuator."""
        kinds = self._array("actuator_trntype", self._count)
        targets = self._array("actuator_trnid", self._count)
        instances = self._array("actuator_plugin", self._count)
        gears = self._array("actuator_gear", int(self._struct.nout))
        outputs = self._array("actuator_outadr", self._count)
        states = self._array("actuator_actnum", self._count)
        numbers = self._users()
        for k in range(self._count):
            form = self.dynprm[k][FORM]
            yield ActuatorView(
                k,
                self._name("name_actuatoradr", self._count, k),
                int(targets[k][0]) if kinds[k] == _JOINT else -1,
                int(instances[k]),
                float(gears[outputs[k]][0]),
                bool(states[k] == 0 and form == 1.0 and not numbers[k].any()),
                bool(form == WRITTEN_FORM),
            )

    def _users(self) -> Any:
        width = int(self._struct.nuser_actuator)
        found = self._array("actuator_user", self._count * width)
        return found.reshape(self._count, width) if width else np.zeros((self._count, 1))

    def places(self, instance: int) -> list[ActuatorView]:
        """The actuators of a plugin instance."""
        return [place for place in self.all_places() if place.instance == instance]

    def joint_name(self, joint: int) -> str:
        """Its name; "" for none."""
        return self._name("name_jntadr", int(self._struct.njnt), joint)

    def dof(self, joint: int) -> int:
        """The degree of freedom of a hinge or slide."""
        count = int(self._struct.njnt)
        if not 0 <= joint < count or self._array("jnt_type", count)[joint] not in _ONE_DOF:
            raise PliantError("acts on no hinge or slide", accepted="joint=… of one")
        return int(self._array("jnt_dofadr", count)[joint])

    def attributes(self, instance: int, count: int) -> tuple[str, ...]:
        """The first `count` texts of its `<config>`, "" for those that are not given."""
        begin = int(self._array("plugin_attradr", len(self.slots))[instance])
        total = int(self._struct.npluginattr)
        if not 0 <= begin <= total:
            raise PliantError("has no attributes", field="plugin")
        text = ctypes.string_at(self._struct.plugin_attr + begin, total - begin)
        parts = [part.decode(errors="replace") for part in text.split(b"\0")]
        return tuple([*parts, *[""] * count][:count])

    def set_data(self, data: int, instance: int, value: int) -> None:
        """Write `plugin_data` of an instance in the mjData at an address."""
        place = struct("mjData").from_address(data).plugin_data + 8 * instance
        ctypes.c_size_t.from_address(place).value = value

    def _name(self, addresses: str, count: int, k: int) -> str:
        begin = int(self._array(addresses, count)[k])
        return ctypes.string_at(self._struct.names + begin).decode(errors="replace")
