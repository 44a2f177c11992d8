"""The wiring of a topology as a picture: a box for each port, an arrow for each thing it hears."""

from math import hypot

from figures import COLOURS, INK, PAPER, SOFT, blank, inline
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from wiring import arrows

from pliant.catalogue import Physics, ports

COLUMNS = (
    ("goal", "preset"),
    ("timing",),
    ("reference_map",),
    ("control", "rate", "sensing", "encoder_side"),
    ("driver", "protection"),
    ("motor", "unpowered"),
    ("winding", "thermal"),
    ("rotor", "friction_state", "clutch", "gear_load", "reversal"),
    (
        "compliance",
        "adjustable_compliance",
        "deflection_limit",
        "friction_budget",
        "contact",
        "hysteresis",
    ),
    ("joint",),
)
"""Families from left to right, in the direction in which power flows."""
ABOVE = ("rate", "friction_state", "deflection_limit", "protection", "gear_load")
BELOW = ("sensing", "friction_budget", "thermal", "reversal", "unpowered")
ROOM, HIGH, WIDE, TALL = 1.5, 0.95, 1.12, 0.5
"""Distance of columns and of rows, width and height of a box [inches]."""


def places(topology: Physics) -> dict[str, tuple[float, float]]:
    """Middle of each box: columns without a port are left out."""
    families = {"goal": "goal", "joint": "joint", **ports(topology)}
    if getattr(topology.module, "REFERENCES", 1) > 1:
        families["preset"] = "preset"
    used = [column for column in COLUMNS if set(column) & set(families.values())]
    two_sided = any(name.endswith("_2") for name in families)
    found: dict[str, tuple[float, float]] = {}
    for name, family in families.items():
        column = next(k for k, column in enumerate(used) if family in column)
        side = {"_1": 1.6, "_2": -1.6}.get(name[-2:], 0.0) if two_sided else 0.0
        if name in ("goal", "preset") and "preset" in families:
            side = 0.5 if name == "goal" else -0.5
        outward = -1.0 if side < 0.0 and name.endswith("_2") else 1.0
        row = side + outward * ((family in ABOVE) - (family in BELOW))
        if name == "coupling":
            column -= 1
        found[name] = (ROOM * column, HIGH * row)
    return found


def drawn(topology: Physics) -> str:
    """HTML of the picture."""
    where = places(topology)
    across, up = zip(*where.values(), strict=True)
    margin = 0.75
    width = max(across) - min(across) + 2 * margin
    height = max(up) - min(up) + 2 * margin
    figure = blank(width, height, layout="none")
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(min(across) - margin, max(across) + margin)
    axes.set_ylim(min(up) - margin * 0.75, max(up) + margin * 1.25)
    families = ports(topology)
    boxes = {name: _box(axes, name, families.get(name), at) for name, at in where.items()}
    pairs = {pair for pair in arrows(topology) if set(pair) <= where.keys()}
    for a, b in sorted(pairs):
        if (b, a) in pairs and b < a:
            continue
        _arrow(axes, (boxes[a], boxes[b]), (where[a], where[b]), both=(b, a) in pairs)
    return inline(figure, f"wiring of {topology.name}")


def _box(axes: Axes, name: str, family: str | None, at: tuple[float, float]) -> FancyBboxPatch:
    x, y = at
    wide = WIDE if family is not None else 0.8
    box = FancyBboxPatch(
        (x - wide / 2, y - TALL / 2),
        wide,
        TALL,
        boxstyle="round,pad=0,rounding_size=0.09",
        facecolor=PAPER,
        edgecolor=COLOURS[0] if family is not None else SOFT,
        linewidth=1.3,
        linestyle="-" if family is not None else (0, (3, 2)),
        zorder=3,
    )
    axes.add_patch(box)
    axes.text(x, y + 0.015, name, ha="center", va="center", color=INK, fontsize=9, zorder=4)
    return box


def _arrow(
    axes: Axes,
    boxes: tuple[FancyBboxPatch, FancyBboxPatch],
    at: tuple[tuple[float, float], tuple[float, float]],
    *,
    both: bool,
) -> None:
    (x, y), (to_x, to_y) = at
    far = hypot((to_x - x) / ROOM, (to_y - y) / HIGH)
    # A line along a row that passes over other boxes bows around them.
    bow = 0.0 if far < 1.5 else (-0.28 if to_x > x else 0.28)
    if y != to_y:  # to sensing: beneath the row, on the side of the middle
        bow *= (0.8 if y < 0.0 else -0.8) * (x - to_x > 2.5 * ROOM)
    if y == to_y < 0.0:
        bow = -bow
    axes.add_patch(
        FancyArrowPatch(
            at[0],
            at[1],
            patchA=boxes[0],
            patchB=boxes[1],
            arrowstyle="<|-|>" if both else "-|>",
            connectionstyle=f"arc3,rad={bow}",
            mutation_scale=9,
            color=SOFT,
            linewidth=1.0,
            shrinkA=1.5,
            shrinkB=1.5,
            zorder=2,
        )
    )
