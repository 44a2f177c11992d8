"""Memory layout of mjModel and mjData, for native callbacks.

A native callback gets two addresses, `const mjModel*` and `mjData*`. The byte offsets of
their fields change from one MuJoCo version to the next. `layout()` computes them for the
installed version from `mujoco.introspect` by the rules of C, and proves each of them on a
small live model before anyone relies on it.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple, cast

import mujoco
import numpy as np

from pliant.engines.mujoco.plugin.offsets import DataOffsets, ModelOffsets
from pliant.errors import PliantError

__all__ = ["ACCEPTED", "Layout", "layout", "struct"]

ACCEPTED = "mujoco >=3.11,<5"
"""The versions this package is tested with; `layout` refuses others."""


class Layout(NamedTuple):
    """The offsets for one MuJoCo version. `repr` of its parts is Python source."""

    version: str
    model: ModelOffsets
    data: DataOffsets


@cache
def layout() -> Layout:
    """The verified layout of the installed MuJoCo.

    Raises:
        PliantError: the version is outside `ACCEPTED`, or a field is not where C's rules
            put it.
    """
    _check_version(mujoco.__version__)
    try:
        found = _computed()
    except (AttributeError, KeyError, ImportError) as missing:
        raise _unknown(f"introspection lacks {missing}") from missing
    _verify(found)
    return found


def _check_version(version: str) -> None:
    release = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if not (3, 11) <= release < (5,):
        raise _unknown("its memory layout is not known")


def _unknown(reason: str) -> PliantError:
    return PliantError(
        f"this MuJoCo cannot run native actuators: {reason}",
        field="installed mujoco",
        found=mujoco.__version__,
        accepted=ACCEPTED,
    )


# --- computed from the introspection -----------------------------------------------------

_C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "float": ctypes.c_float,
    "mjtNum": ctypes.c_double,
    "mjtSize": ctypes.c_int64,
    "mjtBool": ctypes.c_bool,
    "mjtByte": ctypes.c_ubyte,
    "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
}


def _computed() -> Layout:
    model, data = struct("mjModel"), struct("mjData")
    option = model.opt.offset
    option_type = struct("mjOption")

    def in_model(name: str) -> int:
        if name.startswith("opt_"):
            return option + getattr(option_type, name.removeprefix("opt_")).offset
        return getattr(model, name).offset

    return Layout(
        version=mujoco.__version__,
        model=ModelOffsets(*map(in_model, ModelOffsets._fields)),
        data=DataOffsets(*(getattr(data, name).offset for name in DataOffsets._fields)),
    )


@cache
def struct(name: str) -> Any:
    """The ctypes structure of a MuJoCo struct, from its introspected declaration."""
    from mujoco.introspect.structs import STRUCTS

    return _structure(name, STRUCTS[name].fields)


def _structure(name: str, fields: Any) -> Any:
    members = [(field.name, _ctype(field.type)) for field in fields]
    return type(name, (ctypes.Structure,), {"_fields_": members})


def _ctype(declared: Any) -> Any:
    from mujoco.introspect import ast_nodes

    if isinstance(declared, ast_nodes.PointerType):
        return ctypes.c_void_p
    if isinstance(declared, ast_nodes.ArrayType):
        element = _ctype(declared.inner_type)
        for extent in reversed(declared.extents):
            element = element * extent
        return element
    if isinstance(declared, ast_nodes.AnonymousStructDecl):
        return _structure("anonymous", declared.fields)
    name = cast(str, declared.name)
    return _C_TYPES[name] if name in _C_TYPES else struct(name)


# --- verified on a live model ------------------------------------------------------------

# With a plugin, of those that come with MuJoCo: what models have of plugins must not be empty.
_PROBE = """
<mujoco>
  <extension>
    <plugin plugin="mujoco.pid"><instance name="p"><config key="kp" value="1"/></instance></plugin>
  </extension>
  <option timestep="0.00321"/>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
    <body pos="3 0 1">
      <joint name="a" axis="0 1 0" frictionloss=".1" limited="true" range="10 20"/>
      <geom size=".1" pos=".3 0 0"/>
      <body pos=".6 0 0">
        <joint name="b" axis="0 1 0" frictionloss=".2"/><geom size=".1" pos=".3 0 0"/>
      </body>
    </body>
    <body pos="6 0 1">
      <joint name="c" axis="0 1 0" frictionloss=".3"/><geom size=".1" pos=".3 0 0"/>
    </body>
  </worldbody>
  <equality><joint joint1="a" joint2="b"/></equality>
  <actuator>
    <general joint="a" user="1 2 3" dyntype="integrator" delay=".005" nsample="4"/>
    <general joint="b" user="4 5 6" dyntype="filter"/>
    <plugin joint="c" plugin="mujoco.pid" instance="p"/>
  </actuator>
</mujoco>
"""


def _verify(found: Layout) -> None:
    """Compare every offset with what MuJoCo's own bindings say of a small model."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    _mark(model, data)
    wrong = [
        f"mjModel.{name}"
        for name, offset in found.model._asdict().items()
        if not _agrees(model._address + offset, _bound(model, name), _buffer(model))
    ]
    wrong += [
        f"mjData.{name}"
        for name, offset in found.data._asdict().items()
        if not _agrees(data._address + offset, getattr(data, name))
    ]
    if wrong:
        raise _unknown(f"{', '.join(wrong[:5])} not where its introspection says")


def _mark(model: Any, data: Any) -> None:
    """Give equal scalars values of their own, so that one cannot pass for another."""
    data.time = 0.123
    integers = [name for name in ModelOffsets._fields if name.startswith("opt_")][1:]
    for value, name in enumerate(integers, start=101):
        setattr(model.opt, name.removeprefix("opt_"), value)


def _bound(model: Any, name: str) -> Any:
    """A field of the model as the bindings give it."""
    if name.startswith("opt_"):
        return getattr(model.opt, name.removeprefix("opt_"))
    return getattr(model, name)


def _buffer(model: Any) -> range:
    """The addresses of the model's arrays, the first of which is `qpos0`."""
    start = model.qpos0.ctypes.data
    return range(start, start + model.nbuffer)


def _agrees(address: int, bound: Any, buffer: range = range(0)) -> bool:
    """Whether `bound`, a scalar or an array view of the bindings, is what lies at `address`."""
    if isinstance(bound, np.ndarray):
        where = bound.ctypes.data
        inline = where == address
        return inline or bound.size == 0 or ctypes.c_size_t.from_address(address).value == where
    if isinstance(bound, bytes):
        where = ctypes.c_size_t.from_address(address).value
        inside = where in buffer and where + len(bound) - 1 in buffer
        return inside and ctypes.string_at(where, len(bound)) == bound
    if isinstance(bound, float):
        return ctypes.c_double.from_address(address).value == bound
    return ctypes.c_int.from_address(address).value == int(bound)
