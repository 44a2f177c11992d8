"""The page of a stiffness estimate: over time with its band, leverage, status, what was learned."""

from html import escape
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.estimate.estimator import COVERS, Status
from pliant.estimate.offline import StiffnessRun
from pliant.report.document import document, key, tiles, warned
from pliant.report.svg import blank, dress, inline
from pliant.report.table import table
from pliant.report.theme import BACK_DRIVEN, GOAL, INK, OFF, SIMULATED, SOFT, STAYS
from pliant.words import number, unit

DOTS = 3000
"""Samples that a curve shows."""
SHADES = {
    Status.WARMING_UP: ("warming up, or cannot know", STAYS, "stays"),
    Status.FROZEN: ("frozen: the link is steady", OFF, "off"),
    Status.REJECTED: ("rejected", BACK_DRIVEN, "back-driven"),
    Status.CANNOT_KNOW: ("warming up, or cannot know", STAYS, "stays"),
}
"""Status to its words, marker colour, and style variable."""


def stiffness_page(found: StiffnessRun) -> str:
    """The HTML of the report."""
    count, seconds = len(found.names), float(found.log.time[-1])
    body = [
        f"<h1>Stiffness of {escape(', '.join(found.names))}</h1>",
        f'<p class="soft">{escape(found.path.name)}: {count} '
        f"{'joint' if count == 1 else 'joints'}, {seconds:.1f} s, {1e3 * found.log.dt:.4g} ms, "
        f"mode {found.mode}. The stiffness belongs to the newest sample; what it was learned from "
        f"is {1e3 * found.lag:.3g} ms older.</p>",
        tiles([_tile(found, k) for k in range(count)]),
        warned(found.warnings),
        "<h2>Stiffness over time</h2>",
        key(
            [
                ("stiffness", "simulated", "line"),
                ("± 2 standard deviations, noise", "goal", "box"),
                *_shades(found),
            ]
        ),
        f'<p class="soft">The band covers {escape(COVERS)}. Leverage above 1 means that the '
        "deflection lies outside what was learned; above "
        f"{found.settings.warn_leverage:g} the stiffness is extrapolated.</p>",
        '<div class="plots">' + "".join(_figure(found, k) for k in range(count)) + "</div>",
        "<h2>What was learned</h2>",
        _learned(found),
        "<h2>Status</h2>",
        _statuses(found),
    ]
    return document(f"Stiffness, {found.path.name}", body)


def _tile(found: StiffnessRun, k: int) -> tuple[str, str]:
    sigma = found.estimate.sigma[:, k]
    known = sigma[np.isfinite(sigma)]
    if not len(known):
        return "not known", f"{found.names[k]}: nothing was learned"
    low, high = number(float(known.min())), number(float(known.max()))
    return number(float(np.median(known))), f"{found.names[k]} [N m/rad], median; {low} to {high}"


def _shades(found: StiffnessRun) -> list[tuple[str, str, str]]:
    """Legend of the states that occur."""
    seen = set(np.unique(found.estimate.codes).tolist())
    entries = [
        (text, variable, "box")
        for status, (text, _, variable) in SHADES.items()
        if int(status) in seen
    ]
    return list(dict.fromkeys(entries))


def _figure(found: StiffnessRun, k: int) -> str:
    estimate, time = found.estimate, found.log.time
    thin = slice(None, None, max(len(time) // DOTS, 1))
    sigma, std = estimate.sigma[:, k], estimate.sigma_std[:, k]
    figure = blank(5.6, 3.9)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.1])
    for axes in (upper, lower):
        dress(axes)
        _shade(axes, time, estimate.codes[:, k])
    t = time[thin]
    upper.fill_between(
        t, (sigma - 2.0 * std)[thin], (sigma + 2.0 * std)[thin], color=GOAL, linewidth=0
    )
    upper.plot(t, sigma[thin], color=SIMULATED, linewidth=1.3)
    lower.axhline(1.0, color=INK, linewidth=0.6)
    leverage = estimate.leverage[:, k]
    known = np.isfinite(leverage) & np.isfinite(sigma) & (leverage > 0.0)
    lower.plot(t, np.where(known, leverage, np.nan)[thin], color=SIMULATED, linewidth=1.0)
    if known.any():
        lower.set_yscale("log")
        lower.tick_params(which="both", colors=SOFT, labelcolor=SOFT)
    _frame(upper, lower, time, sigma)
    figure.align_ylabels([upper, lower])
    drawing = inline(figure, f"joint{k}", "Stiffness and leverage over time")
    return f'<figure class="panel"><h3>{escape(found.names[k])}</h3>{drawing}</figure>'


def _frame(upper: Axes, lower: Axes, time: Floats, sigma: Floats) -> None:
    upper.set_ylabel("stiffness [N m/rad]")
    lower.set_ylabel("leverage")
    lower.set_xlabel("time [s]")
    lower.set_xlim(float(time[0]), float(time[-1]))
    known = sigma[np.isfinite(sigma)]
    if len(known):
        # The first estimates may be far off; the axis belongs to the others.
        low, high = np.quantile(known, [0.02, 0.98])
        room = 0.15 * (high - low) + 0.02 * abs(high)
        upper.set_ylim(float(low - room), float(high + room))


def _shade(axes: Axes, time: Floats, codes: NDArray[np.int64]) -> None:
    """Spans of each status that is not learning."""
    edges = np.flatnonzero(np.diff(codes)) + 1
    bounds = [0, *edges.tolist(), len(codes)]
    for begin, end in pairwise(bounds):
        status = Status(int(codes[begin]))
        if status in SHADES:
            last = min(end, len(time) - 1)
            axes.axvspan(time[begin], time[last], color=SHADES[status][1], linewidth=0)


def _learned(found: StiffnessRun) -> str:
    rows: list[list[str]] = []
    for k, name in enumerate(found.names):
        rows.append([f"{name} ({found.joints[k].kind})"])
        rows += [[what, number(value), unit(of)] for what, value, of in found.parameters(k)]
    return table(["term of the torque", "value", "unit"], rows, numbers=(1,), soft=(2,))


def _statuses(found: StiffnessRun) -> str:
    rows = [
        [
            name,
            *(f"{100 * found.shares(k).get(status.text, 0.0):.1f} %" for status in Status),
            f"{100 * float(found.estimate.misfit[-1, k]):.2g} %",
        ]
        for k, name in enumerate(found.names)
    ]
    head = ["joint", *(status.text for status in Status), "misfit at the end"]
    return table(head, rows, numbers=tuple(range(1, len(head))))
