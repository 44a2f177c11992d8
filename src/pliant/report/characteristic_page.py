"""The page of a torque characteristic: torque, residual, stiffness with its band, parameters."""

from html import escape

from pliant.arrays import Floats
from pliant.estimate.characteristic import TorqueCharacteristic
from pliant.report.document import document, key, tiles, warned
from pliant.report.svg import blank, dress, inline
from pliant.report.table import table
from pliant.report.theme import INK, MEASURED, SIMULATED, SOFT, STAYS
from pliant.words import number, unit


def characteristic_page(name: str, q: Floats, tau: Floats, found: TorqueCharacteristic) -> str:
    """The HTML of the report on the recording `name`, q (N,) [rad] and tau (N,) [N m]."""
    curve = found.curve
    figures = [
        (
            f"{number(curve.stiffness.min())} … {number(curve.stiffness.max())}",
            "stiffness [N m/rad], motors at their medians",
        ),
        (f"± {curve.spread:.2g} %", "stiffness at most, 95 % of refits; noise only"),
        (f"{found.c:.3g} %", f"torque error c, |tau| counted from {number(found.floor)} N m"),
    ]
    rows = [
        [name, number(value), unit(of), number(std)]
        for name, value, of, std in zip(
            found.names, found.parameters, found.units, found.std, strict=True
        )
    ]
    body = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="soft">{escape(found.law)}, {len(curve.theta)} '
        f"{'motor' if len(curve.theta) == 1 else 'motors'}, {len(q)} samples</p>",
        tiles(figures),
        warned(found.warnings),
        "<h2>Torque and stiffness</h2>",
        key(
            [
                ("recorded", "measured", "line"),
                ("fitted", "simulated", "line"),
                ("95 % of refits", "stays", "box"),
            ]
        ),
        f'<div class="plots"><figure class="panel">{_torque(q, tau, found)}</figure>'
        f'<figure class="panel">{_stiffness(found)}</figure></div>',
        "<h2>Parameters</h2>",
        table(["parameter", "value", "unit", "scatter of refits"], rows, numbers=(1, 3), soft=(2,)),
        "<h2>What the errors are worth</h2>",
        _errors(found),
    ]
    return document(name, body)


def _torque(q: Floats, tau: Floats, found: TorqueCharacteristic) -> str:
    figure = blank(5.6, 3.9)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.1])
    for axes in (upper, lower):
        dress(axes)
    upper.plot(q, tau, ".", color=MEASURED, markersize=5.0)
    upper.plot(q, tau - found.residual, ".", color=SIMULATED, markersize=1.2)
    lower.axhline(0.0, color=INK, linewidth=0.6)
    lower.plot(q, 1e3 * found.residual, ".", color=SIMULATED, markersize=1.2)
    upper.set_ylabel("torque [N m]")
    lower.set_ylabel("residual\n[mN m]")
    lower.set_xlabel("link angle q [rad]")
    lower.yaxis.label.set_color(SOFT)
    figure.align_ylabels([upper, lower])
    return inline(figure, "torque", "Recorded and fitted torque over the link angle")


def _stiffness(found: TorqueCharacteristic) -> str:
    figure, curve = blank(5.6, 3.9), found.curve
    axes = figure.subplots()
    dress(axes)
    axes.fill_between(curve.q, curve.low, curve.high, color=STAYS, linewidth=0)
    axes.plot(curve.q, curve.stiffness, color=SIMULATED, linewidth=1.6)
    axes.set_xlabel("link angle q [rad]")
    axes.set_ylabel("stiffness [N m/rad]")
    return inline(figure, "stiffness", "Stiffness over the link angle with its band")


def _errors(found: TorqueCharacteristic) -> str:
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
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
