"""A table of a spring's torque over deflection and preset, and the energy that goes with it.

The torque is the tensor product of cubic splines through the table, and the energy its integral
from zero deflection, cell by cell in closed form. What a table of torques cannot tell is the energy
at zero deflection, which loads the adjuster alone: it is a column of its own, or 0.

Beyond the table's deflections the torque goes on linearly, beyond its presets nothing changes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.files import read_text

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
        torque: (D, N) N m, dV/dq: positive where the link is ahead of the motor.
        rest_energy: (N,) J at zero deflection.
    """

    deflection: Floats
    preset: Floats
    torque: Floats
    rest_energy: Floats


def read_spring_table(path: Path) -> SpringTable:
    """Read and check a table of torque over deflection and preset.

    Raises:
        PliantError: with the line or the column.
    """
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
            accepted="one energy [J] for each preset",
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
                "has other columns",
                field="line 1",
                found=list(columns),
                accepted=f"{', '.join(COLUMNS)} and, if known, {REST}",
            )
    nothing = np.zeros(len(rows.cells))
    return np.column_stack([columns.get(name, nothing) for name in (*COLUMNS, REST)])


def energy_cells(curves: SpringTable) -> Floats:
    """(D + 1, N + 1, 5, 4) Coefficients of the energy [J], u^i v^j, in every cell.

    u and v count from the cell's lower deflection and preset; in the cells before the first from
    the first. The outermost cells are those beyond the table.
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
    """The least energy [J] on a grid eight times as fine as the table."""
    powers: Any = np.polynomial.polynomial
    parts = np.linspace(0.0, 1.0, 9)
    return min(
        float(powers.polygrid2d(width * parts, height * parts, inner[k, j]).min())
        for k, width in enumerate(np.diff(curves.deflection))
        for j, height in enumerate(np.diff(curves.preset))
    )


def _beyond_deflections(inner: Floats, width: float) -> Floats:
    """(D + 1, N - 1, 5, 4) With a cell at either end whose torque is linear."""
    ends = [(inner[:1], 0.0), (inner[-1:], width)]
    outer = [np.zeros_like(cells) for cells, _ in ends]
    for cells, (edge, u) in zip(outer, ends, strict=True):
        for order, factorial in enumerate((1.0, 1.0, 2.0)):
            cells[:, :, order] = _taken(edge, u, order) / factorial
    return np.concatenate([outer[0], inner, outer[1]])


def _beyond_presets(rows: Floats, curves: SpringTable) -> Floats:
    """(D + 1, N + 1, 5, 4) With a cell at either end that does not change with the preset."""
    height = curves.preset[-1] - curves.preset[-2]
    first, last = np.zeros_like(rows[:, :1]), np.zeros_like(rows[:, :1])
    first[..., 0] = rows[:, :1, :, 0]
    last[..., 0] = rows[:, -1:] @ height ** np.arange(4.0)
    return np.concatenate([first, rows, last], axis=1)
