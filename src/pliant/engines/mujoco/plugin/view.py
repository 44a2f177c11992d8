"""A compiled model by its address, as arrays: also while MuJoCo still compiles it."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
import numpy as np

from pliant.engines.mujoco.plugin.layout import struct
from pliant.engines.mujoco.plugin.library import library
from pliant.engines.spec.slots import FORM, WRITTEN_FORM
from pliant.errors import PliantError

_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
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
        self.slots = self._array("plugin", int(self._struct.nplugin), np.int32)
        self.dynprm = self._array("actuator_dynprm", self._count, np.float64)
        self.gainprm = self._array("actuator_gainprm", self._count, np.float64)
        self.history = self._array("actuator_history", self._count, np.int32)
        self.armature = self._array("dof_armature", nv, np.float64)
        self.frictionloss = self._array("dof_frictionloss", nv, np.float64)
        self.solref = self._array("dof_solref", nv, np.float64)
        self.solimp = self._array("dof_solimp", nv, np.float64)
        there = [name for name in ("dof_damping", "dof_dampingpoly") if name in widths()]
        self.dampings = [self._array(name, nv, np.float64) for name in there]

    def twin(self) -> mujoco.MjModel:
        """A copy that Python owns."""
        native: Any = library()
        native.mj_copyModel.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        native.mj_copyModel.restype = ctypes.c_void_p
        make: Any = mujoco.MjModel
        return make._from_model_ptr(native.mj_copyModel(None, ctypes.addressof(self._struct)))

    def take_constants(self, twin: mujoco.MjModel) -> None:
        """All numbers of a twin, and the mean inertia, unless the model's was chosen by hand."""
        nv, before = int(self._struct.nv), self._array("dof_M0", int(self._struct.nv), np.float64)
        derived = nv > 0 and np.isclose(self._struct.stat.meaninertia, before.mean(), rtol=1e-9)
        other: Any = struct("mjModel").from_address(twin._address)
        ctypes.memmove(self._struct.buffer, other.buffer, int(self._struct.nbuffer))
        if derived:
            self._struct.stat.meaninertia = float(before.mean())

    def _array(self, name: str, count: int, kind: Any) -> Any:
        """(count,) or (count, width) of a field."""
        width = widths()[name]
        size = np.dtype(kind).itemsize * count * width
        if not size:
            return np.empty((count, width), kind)[:, 0] if width == 1 else np.empty((count, width))
        room: Any = (ctypes.c_char * size).from_address(getattr(self._struct, name))
        found = np.frombuffer(room, kind)
        return found if width == 1 else found.reshape(count, width)

    def all_places(self) -> Iterator[ActuatorView]:
        """Every actuator."""
        kinds = self._array("actuator_trntype", self._count, np.int32)
        targets = self._array("actuator_trnid", self._count, np.int32)
        instances = self._array("actuator_plugin", self._count, np.int32)
        gears = self._array("actuator_gear", int(self._struct.nout), np.float64)
        outputs = self._array("actuator_outadr", self._count, np.int32)
        states = self._array("actuator_actnum", self._count, np.int32)
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
        if not width * self._count:
            return np.zeros((self._count, 1))
        room: Any = (ctypes.c_double * (width * self._count)).from_address(
            self._struct.actuator_user
        )
        return np.frombuffer(room, np.float64).reshape(self._count, width)

    def places(self, instance: int) -> list[ActuatorView]:
        """The actuators of a plugin instance."""
        return [place for place in self.all_places() if place.instance == instance]

    def joint_name(self, joint: int) -> str:
        """Its name; "" for none."""
        return self._name("name_jntadr", int(self._struct.njnt), joint)

    def dof(self, joint: int) -> int:
        """The degree of freedom of a hinge or slide."""
        count = int(self._struct.njnt)
        if (
            not 0 <= joint < count
            or self._array("jnt_type", count, np.int32)[joint] not in _ONE_DOF
        ):
            raise PliantError("acts on no hinge or slide", accepted="joint=… of one")
        return int(self._array("jnt_dofadr", count, np.int32)[joint])

    def attributes(self, instance: int, count: int) -> tuple[str, ...]:
        """The first `count` texts of its `<config>`, "" for those that are not given."""
        begin = int(self._array("plugin_attradr", len(self.slots), np.int32)[instance])
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
        begin = int(self._array(addresses, count, np.int32)[k])
        return ctypes.string_at(self._struct.names + begin).decode(errors="replace")


@cache
def widths() -> dict[str, int]:
    """Field to how many numbers one of its entries has, as the bindings of a small model say.

    To be asked first where MuJoCo compiles no model: it cannot compile two at once.
    """
    model: Any = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>'
        '<actuator><motor joint="j"/></actuator></mujoco>'
    )
    fields = (
        "actuator_dynprm actuator_gainprm actuator_history actuator_trntype actuator_trnid "
        "actuator_plugin actuator_outadr actuator_gear actuator_actnum dof_M0 dof_armature "
        "dof_frictionloss dof_solref dof_solimp dof_damping dof_dampingpoly jnt_type jnt_dofadr name_jntadr name_actuatoradr"
    ).split()
    there = {name: getattr(model, name) for name in fields if hasattr(model, name)}
    found = {name: array.size // len(array) for name, array in there.items()}
    return {**found, "plugin": 1, "plugin_attradr": 1}
