"""The catalogue of actuators: a section for each device, with its curves, from the TOML files."""

from collections import defaultdict

import catalogued
from curves import motor_curve, spring_curves, torque_speed
from figures import in_page

from pliant.assemble import Actuator
from pliant.report.derived import derived, torque_at_full_command
from pliant.report.verdict import reached

PAGES = {
    "rigid_servo": ("servos", "Servos"),
    "series_elastic": ("series_elastic", "Series-elastic actuators"),
    "antagonistic": ("antagonistic", "Antagonistic actuators"),
    "backlash": ("backlash", "Servos with play"),
    "parallel": ("parallel", "Springs, brakes and dampers beside a motor"),
    "adjustable": ("adjustable", "Actuators with a stiffness adjuster"),
}


def devices() -> dict[str, dict[str, list[Actuator]]]:
    """Topology to device to its actuators."""
    found: dict[str, dict[str, list[Actuator]]] = defaultdict(lambda: defaultdict(list))
    for actuator in catalogued.actuators().values():
        found[actuator.topology.name][actuator.device].append(actuator)
    return found


def page(topology: str) -> str:
    """Markdown of all devices of one topology."""
    lines = [f"# {PAGES[topology][1]}", "", *_about(topology), ""]
    for _, actuators in sorted(devices()[topology].items()):
        lines += [f"## {_title(actuators)}", ""]
        if topology == "rigid_servo":
            lines += in_page(torque_speed(actuators))
            lines += [*_figures(actuators), ""]
            lines += _others(actuators[0].device)
            lines += ["Sources:", "", *_sources(actuators[:1])]
            continue
        lines += [*_names(actuators), ""]
        if topology == "parallel":  # no motor, and a spring whose place a clutch decides
            lines += ["Sources:", "", *_sources(actuators[:1])]
            continue
        for actuator in actuators:
            lines += [f"`{actuator.name}`", ""] if len(actuators) > 1 else []
            lines += in_page(spring_curves(actuator))
        if curve := motor_curve(actuators[0]):
            lines += in_page(curve)
        else:
            torque = torque_at_full_command(actuators[0])(0.0)
            lines += [f"Motor: up to {torque:.3g} N m at any speed.", ""]
        lines += ["Sources:", "", *_sources(actuators[:1])]
    return "\n".join(lines)


def _about(topology: str) -> list[str]:
    wired = f"wired as [`{topology}`](../topologies.md#{topology.replace('_', '-')})"
    if topology == "rigid_servo":
        return [
            f"Actuators {wired}. Each line is the torque at the joint at full command and nominal",
            "supply when it drives a load, one line for each friction model; the dashed line is the motor",
            "without friction. `pliant show NAME` lists every parameter with unit, bounds and source.",
        ]
    if topology == "parallel":
        return [f"Devices {wired}. `pliant show NAME` lists every parameter with unit and source."]
    return [
        f"Actuators {wired}. The plots show torque on the link and stiffness over deflection, with held",
        "motors, from the softest setting to the stiffest; where stated, also the motor's torque over speed",
        "at full command. `pliant show NAME` lists every parameter with unit and source.",
    ]


def _title(actuators: list[Actuator]) -> str:
    return actuators[0].title.partition(", ")[0]


def _names(actuators: list[Actuator]) -> list[str]:
    rows = ["| name | what it is |", "|---|---|"]
    return [*rows, *(f"| `{a.name}` | {a.title} |" for a in actuators)]


def _figures(actuators: list[Actuator]) -> list[str]:
    """Data-sheet figures from the laws, a row for each friction model."""
    rows = [
        "| name | stall torque at the joint | no-load speed | breakaway, motor | backdrive, load |",
        "|---|---|---|---|---|",
    ]
    for actuator in actuators:
        d = derived(actuator)
        cells = (
            (d.stall_torque, "N m"),
            (d.no_load_speed, "rad/s"),
            (d.breakaway_torque, "N m"),
            (d.backdrive_torque, "N m"),
        )
        shown = " | ".join("none" if x is None else f"{x:.3g} {unit}" for x, unit in cells)
        rows.append(f"| `{actuator.name}` | {shown} |")
    return rows


def _others(device: str) -> list[str]:
    """Errors of fits by other programs, with their source."""
    lines: list[str] = []
    for one in reached(device):
        lines += [
            f"Fits by other programs: {_escaped(str(one))}. {_escaped(one.how[:1].upper() + one.how[1:])}."
        ]
        if one.mae_mrad:
            errors = ", ".join(f"{m} {e:.1f}" for m, e in one.mae_mrad.items())
            lines += [f"All models [mrad]: {errors}."]
        lines += [f"Source: {_escaped(one.source)}.", ""]
    return lines


def _sources(actuators: list[Actuator]) -> list[str]:
    lines: list[str] = []
    for actuator in actuators:
        lines += [f"- `{key}`: {_escaped(said)}" for key, said in actuator.sources.items()]
    return [*lines, ""]


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_").replace("|", "\\|").replace("<", "\\<")


def index_page() -> str:
    """Markdown of the list of all actuators."""
    lines = ["# Catalogue of actuators", "", "`pliant actuators` prints this list.", ""]
    lines += ["| device | actuators |", "|---|---|"]
    for topology, (file, _) in PAGES.items():
        for actuators in devices()[topology].values():
            named = ", ".join(f"`{a.name}`" for a in actuators)
            lines.append(f"| [{_title(actuators)}]({file}.md) | {named} |")
    toctree = ["```{toctree}", ":hidden:", "", *(file for file, _ in PAGES.values()), "```"]
    return "\n".join([*lines, "", *toctree, ""])
