"""A topology with a law at each port, as a single source that an engine can call.

In addition to the topology's own functions, it has those with which an engine keeps parameters and state in
flat arrays: `load_parameters(a, i)`, `load_state(a, i)`, `store_state(s, a, i)`, and their sizes
`N_PARAMETERS` and `N_STATE`; `IS_ELASTIC`, whether there is a spring between motor and joint; and
`NEEDS_INERTIA`, whether its friction needs the load's inertia. The topology's own fields come first, then port by port.
"""

import ast
import hashlib
from collections.abc import Mapping

from pliant.assemble.parameters import check_widths
from pliant.catalogue import Physics, slots
from pliant.lower.source import (
    Source,
    completed,
    prefix,
    read_source,
    source_of,
)
from pliant.lower.types import FLOAT, Struct, Type, struct
from pliant.ports import NULL
from pliant.subset.text import syntax_tree


def assembly(topology: Physics, laws: Mapping[str, Physics], number: str = "") -> Source:
    """The source of `topology` with its ports bound to `laws`; parts are assembled too.

    Args:
        number: suffix of a part's port names in `laws`.
    """
    inner = [slot for slot in slots(topology, number) if slot.name != "own"]
    bindings = {
        slot.name: source_of(laws[slot.label])
        if slot.part is None
        else assembly(slot.part, laws, slot.number)
        for slot in inner
    }
    choice = hashlib.sha256(" ".join(f"{p}={s.prefix}" for p, s in bindings.items()).encode())
    source = read_source(
        topology.path, f"{prefix(topology.kind, topology.path)}_{choice.hexdigest()[:8]}"
    )
    elastic = {"stiffness", "damping"} & source.functions.keys()
    if not topology.name.startswith("_"):
        completed(source, "topology")
    source.constants["IS_ELASTIC"] = ast.Constant(bool(elastic))
    asks = any(law.kind == "gear_load" and law.name != NULL for law in laws.values())
    source.constants["NEEDS_INERTIA"] = ast.Constant(asks)
    source.constants.setdefault("REFERENCES", ast.Constant(1))
    source.bindings.update(bindings)
    own = source.structures
    parameters = _composite(source, "Parameters", [("own", own["P"])])
    state = _composite(source, "State", [("own", own["S"])] if "S" in own else [])
    own["Parameters"], own["State"] = parameters, state
    source.functions |= {
        name: function
        for text in (
            f"def load_parameters(a: Vector, i: int):\n    return {_load(source, parameters, 'P')}",
            f"def load_state(a: Vector, i: int):\n    return {_load(source, state, 'S')}",
            f"def store_state(s: State, a: Vector, i: int):\n{_store(source, state)}",
        )
        for name, function in _function(text)
    }
    if not number:  # the whole, not a part
        check_widths(topology, laws, parameters.numbers(), state.numbers())
    source.constants["N_PARAMETERS"] = ast.Constant(parameters.numbers())
    source.constants["N_STATE"] = ast.Constant(state.numbers())
    return source


def plant_source(plant: Physics) -> Source:
    """A plant law with `load_parameters` and `N_PARAMETERS`, like an assembly."""
    source = source_of(plant)
    parameters = source.structures["P"]
    values = ", ".join(f"a[i + {k}]" for k in range(len(parameters.fields)))
    text = f"def load_parameters(a: Vector, i: int):\n    return P({values})"
    source.functions |= dict(_function(text))
    source.constants["N_PARAMETERS"] = ast.Constant(parameters.numbers())
    return source


_PLAIN = {"Parameters": "P", "State": "S"}
"""Type names in a law, and their assembled counterparts."""


def _composite(source: Source, name: str, own: list[tuple[str, Struct]]) -> Struct:
    fields: list[tuple[str, Type]] = [*own]
    for port, law in source.bindings.items():
        is_part = name in law.structures
        found = law.structures.get(name if is_part else _PLAIN[name])
        if found is not None and (found.fields or name == "Parameters" or not is_part):
            fields.append((port, found))
    return struct(f"{source.prefix}__{name}", tuple(fields))


def _is_part(source: Source, field: str) -> bool:
    return field in source.bindings and "Parameters" in source.bindings[field].structures


def _load(source: Source, composite: Struct, part: str) -> str:
    parts: list[str] = []
    at = 0
    for field, structure in composite.fields:
        assert isinstance(structure, Struct)
        if _is_part(source, field):
            loader = "load_parameters" if part == "P" else "load_state"
            parts.append(f"{field}={field}.{loader}(a, i + {at})")
        else:
            values = ", ".join(f"a[i + {at + k}]" for k in range(structure.numbers()))
            parts.append(f"{field}={part if field == 'own' else f'{field}.{part}'}({values})")
        at += structure.numbers()
    name = "Parameters" if part == "P" else "State"
    return f"{name}({', '.join(parts)})"


def _store(source: Source, state: Struct) -> str:
    lines: list[str] = []
    at = 0
    for field, structure in state.fields:
        assert isinstance(structure, Struct)
        if _is_part(source, field):
            lines.append(f"    {field}.store_state(s.{field}, a, i + {at})")
        else:
            for k, (name, kind) in enumerate(structure.fields):
                assert kind is FLOAT
                lines.append(f"    a[i + {at + k}] = s.{field}.{name}")
        at += structure.numbers()
    return "\n".join(lines) or "    pass"


def _function(text: str) -> list[tuple[str, ast.FunctionDef]]:
    return [
        (node.name, node) for node in syntax_tree(text).body if isinstance(node, ast.FunctionDef)
    ]
