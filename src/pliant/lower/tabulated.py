"""Generation of a law file from measured curves of a spring: torque over deflection and preset.

    table (CSV) -> bicubic torque -> energy by integration -> law file of `adjustable_compliance`

Everything in the law is a derivative of one energy, so the device conserves energy with its
motors like any other.

The torque is the tensor product of cubic splines through the table, and the energy its integral
from zero deflection, cell by cell in closed form. A table of torques does not determine the energy at
zero deflection, which loads only the adjuster: it is a separate column, or 0.

Beyond the table's deflections the torque continues linearly; beyond its presets nothing changes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, check_kind, check_known, located
from pliant.extras import extra_module
from pliant.files import read_text
from pliant.subset import check_source

_interpolate = extra_module("scipy.interpolate", "identify")

COLUMNS = ("deflection", "preset", "torque")
REST = "rest_energy"
_QUANTITIES = {"deflection": ("angle",), "torque": ("torque",)}
LEAST_DEFLECTIONS, LEAST_PRESETS = 4, 2


@dataclass(frozen=True, kw_only=True, eq=False)
class SpringTable:
    """A device's curves on a full grid.

    Attributes:
        deflection: (D,) rad, rising.
        preset: (N,) in the adjuster's unit, rising.
        torque: (D, N) N m, dV/dq: positive if the link is ahead of the motor.
        rest_energy: (N,) J at zero deflection.
    """

    deflection: Floats
    preset: Floats
    torque: Floats
    rest_energy: Floats


def read_spring_table(path: Path) -> SpringTable:
    """Read and check a table of torque over deflection and preset."""
    rows = _rows(path)
    deflection, preset = (np.unique(rows[:, k]) for k in range(2))
    if len(rows) != deflection.size * preset.size or len(np.unique(rows[:, :2], axis=0)) != len(
        rows
    ):
        raise PliantError(
            "is not a full grid",
            file=path,
            field="deflection, preset",
            found=f"{len(rows)} rows",
            accepted=f"each of {deflection.size} deflections once with each of {preset.size} "
            "presets",
        )
    for name, values, least in (
        ("deflection", deflection, LEAST_DEFLECTIONS),
        ("preset", preset, LEAST_PRESETS),
    ):
        if values.size < least:
            raise PliantError(
                "has too few values",
                file=path,
                field=name,
                found=values.size,
                accepted=f"{least} or more",
            )
    if not deflection[0] < 0.0 < deflection[-1]:
        raise PliantError(
            "does not enclose zero deflection",
            file=path,
            field="deflection",
            found=f"{deflection[0]:g} to {deflection[-1]:g} rad",
            accepted="negative and positive ones: mirror the table of a symmetric device",
        )
    grid = rows[np.lexsort((rows[:, 1], rows[:, 0]))].reshape(deflection.size, preset.size, 4)
    if np.ptp(grid[:, :, 3], axis=0).any():
        raise PliantError(
            "changes with deflection",
            file=path,
            field=REST,
            accepted="a single energy [J] for each preset",
        )
    return SpringTable(
        deflection=deflection, preset=preset, torque=grid[:, :, 2], rest_energy=grid[0, :, 3]
    )


def _rows(path: Path) -> Floats:
    """(R, 4) deflection, preset, torque, rest energy."""
    with located(path):
        rows = csv_rows(read_text(path))
        columns = csv_columns(rows, _QUANTITIES)
        finite_columns(rows, columns)
        unknown = [name for name in columns if name not in (*COLUMNS, REST)]
        if unknown or not set(COLUMNS) <= set(columns):
            raise PliantError(
                "has the wrong columns",
                field="line 1",
                found=list(columns),
                accepted=f"{', '.join(COLUMNS)} and, if known, {REST}",
            )
    nothing = np.zeros(len(rows.cells))
    return np.column_stack([columns.get(name, nothing) for name in (*COLUMNS, REST)])


def energy_cells(curves: SpringTable) -> Floats:
    """(D + 1, N + 1, 5, 4) Coefficients of the energy [J], u^i v^j, in every cell.

    u and v are relative to the cell's lower deflection and preset; in cells before the first, to the
    first. The outermost cells are those beyond the table.
    """
    along: Any = _interpolate.CubicSpline(curves.deflection, curves.torque, axis=0).c
    across: Any = _interpolate.CubicSpline(curves.preset, along, axis=2).c
    # (power of v, preset, power of u, deflection) from high to low -> (D - 1, N - 1, 4, 4)
    torque: Floats = across[::-1, :, ::-1].transpose(3, 1, 2, 0)
    if torque.shape[-1] < 4:
        torque = np.pad(torque, [(0, 0)] * 3 + [(0, 4 - torque.shape[-1])])
    inner = np.zeros((*torque.shape[:2], 5, 4))
    inner[:, :, 1:] = torque / np.arange(1.0, 5.0)[:, None]
    widths = np.diff(curves.deflection)
    for k in range(1, len(inner)):
        inner[k, :, 0] = _taken(inner[k - 1], widths[k - 1], 0)
    inner[:, :, 0] += _rest(curves) - _at_rest(inner, curves.deflection)
    inner[:, :, 0, 0] -= min(_lowest(inner, curves), 0.0)
    return _beyond_presets(_beyond_deflections(inner, widths[-1]), curves)


def _rest(curves: SpringTable) -> Floats:
    """(N - 1, 4) Energy at zero deflection, in powers of v."""
    powers: Any = _interpolate.CubicSpline(curves.preset, curves.rest_energy).c
    return np.pad(powers[::-1].T, [(0, 0), (0, 4 - len(powers))])


def _at_rest(inner: Floats, deflection: Floats) -> Floats:
    """(N - 1, 4) The integral so far at zero deflection."""
    k = int(np.searchsorted(deflection, 0.0, side="right")) - 1
    return _taken(inner[k], -deflection[k], 0)


def _taken(cells: Floats, u: float, order: int) -> Floats:
    """(..., 4) The `order`-th derivative by u of (..., 5, 4) cells at u, in powers of v."""
    powers: Any = np.polynomial.polynomial
    return powers.polyval(u, powers.polyder(np.moveaxis(cells, -2, 0), order))


def _lowest(inner: Floats, curves: SpringTable) -> float:
    """The smallest energy [J] on a grid eight times as fine as the table."""
    powers: Any = np.polynomial.polynomial
    parts = np.linspace(0.0, 1.0, 9)
    return min(
        float(powers.polygrid2d(width * parts, height * parts, inner[k, j]).min())
        for k, width in enumerate(np.diff(curves.deflection))
        for j, height in enumerate(np.diff(curves.preset))
    )


def _beyond_deflections(inner: Floats, width: float) -> Floats:
    """(D + 1, N - 1, 5, 4) The cells, with one added at either end whose torque is linear."""
    ends = [(inner[:1], 0.0), (inner[-1:], width)]
    outer = [np.zeros_like(cells) for cells, _ in ends]
    for cells, (edge, u) in zip(outer, ends, strict=True):
        for order, factorial in enumerate((1.0, 1.0, 2.0)):
            cells[:, :, order] = _taken(edge, u, order) / factorial
    return np.concatenate([outer[0], inner, outer[1]])


def _beyond_presets(rows: Floats, curves: SpringTable) -> Floats:
    """(D + 1, N + 1, 5, 4) The cells, with one added at either end that does not depend on the preset."""
    height = curves.preset[-1] - curves.preset[-2]
    first, last = np.zeros_like(rows[:, :1]), np.zeros_like(rows[:, :1])
    first[..., 0] = rows[:, :1, :, 0]
    last[..., 0] = rows[:, -1:] @ height ** np.arange(4.0)
    return np.concatenate([first, rows, last], axis=1)


UNITS = ("rad", "m")


def write_tabulated_law(
    table: Path, output: Path, *, adjuster: str = "rad", source: str = ""
) -> None:
    """Write the law of a spring whose torque is given by a table.

    Args:
        table: CSV with a header and the columns `deflection` [rad], `preset` [`adjuster`] and
            `torque` [N m], one row for each pair of deflection and preset, in any order; `torque`
            is dV/dq, positive if the link is ahead. Optionally `rest_energy` [J].
        output: law file, which an actuator refers to by its path.
        adjuster: unit of the preset, "rad" or "m".
        source: of the curves, for the law's docstring; by default the table's name.

    Raises:
        PliantError: the table is not a full grid of numbers around zero deflection.
    """
    for name, path in {"table": table, "output": output}.items():
        check_kind(path, Path, name, "a pathlib.Path")
    check_known(adjuster, UNITS, "not a unit of an adjuster", "adjuster")
    curves = read_spring_table(table)
    cells = energy_cells(curves)
    output.write_text(_law(curves, cells, adjuster, source or table.name), encoding="utf-8")
    check_source(output)


def _law(curves: SpringTable, cells: Floats, adjuster: str, source: str) -> str:
    """The text of the law."""
    origins = np.concatenate([curves.deflection[:1], curves.deflection])
    presets = np.concatenate([curves.preset[:1], curves.preset])
    rows: list[str] = []
    for k, phi in enumerate(origins):
        leaves = [
            f"return Cell({', '.join(repr(float(c)) for c in (phi, x, *cells[k, j].flat))})"
            for j, x in enumerate(presets)
        ]
        body = _branches("w", curves.preset, leaves, 1)
        rows.append(f"def row_{k}(w: float) -> Cell:\n{body}")
    choice = _branches(
        "phi", curves.deflection, [f"return row_{k}(w)" for k in range(len(origins))], 1
    )
    fields = ["phi", "w", *(f"e{i}{j}" for i in range(5) for j in range(4))]
    clean = source.replace("\\", "/").replace('"""', "'''")
    text = _HEAD.replace("@SOURCE", clean).replace("@ADJUSTER", adjuster)
    text = text.replace(
        "@SIZE", f"{curves.deflection.size} deflections, {curves.preset.size} presets"
    )
    text = text.replace("@FIELDS", "\n".join(f"    {name}: float" for name in fields))
    rows.append(f"def cell(phi: float, w: float) -> Cell:\n{choice}")
    return "\n\n\n".join([text.rstrip(), *rows, *map(_power, range(5)), *map(_slope, range(5))]) + (
        "\n\n\n" + _FUNCTIONS
    )


