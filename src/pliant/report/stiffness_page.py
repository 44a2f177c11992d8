"""Pages of stiffness: an estimate over time, with band, leverage and status; the torque characteristic of springs."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.estimate.estimator import COVERS, MODEL_LIMIT, Status
from pliant.estimate.model_error import ModelError, rows, worst
from pliant.estimate.offline import StiffnessRun
from pliant.identification.problem.doubt import Doubt
from pliant.report.document import (
    Figure,
    ReportTable,
    band,
    dots,
    figure,
    line,
    rendered,
    span,
    table,
)
from pliant.report.page import titled
from pliant.report.unknown import questions
from pliant.words import counted, number, unit

if TYPE_CHECKING:  # it needs SciPy, and the page of an estimate does not
    from pliant.estimate.torque_law import TorqueCharacteristic

DOTS = 3000
"""Samples that a curve shows."""
SHADES = {
    Status.WARMING_UP: ("warming up, or cannot know", "stays"),
    Status.FROZEN: ("frozen: the link is steady", "off"),
    Status.REJECTED: ("rejected", "back-driven"),
    Status.CANNOT_KNOW: ("warming up, or cannot know", "stays"),
}
"""Status to its words and colour."""


def stiffness_page(found: StiffnessRun, tried: Sequence[ModelError]) -> str:
    """The HTML of the report; `tried` is from `model_errors`."""
    count, seconds = len(found.names), float(found.log.time[-1])
    return rendered(
        "stiffness.html",
        title=f"Stiffness of {', '.join(found.names)}",
        about=f"{found.path.name}: {counted(count, 'joint')}, {seconds:.1f} s, "
        f"{1e3 * found.log.dt:.4g} ms, {found.method}. The stiffness belongs to the newest "
        f"sample; the data it is learned from are {1e3 * found.lag:.3g} ms older.",
        plotted=True,
        tiles=[_tile(found, tried, k) for k in range(count)],
        key=_key(found),
        band=f"The band covers {COVERS}. Leverage above 1 means that the deflection lies outside "
        f"what was learned; above {found.settings.warn_leverage:g} the stiffness is extrapolated.",
        plots=[titled(_figure(found, k), name, "") for k, name in enumerate(found.names)],
        questions=questions(Doubt("said", (), word) for word in found.warnings),
        limit=MODEL_LIMIT,
        wrong=table(
            ["if the model is wrong by", *found.names],
            rows(tried),
            numbers=tuple(range(1, len(found.names) + 1)),
        ),
        learned=_learned(found),
        statuses=_statuses(found),
    )


def _tile(found: StiffnessRun, tried: Sequence[ModelError], k: int) -> tuple[str, str]:
    sigma = found.estimate.sigma[:, k]
    known = sigma[np.isfinite(sigma)]
    if not len(known):
        return "not known", f"{found.names[k]}: nothing was learned"
    low, high = number(float(known.min())), number(float(known.max()))
    text = f"{found.names[k]} [N m/rad], median; {low} to {high}"
    most = worst(tried, k)
    if most is not None:
        size = abs(100.0 * most.change[k])
        text += f"; {size:.2g} % off if {most.kind} is {abs(100.0 * most.part):.3g} % wrong"
    return number(float(np.median(known))), text


def _key(found: StiffnessRun) -> list[dict[str, Any]]:
    """Legend: the curves, and the states that occur."""
    seen = set(np.unique(found.estimate.codes).tolist())
    states = [SHADES[status] for status in SHADES if int(status) in seen]
    return [
        {"role": "simulated", "text": "stiffness", "shape": "", "toggles": True},
        {
            "role": "band",
            "text": "± 2 standard deviations, noise",
            "shape": "box",
            "toggles": True,
        },
        *(
            {"role": role, "text": text, "shape": "box", "toggles": False}
            for text, role in dict.fromkeys(states)
        ),
    ]


def _figure(found: StiffnessRun, k: int) -> Figure:
    estimate, time = found.estimate, found.log.time
    thin = slice(None, None, max(len(time) // DOTS, 1))
    sigma, std = estimate.sigma[:, k], estimate.sigma_std[:, k]
    leverage, t = estimate.leverage[:, k], time[thin]
    known = np.isfinite(leverage) & np.isfinite(sigma) & (leverage > 0.0)
    data = [
        *band(t, (sigma - 2.0 * std)[thin], (sigma + 2.0 * std)[thin], "band", "noise"),
        line(t, sigma[thin], "simulated", "stiffness", width=1.8),
        line(
            t,
            np.where(known, leverage, np.nan)[thin],
            "simulated",
            "leverage",
            width=1.4,
            lower=True,
        ),
    ]
    return figure(
        data,
        "time [s]",
        "stiffness [N m/rad]",
        "leverage",
        label="Stiffness and leverage over time",
        shapes=_spans(time, estimate.codes[:, k]),
        xaxis={"range": [float(time[0]), float(time[-1])]},
        yaxis=_room(sigma),
        yaxis2={"type": "log" if known.any() else "linear"},
    )


def _room(sigma: Floats) -> dict[str, Any]:
    """The first estimates may be far off; the axis belongs to the others."""
    known = sigma[np.isfinite(sigma)]
    if not len(known):
        return {}
    low, high = np.quantile(known, [0.02, 0.98])
    room = 0.15 * (high - low) + 0.02 * abs(high)
    return {"range": [float(low - room), float(high + room)]}


def _spans(time: Floats, codes: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Each stretch of a status that is not learning."""
    edges = np.flatnonzero(np.diff(codes)) + 1
    made: list[dict[str, Any]] = []
    for begin, end in pairwise([0, *edges.tolist(), len(codes)]):
        status = Status(int(codes[begin]))
        if status in SHADES:
            last = min(end, len(time) - 1)
            made.append(span(float(time[begin]), float(time[last]), SHADES[status][1]))
    return made


