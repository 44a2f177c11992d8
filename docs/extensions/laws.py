"""Pages of laws and topologies, from their docstrings, parameters and sources."""

import inspect
import re
from typing import Any, get_type_hints

import catalogued
import equations
from drawing import drawn
from figures import in_page

from pliant.catalogue import (
    Field,
    Physics,
    law_files,
    load_law,
    load_topology,
    ports,
    topology_files,
)
from pliant.ports import FAMILIES, Own
from pliant.quantity import notation

TITLES = {
    "adjustable_compliance": "Springs with an adjuster",
    "clutch": "Clutches and brakes",
    "compliance": "Springs",
    "contact": "Teeth with play",
    "control": "Controllers",
    "deflection_limit": "Deflection limits",
    "driver": "Power stages",
    "encoder_side": "Encoder sides",
    "friction_budget": "Friction without memory",
    "friction_state": "Friction with memory",
    "gear_load": "Torques that a gear carries",
    "hysteresis": "Hysteresis of springs",
    "motor": "Motors",
    "plant": "Benches",
    "protection": "Protection",
    "rate": "Controller rates",
    "reference_map": "Reference maps",
    "reversal": "Friction after a reversal",
    "rotor": "Rotors",
    "sensing": "Sensors",
    "thermal": "Heat of the winding",
    "timing": "Command timing",
    "unpowered": "Motors without torque",
    "winding": "Windings",
}
SECTIONS = {
    "servos_and_friction": "servos and friction",
    "compliant_actuators": "compliant actuators",
}


def family_page(family: str) -> str:
    """Markdown of all laws of one family."""
    protocol = FAMILIES[family]
    lines = [f"# {TITLES[family]}", "", f"Family `{family}`. {inspect.getdoc(protocol) or ''}", ""]
    lines += ["Every law of this family has these functions:", "", *_functions(protocol), ""]
    users = _users(family)
    for name in law_files(family):
        lines += _law(load_law(family, name), users.get(name, []))
    return "\n".join(lines)


def _functions(protocol: type) -> list[str]:
    rows = ["| function | arguments | returns |", "|---|---|---|"]
    for name, function in inspect.getmembers(protocol, inspect.isfunction):
        if name.startswith("_"):
            continue
        hints = get_type_hints(function, include_extras=True)
        given = ", ".join(_argument(arg, hints) for arg in inspect.signature(function).parameters)
        rows.append(f"| `{name}` | {given} | {_returns(hints.get('return'))} |")
    return rows


def _returns(hint: Any) -> str:
    return _unit(hint) or ("parameters" if hint is Own else "state")


def _argument(name: str, hints: dict[str, Any]) -> str:
    unit = _unit(hints.get(name))
    return f"`{name}` {unit}" if unit else f"`{name}`"


def _unit(hint: Any) -> str:
    metadata = getattr(hint, "__metadata__", ())
    return f"[{metadata[0]}]" if metadata else ""


def _users(family: str) -> dict[str, list[str]]:
    """Law to actuators of the catalogue that have it."""
    found: dict[str, list[str]] = {}
    for name, actuator in catalogued.actuators().items():
        for law in actuator.laws.values():
            if law.kind == family and name not in found.setdefault(law.name, []):
                found[law.name].append(name)
    return found


def _law(law: Physics, users: list[str]) -> list[str]:
    lines = [f"({law.kind}-{law.name})=", f"## `{law.name}`", "", *text(law), *parameters(law)]
    if law.state:
        remembered = ", ".join(f"`{f.name}` [{f.unit}]" for f in law.state)
        lines += [f"Remembers {remembered}.", ""]
    reduced = getattr(law.module, "REDUCES_TO", {})
    for simpler, rule in reduced.items():
        each = [f"`{n} = {x if isinstance(x, str) else format(x, 'g')}`" for n, x in rule.items()]
        lines += [f"With {', '.join(each)} it is `{simpler}`.", ""]
    if users:
        some = ", ".join(f"`{user}`" for user in users[:4])
        more = f" and {len(users) - 4} more" if len(users) > 4 else ""
        lines += [f"In the catalogue: {some}{more}.", ""]
    return lines


def text(law: Physics) -> list[str]:
    """The docstring as Markdown, its equations typeset."""
    lines: list[str] = []
    for line in inspect.cleandoc(law.module.__doc__ or "").splitlines():
        if not line.startswith("    "):
            lines.append(_prose(line))
            continue
        equation, page, sections = equations.citation(line)
        if equation and "-> " not in equation and "--^" not in equation:
            lines += ["", "$$", equations.tex(equation), "$$", ""]
        if page:
            where = f"[{SECTIONS[page]}: {sections}](/reference/{page}.md)"
            lines += ["{.cited}", where, ""]
    return [*lines, ""]


def _prose(line: str) -> str:
    line = re.sub(r"(?<!`)([*|_])", r"\\\1", line) if "`" not in line else line
    return re.sub(r"^Left out:", "**Left out:**", line.replace("Left out:", "**Left out:**", 1))


def parameters(law: Physics) -> list[str]:
    """Table of the law's numbers."""
    if not law.parameters:
        return []
    meanings = notation()["symbols"]
    rows = ["| parameter | | meaning | unit | range |", "|---|---|---|---|---|"]
    for field in law.parameters:
        shown = equations.symbol(field.name)
        formula = f"${shown}$" if shown else ""
        meaning = field.meaning or meanings.get(field.name, "")
        rows.append(f"| `{field.name}` | {formula} | {meaning} | {field.unit} | {_range(field)} |")
    return [*rows, ""]


def _range(field: Field) -> str:
    return f"{field.low:g} … {field.high:g}"


def topology_page() -> str:
    """Markdown of all topologies."""
    lines = ["# Topologies", ""]
    lines += [
        "A topology is the wiring between laws: its ports, and which port uses which. The",
        "drawings are generated from the topologies' sources. A solid box is a port for any law of its",
        "family; dashed boxes are inputs. An arrow with two heads means that each uses the other.",
        "",
    ]
    for name in topology_files():
        topology = load_topology(name)
        lines += [f"## `{name}`", "", *text(topology), *in_page(drawn(topology))]
        lines += ["| port | family |", "|---|---|"]
        for port, family in ports(topology).items():
            lines.append(f"| `{port}` | [{TITLES[family]}](laws/{family}.md) (`{family}`) |")
        lines += ["", "The topology's own parameters:", "", *parameters(topology)]
    return "\n".join(lines)


def index_page() -> str:
    """Markdown of the list of families."""
    lines = [
        "# Laws",
        "",
        "A law holds the equations of one effect, in one file of plain Python.",
        "",
    ]
    lines += ["| family | laws |", "|---|---|"]
    for family, title in TITLES.items():
        named = ", ".join(f"[`{n}`](#{family}-{n})" for n in law_files(family))
        lines.append(f"| [{title}]({family}.md) | {named} |")
    lines += ["", "```{toctree}", ":hidden:", "", *TITLES, "```", ""]
    return "\n".join(lines)
