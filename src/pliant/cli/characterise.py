"""`pliant characterise`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional

from pliant.cli.options import Output, Repeated, shown
from pliant.cli.terminal import Terminal, columns

if TYPE_CHECKING:
    from pliant.estimate.characteristic import TorqueCharacteristic


@dataclass(frozen=True, kw_only=True)
class Characterise:
    """Fit the springs of a joint to a static or slow recording of its torque: a spring law for
    each motor, its stiffness over the angle with a band, and what the error figures are worth.

    Columns: q [rad], tau [N m], theta [rad] or theta_a and theta_b; tau is positive where q - theta
    is. Optional: branch, a number for each way up or down.

    Example: pliant characterise torque.csv --law sinh_spring --report torque.html

    Attributes:
        file: Recording, *.csv or *.json.
        law: Of each spring: sinh_spring, linear_spring, or another of the family compliance.
        theta: Where a motor was held [rad], if the file does not say; once for each motor.
        offset: Fit a zero error too: of the angle, of the torque, or of both.
        refits: To resampled blocks of the recording, for the band.
        seed: Of the resampling.
        output: Where to write the parameters as TOML.
        report: Where to write a report (HTML, one file).
        overwrite: Replace files that exist.
    """

    file: Annotated[Positional[Path], shown("FILE")]
    law: Annotated[str, shown("LAW")] = "sinh_spring"
    theta: Annotated[tuple[float, ...], Repeated, shown("RAD")] = ()
    offset: Annotated[tuple[Literal["angle", "torque"], ...], Repeated, shown("angle|torque")] = ()
    refits: int = 100
    seed: int = 1
    output: Annotated[Path | None, shown("FILE.toml")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: bool = False
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Fit, and show what came out."""
        from pliant.estimate.characterise import fit_torque_characteristic
        from pliant.estimate.torque_file import read_torque_file
        from pliant.io.output import check_output, write_whole

        recording = read_torque_file(self.file, self.theta)
        for path in filter(None, (self.output, self.report)):
            check_output(path, overwrite=self.overwrite)
        found = fit_torque_characteristic(
            recording.q,
            recording.tau,
            recording.theta,
            law=self.law,
            offsets=tuple(dict.fromkeys(self.offset)),
            branch=recording.branch,
            refits=self.refits,
            seed=self.seed,
        )
        terminal.say(text(found))
        for warning in found.warnings:
            terminal.note(f"warning: {warning}")
        if self.output is not None:
            write_whole(self.output, as_toml(found, self.file))
        if self.report is not None:
            from pliant.report.characteristic_page import characteristic_page

            page = characteristic_page(self.file.name, recording.q, recording.tau, found)
            write_whole(self.report, page)
        files = {"parameters": self.output, "report": self.report}
        written = {name: str(path) for name, path in files.items() if path}
        terminal.result({**as_plain(found), "files": written})
        return 0


def text(found: "TorqueCharacteristic") -> str:
    """The result as tables and sentences."""
    rows = [
        [name, f"{value:.6g}", unit, f"{std:.2g}"]
        for name, value, unit, std in zip(
            found.names, found.parameters, found.units, found.std, strict=True
        )
    ]
    curve = found.curve
    picked = range(0, len(curve.q), (len(curve.q) - 1) // 10)
    stiffness = [
        [
            f"{curve.q[k]:.4g}",
            f"{curve.torque[k]:.4g}",
            f"{curve.stiffness[k]:.4g}",
            f"{curve.low[k]:.4g}",
            f"{curve.high[k]:.4g}",
        ]
        for k in picked
    ]
    parts = [
        columns(["parameter", "value", "unit", "scatter"], rows, numbers=(1, 3)),
        columns(
            ["q [rad]", "torque [N m]", "stiffness [N m/rad]", "low", "high"],
            stiffness,
            numbers=(0, 1, 2, 3, 4),
        ),
        *errors(found),
    ]
    return "\n\n".join(parts)


def errors(found: "TorqueCharacteristic") -> list[str]:
    """What can be said of the error, one paragraph each."""
    said = [
        f"torque: c = {found.c:.3g} %, where |tau| below {found.floor:.3g} N m "
        f"({100 * found.below:.0f} % of the samples) counts as that. This is how well the torque "
        "is explained, no interval for the stiffness.",
        f"stiffness: up to +-{found.curve.spread:.2g} % (95 % of refits to blocks of "
        f"{found.block} samples). This covers noise, no error of the law.",
    ]
    said += [
        f"fitted to {one.fitted}, tried on {one.tried}: torque {one.torque:.2g} % of the largest, "
        f"stiffness up to {one.stiffness:.2g} % from the whole."
        for one in found.branches
    ]
    return said


def as_plain(found: "TorqueCharacteristic") -> dict[str, Any]:
    """The same for `--json`."""
    curve = found.curve
    values = zip(found.names, found.parameters, found.units, found.std, strict=True)
    return {
        "law": found.law,
        "parameters": {
            name: {"value": value, "unit": unit, "scatter": std}
            for name, value, unit, std in values
        },
        "torque_error": {
            "c_percent": found.c,
            "floor": found.floor,
            "part_below_floor": found.below,
            "is": "how well the torque is explained; no interval for the stiffness",
        },
        "stiffness": {
            "q": curve.q.tolist(),
            "theta": curve.theta.tolist(),
            "torque": curve.torque.tolist(),
            "stiffness": curve.stiffness.tolist(),
            "low": curve.low.tolist(),
            "high": curve.high.tolist(),
            "spread_percent": curve.spread,
            "block": found.block,
            "covers": "noise; no error of the law",
        },
        "branches": [
            {
                "fitted": one.fitted,
                "tried": one.tried,
                "torque_percent": one.torque,
                "stiffness_percent": one.stiffness,
            }
            for one in found.branches
        ],
        "warnings": list(found.warnings),
    }


def as_toml(found: "TorqueCharacteristic", source: Path) -> str:
    """Parameters as an actuator file has them, for its tables of springs."""
    import tomlkit

    document = tomlkit.document()
    document["law"] = found.law
    document["sources"] = {"characterise": f"pliant characterise {source.name}"}
    parameters = tomlkit.table()
    values = zip(found.names, found.parameters, found.units, found.std, strict=True)
    for name, value, unit, std in values:
        inline = tomlkit.inline_table()
        entry = {
            "value": float(value),
            "unit": unit,
            "source": "characterise",
            "how": "identified",
            "std": float(std),
        }
        for key, part in entry.items():
            inline[key] = part
        parameters[name] = inline
    document["parameters"] = parameters
    return tomlkit.dumps(document)
