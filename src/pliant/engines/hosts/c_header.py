"""An actuator as one header of C99, which C++17 compiles too.

The laws and the step come from the typed tree, as in every engine; written here is what surrounds them:
structures with names and units, delay lines of a fixed length, and the calls.
"""

import re
from collections.abc import Iterator
from importlib.metadata import version
from math import ceil
from pathlib import Path

from pliant.assemble import Actuator
from pliant.assemble.parameters import parts_of
from pliant.catalogue import Field
from pliant.engines.hosts.leads import pace_of
from pliant.engines.spec.joints import takes_position
from pliant.errors import PliantError
from pliant.lower.c_text import CText
from pliant.lower.kernel import tree
from pliant.lower.law import delay_of
from pliant.lower.types import Struct, Type
from pliant.words import one_line

KERNEL = Path(__file__).with_name("kernel.py")
_ENTRIES = (
    "start",
    "late",
    "arrived",
    "remember",
    "substeps_needed",
    "step",
    "friction",
    "armature",
    "voltage",
)
FINEST = 5e-4
"""[s] Shortest step for which the delay line of a header is long enough."""


def c_header(actuator: Actuator, prefix: str | None = None) -> str:
    """The header's text.

    Args:
        prefix: of its names; None: the actuator's name.

    Raises:
        PliantError: `prefix` cannot begin a name of C.
    """
    if prefix is None:
        prefix = identifier(actuator.name)
    elif prefix != identifier(prefix):
        accepted = f"such as {identifier(prefix)!r}"
        raise PliantError("cannot begin a name in C", field="name", found=prefix, accepted=accepted)
    goals = actuator.topology.name == "rigid_servo" and takes_position(actuator)
    entries = (*_ENTRIES, "follow") if goals else _ENTRIES
    program = tree(KERNEL, entries, actuator.equations)
    step = program.entries["step"]
    kinds = dict(step.arguments)
    parameters, state = kinds["p"], kinds["s"]
    renamed = {parameters.name: "parameters", state.name: "laws_state"}
    if goals:
        told = dict(program.entries["follow"].arguments)
        renamed |= {told["k"].name: "kept", told["limits"].name: "limits"}
        renamed |= {program.entries["follow"].name: "follow"}
    renamed |= {"kernel__start": "rested", "kernel__step": "laws_step"}
    text = CText(program, prefix, renamed)
    fields = {
        place: field
        for kind, known in ((parameters, [*actuator.fields.values()]), (state, _state(actuator)))
        for (_, place), field in zip(_leaves(kind), known, strict=True)
    }
    comments = {
        place: _comment(f"{f.unit}; {f.meaning}" if f.meaning else f.unit)
        for place, f in fields.items()
    }
    delays = bool(actuator.laws["timing"].parameters) if "timing" in actuator.laws else False
    parts = {
        "about": _comment(f"{actuator.title}: {actuator.name}, by Pliant {version('pliant')}."),
        "sources": "\n".join(f" * {_comment(x)}" for x in sorted(_sources(actuator))),
        "guard": f"{prefix.upper()}_H",
        "PREFIX": prefix.upper(),
        "prefix": prefix,
        "history": str(max(ceil(delay_of(actuator) / FINEST) + 1, 4) if delays else 0),
        "math": text.math(),
        "structures": text.structures(comments),
        "values": " \\\n".join(_values(parameters, actuator)),
        "functions": text.functions(),
        "results": text.type(step.returns),
        "pace": repr(pace_of(actuator)) if goals else "",
    }
    template = TEMPLATE if goals else _GOALS.sub("", TEMPLATE)
    # One name each, not in braces: C is full of those.
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], template)


def parameter_paths(actuator: Actuator) -> list[str]:
    """Places of the actuator's numbers in the header's `parameters`, `motor.k_t`, in flat order."""
    program = tree(KERNEL, _ENTRIES, actuator.equations)
    return [path for path, _ in _leaves(dict(program.entries["step"].arguments)["p"])]


def identifier(name: str) -> str:
    """A name that C takes, with single underscores."""
    plain_name = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_") or "actuator"
    return f"a_{plain_name}" if plain_name[0].isdigit() else plain_name


def _state(actuator: Actuator) -> list[Field]:
    parts = parts_of(actuator.topology, actuator.laws)
    return [field for _, part in parts for field in part.state]


def _sources(actuator: Actuator) -> set[str]:
    used = {actuator.numbers[name].source for name in actuator.fields}
    return {f"{name}: {actuator.sources.get(name, name)}" for name in used}


def _leaves(kind: Type, path: str = "") -> Iterator[tuple[str, str]]:
    """The numbers of a structure in flat order: path, and structure and field that hold it."""
    assert isinstance(kind, Struct)
    for name, one in kind.fields:
        if isinstance(one, Struct):
            yield from _leaves(one, f"{path}{name}.")
        else:
            yield path + name, f"{kind.name}.{name}"


def _values(kind: Struct | Type, actuator: Actuator) -> Iterator[str]:
    """Lines of an initialiser; braces as the structures nest."""
    numbers = iter(actuator.fields)

    def lines(kind: Struct, pad: str) -> Iterator[str]:
        yield pad + "{"
        for _, one in kind.fields:
            if isinstance(one, Struct):
                yield from lines(one, pad + "  ")
                continue
            name = next(numbers)
            number = actuator.numbers[name]
            said = _comment(f"{name} [{number.unit}], {number.how}: {number.source}")
            yield f"{pad}  {float(number.value)!r}, /* {said} */"
        if not kind.fields:
            yield f"{pad}  0"
        yield pad + ("}," if pad != "  " else "}")

    assert isinstance(kind, Struct)
    return lines(kind, "  ")


def _comment(text: str) -> str:
    """Text from an untrusted file, made safe so that it cannot end its comment."""
    words = " ".join(one_line(text).split())
    return words.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "? ?")


_GOALS = re.compile(r"/\* ---- goals ---- \*/.*?(?=#endif\n\Z)", re.DOTALL)
"""Part of the template for those that are told a position."""
TEMPLATE = (Path(__file__).with_name("c_header.h")).read_text("utf-8")