def _branches(name: str, edges: Floats, leaves: list[str], depth: int, last: bool = True) -> str:
    """Bisection: code that selects, among one more leaf than there are edges, that of the cell of `name`.

    An edge belongs to the cell above it, the last one to the cell below it: to the table.
    """
    pad = "    " * depth
    if len(leaves) == 1:
        return f"{pad}{leaves[0]}"
    middle = len(edges) // 2
    below = _branches(name, edges[:middle], leaves[: middle + 1], depth + 1, last=False)
    above = _branches(name, edges[middle + 1 :], leaves[middle + 1 :], depth, last)
    sign = "<=" if last and middle == len(edges) - 1 else "<"
    return f"{pad}if {name} {sign} {float(edges[middle])!r}:\n{below}\n{above}"


def _power(i: int) -> str:
    return (
        f"def a{i}(c: Cell, w: float) -> float:\n    v = w - c.w\n"
        f"    return c.e{i}0 + v * (c.e{i}1 + v * (c.e{i}2 + v * c.e{i}3))"
    )


def _slope(i: int) -> str:
    return (
        f"def b{i}(c: Cell, w: float) -> float:\n    v = w - c.w\n"
        f"    return c.e{i}1 + v * (2.0 * c.e{i}2 + v * 3.0 * c.e{i}3)"
    )


