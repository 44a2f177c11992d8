"""The page of a torque characteristic: torque, residual, stiffness with its band, parameters."""

from typing import Any

from pliant.arrays import Floats
from pliant.estimate.characteristic import TorqueCharacteristic
from pliant.report.document import rendered
from pliant.report.page import titled
from pliant.report.plots import Figure, band, dots, figure, line
from pliant.report.table import table
from pliant.report.unknown import questions
from pliant.report.words import Said
from pliant.words import counted, number, unit


def characteristic_page(name: str, q: Floats, tau: Floats, found: TorqueCharacteristic) -> str:
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
        questions=questions(Said(word) for word in found.warnings),
        parameters=table(head, rows, numbers=(1, 3), soft=(2,)),
        errors=_errors(found),
    )


def _keyed(role: str, text: str, shape: str = "broad") -> dict[str, Any]:
    return {"role": role, "text": text, "shape": shape, "toggles": True}


def _tiles(found: TorqueCharacteristic) -> list[tuple[str, str]]:
    curve = found.curve
    return [
        (
            f"{number(curve.stiffness.min())} … {number(curve.stiffness.max())}",
            "stiffness [N m/rad], motors at their medians",
        ),
        (f"± {curve.spread:.2g} %", "stiffness at most, 95 % of refits; noise only"),
        (f"{found.c:.3g} %", f"torque error c, |tau| counted from {number(found.floor)} N m"),
    ]


def _torque(q: Floats, tau: Floats, found: TorqueCharacteristic) -> Figure:
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


def _stiffness(found: TorqueCharacteristic) -> Figure:
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


def _errors(found: TorqueCharacteristic) -> list[str]:
    sentences = [
        f"c = {found.c:.3g} %: how well the torque is explained, where {100 * found.below:.0f} % "
        f"of the samples lie below {number(found.floor)} N m and count as that. It is no interval "
        "for the stiffness.",
        f"The band of the stiffness comes from refits to blocks of {found.block} samples. It "
        "covers noise; it does not cover a law of the wrong form.",
    ]
    sentences += [
        f"Fitted to {one.fitted} and tried on {one.tried}: torque off by {one.torque:.2g} % of the "
        f"largest, stiffness by up to {one.stiffness:.2g} % from the fit to all."
        for one in found.branches
    ]
    return sentences