def _learned(found: StiffnessRun) -> ReportTable:
    rows: list[list[str]] = []
    for k, name in enumerate(found.names):
        rows.append([f"{name} ({found.joints[k].kind})"])
        rows += [[what, number(value), unit(of)] for what, value, of in found.parameters(k)]
    return table(["term of the torque", "value", "unit"], rows, numbers=(1,), soft=(2,))


def _statuses(found: StiffnessRun) -> ReportTable:
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


def characteristic_page(name: str, q: Floats, tau: Floats, found: "TorqueCharacteristic") -> str:
    """The HTML of the report on the recording `name`, q (N,) [rad] and tau (N,) [N m]."""
    curve = found.curve
    rows = [
        [symbol, number(value), unit(of), number(std)]
        for symbol, value, of, std in zip(
            found.names, found.parameters, found.units, found.std, strict=True
        )
    ]
    head = ["parameter", "value", "unit", "scatter of refits"]
    return rendered(
        "characteristic.html",
        title=name,
        about=f"{found.law}, {counted(len(curve.theta), 'motor')}, {len(q)} samples",
        plotted=True,
        tiles=_tiles(found),
        key=[
            _keyed("measured", "recorded"),
            _keyed("simulated", "fitted"),
            _keyed("band", "95 % of refits", "box"),
        ],
        plots=[
            titled(_torque(q, tau, found), "Torque", ""),
            titled(_stiffness(found), "Stiffness", ""),
        ],
        questions=questions(Doubt("said", (), word) for word in found.warnings),
        parameters=table(head, rows, numbers=(1, 3), soft=(2,)),
        errors=_errors(found),
    )


def _keyed(role: str, text: str, shape: str = "broad") -> dict[str, Any]:
    return {"role": role, "text": text, "shape": shape, "toggles": True}


def _tiles(found: "TorqueCharacteristic") -> list[tuple[str, str]]:
    curve = found.curve
    return [
        (
            f"{number(curve.stiffness.min())} … {number(curve.stiffness.max())}",
            "stiffness [N m/rad], motors at their medians",
        ),
        (f"± {curve.spread:.2g} %", "stiffness at most, 95 % of refits; noise only"),
        (f"{found.c:.3g} %", f"torque error c, |tau| counted from {number(found.floor)} N m"),
    ]


def _torque(q: Floats, tau: Floats, found: "TorqueCharacteristic") -> Figure:
    data = [
        dots(q, tau, "measured", "recorded", size=7),
        dots(q, tau - found.residual, "simulated", "fitted", size=2.5),
        dots(q, 1e3 * found.residual, "simulated", "residual", size=2.5, lower=True),
    ]
    return figure(
        data,
        "link angle q [rad]",
        "torque [N m]",
        "residual [mN m]",
        label="Recorded and fitted torque over the link angle",
    )


def _stiffness(found: "TorqueCharacteristic") -> Figure:
    curve = found.curve
    data = [
        *band(curve.q, curve.low, curve.high, "band", "95 % of refits"),
        line(curve.q, curve.stiffness, "simulated", "stiffness", width=2.0),
    ]
    return figure(
        data,
        "link angle q [rad]",
        "stiffness [N m/rad]",
        label="Stiffness over the link angle with its band",
    )


def _errors(found: "TorqueCharacteristic") -> list[str]:
    sentences = [
        f"c = {found.c:.3g} %: how well the torque is explained, with {100 * found.below:.0f} % "
        f"of the samples, below {number(found.floor)} N m, raised to that. It is not an interval "
        "for the stiffness.",
        f"The band of the stiffness comes from refits to blocks of {found.block} samples. It "
        "covers noise; it does not cover a law of the wrong form.",
    ]
    sentences += [
        f"Fitted to {one.fitted} and tested on {one.tried}: torque off by {one.torque:.2g} % of the "
        f"largest, stiffness by up to {one.stiffness:.2g} % from the fit to all."
        for one in found.branches
    ]
    return sentences