_HEAD = '''"""A spring given by a table: torque over deflection and preset.

    torque: cubic splines through the table;  V: its integral from zero deflection, cell by cell

Source: @SOURCE; @SIZE. Generated by pliant: edit the table, not this file.

Left out: hysteresis; beyond the table's deflections the torque is linear, beyond its presets V does
not change with the preset.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    pass


class Cell(NamedTuple):
@FIELDS


ADJUSTER = "@ADJUSTER"
"""Unit of the preset x."""
X: Annotated[float, "@ADJUSTER"] = 1.0
V: Annotated[float, "J"] = 1.0
'''

_FUNCTIONS = """def energy(q: float, theta: float, x: float, p: P) -> float:
    w = x / X
    c = cell(q - theta, w)
    u = q - theta - c.phi
    return V * (a0(c, w) + u * (a1(c, w) + u * (a2(c, w) + u * (a3(c, w) + u * a4(c, w)))))


def torque(q: float, theta: float, x: float, p: P) -> float:
    w = x / X
    c = cell(q - theta, w)
    u = q - theta - c.phi
    return V * (a1(c, w) + u * (2.0 * a2(c, w) + u * (3.0 * a3(c, w) + u * 4.0 * a4(c, w))))


def load(q: float, theta: float, x: float, p: P) -> float:
    return -torque(q, theta, x, p)


def adjuster_load(q: float, theta: float, x: float, p: P) -> float:
    w = x / X
    c = cell(q - theta, w)
    u = q - theta - c.phi
    return V / X * (b0(c, w) + u * (b1(c, w) + u * (b2(c, w) + u * (b3(c, w) + u * b4(c, w)))))


def stiffness(q: float, theta: float, x: float, p: P) -> float:
    w = x / X
    c = cell(q - theta, w)
    u = q - theta - c.phi
    return V * (2.0 * a2(c, w) + u * (6.0 * a3(c, w) + u * 12.0 * a4(c, w)))


def coupling(q: float, theta: float, x: float, p: P) -> float:
    w = x / X
    c = cell(q - theta, w)
    u = q - theta - c.phi
    return V / X * (b1(c, w) + u * (2.0 * b2(c, w) + u * (3.0 * b3(c, w) + u * 4.0 * b4(c, w))))
"""
