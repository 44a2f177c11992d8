"""Memory layout of MuJoCo's structures, for native callbacks.

A native callback gets two addresses, `const mjModel*` and `mjData*`. The byte offsets of
their fields change from one MuJoCo version to the next. `records()` computes them for the
installed version from `mujoco.introspect` by the rules of C; each that a kernel uses is proved on a
small live model before anyone relies on it.
"""

import ast
import ctypes
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import mujoco
import numpy as np

from pliant.engines.mujoco import native
from pliant.errors import PliantError
from pliant.lower import types as ty
from pliant.subset.text import syntax_tree

__all__ = ["ACCEPTED", "records", "struct", "types_of", "used", "verify"]

ACCEPTED = "mujoco >=3.11,<5"
"""The versions this package is tested with; `records` refuses others."""
Records = Mapping[str, ty.Record]
_NATIVE = Path(native.__file__).parent


@cache
def types_of(*more: Path) -> dict[str, ty.Pointer]:
    """Types of the names of `native.structs`: the fields that its folder and more files use.

    Raises:
        PliantError: the version is outside `ACCEPTED`, lacks a field, or has one that is not where
            C's rules put it.
    """
    fields = used([*_NATIVE.glob("*.py"), *more])
    verify(records(), fields)
    kept = {
        name: ty.Record(record.name, {n: record.fields[n] for n in sorted(fields[name])})
        for name, record in records().items()
    }
    model = kept["mjModel"].fields
    if "opt" in model:
        model["opt"] = model["opt"][0], kept["mjOption"]
    return {
        "MjModel": ty.pointer(kept["mjModel"]),
        "MjData": ty.pointer(kept["mjData"]),
        "Numbers": ty.pointer(ty.NUMBER),
    }


def used(files: Iterable[Path]) -> dict[str, set[str]]:
    """Structure to the fields of it that kernels name: those of `model`, `model.opt` and `data`."""
    fields: dict[str, set[str]] = {"mjModel": set(), "mjOption": set(), "mjData": set()}
    of = {"model": "mjModel", "model.opt": "mjOption", "data": "mjData"}
    for file in files:
        for node in ast.walk(syntax_tree(file.read_text("utf-8"))):
            if not isinstance(node, ast.Attribute) or node.attr.startswith("_"):
                continue
            if (name := ast.unparse(node.value)) in of:
                fields[of[name]].add(node.attr)
    return fields


@cache
def records() -> Records:
    """mjModel, mjData and mjOption of the installed MuJoCo, not yet proved.

    Raises:
        PliantError: the version is outside `ACCEPTED`.
    """
    _check_version(mujoco.__version__)
    try:
        option = _record("mjOption", {})
        return {
            "mjOption": option,
            "mjModel": _record("mjModel", {"opt": option}),
            "mjData": _record("mjData", {}),
        }
    except (AttributeError, KeyError, ImportError) as missing:
        raise _unknown(f"introspection lacks {missing}") from missing


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


_CELLS = {
    "mjtNum": ty.NUMBER,
    "int": ty.INT32,
    "mjtSize": ty.INT64,
    "uintptr_t": ty.INT64,
    "mjtBool": ty.BYTE,
    "mjtByte": ty.BYTE,
    "char": ty.BYTE,
}
"""Types of C that compiled code reads; a field of another is left out."""


def _record(name: str, inside: Records) -> ty.Record:
    """The structure as compiled code reads it; `inside` are the structures in place."""
    from mujoco.introspect.structs import STRUCTS

    offsets = struct(name)
    fields: dict[str, tuple[int, ty.Cell | ty.Pointer | ty.Record]] = {}
    for field in STRUCTS[name].fields:
        what = inside.get(field.name) or _what(field)
        if what is not None:
            fields[field.name] = getattr(offsets, field.name).offset, what
    return ty.Record(f"{name} of MuJoCo {mujoco.__version__}", fields)


def _what(field: Any) -> ty.Cell | ty.Pointer | None:
    """A number in place, or the address of rows of numbers."""
    from mujoco.introspect import ast_nodes

    declared = field.type
    if not isinstance(declared, ast_nodes.PointerType):
        return _CELLS.get(getattr(declared, "name", ""))
    cell = _CELLS.get(getattr(declared.inner_type, "name", ""))
    return None if cell is None else ty.pointer(cell, _row(field.array_extent))


def _row(extent: Any) -> int:
    """Numbers in a row of an array, from its declaration; 1 where only the model knows how many."""
    row = 1
    for size in (extent or ())[1:]:
        row *= size if isinstance(size, int) else getattr(mujoco, str(size), 1)
    return row


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


def verify(found: Records, fields: Mapping[str, Iterable[str]]) -> None:
    """Compare offsets of fields with what MuJoCo's own bindings say of a small model."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    _mark(model, data, fields["mjOption"])
    option = model._address + found["mjModel"].fields["opt"][0]
    buffer = _buffer(model)
    places = {
        "mjModel": (model._address, model),
        "mjOption": (option, model.opt),
        "mjData": (data._address, data),
    }
    wrong: list[str] = []
    for structure, (address, bound) in places.items():
        for name in sorted(fields[structure]):
            if name not in found[structure].fields:
                raise _unknown(f"its {structure} has no {name} that compiled code could read")
            offset, what = found[structure].fields[name]
            if isinstance(what, ty.Record):
                continue  # its own fields are looked at
            if not _agrees(address + offset, getattr(bound, name), buffer):
                wrong.append(f"{structure}.{name}")
    if wrong:
        raise _unknown(f"{', '.join(wrong[:5])} not where its introspection says")


def _mark(model: Any, data: Any, options: Iterable[str]) -> None:
    """Give equal scalars values of their own, so that one cannot pass for another."""
    data.time = 0.123
    for value, name in enumerate(sorted(options), start=101):
        if isinstance(getattr(model.opt, name, None), int):
            setattr(model.opt, name, value)


def _buffer(model: Any) -> range:
    """The addresses of the model's arrays, the first of which is `qpos0`."""
    start = model.qpos0.ctypes.data
    return range(start, start + model.nbuffer)


def _agrees(address: int, bound: Any, buffer: range) -> bool:
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
