"""`pliant characterise`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tomlkit
from tyro.conf import Positional

from pliant.cli.choices import parsed_number
from pliant.cli.options import RARE, Output, Repeated, flag, shown
from pliant.cli.terminal import Terminal, columns
from pliant.errors import check_known, located
from pliant.io.actuator_file import load_actuator, write_actuator
from pliant.io.number_table import read_part_file, read_torque_file
from pliant.io.output import check_output, write_whole

if TYPE_CHECKING:
    from pliant.estimate.torque_law import Offset, TorqueCharacteristic


@dataclass(frozen=True, kw_only=True)
class Characterise:
    """Fit one part of a joint to a recording of it: springs, motor friction, friction at rest.

    Springs, to slow torque over angle: columns q [rad], tau [N m], theta [rad] or theta_a and theta_b; tau
    and q - theta have the same sign. Optional: branch, a number for each stroke up or down.

    With --actuator, springs and motor friction of a compliant joint, to its motion: time [s], q, the motors
    (theta; theta and adjuster; theta_a and theta_b), goal, preset [rad], tau [N m] if recorded. Or friction
    of a servo at rest, to the angles between which a pendulum stays when a hand moves it: tau_m [N m],
    theta_low, theta_high [rad], mass [kg], length [m].

    Example: pliant characterise torque.csv --law sinh_spring --report torque.html

    Attributes:
        file: Recording, *.csv or *.json.
        actuator: Actuator to fit (name or *.toml); its other numbers are kept. --output writes the new one.
        law: Law of each spring: sinh_spring, linear_spring, or another of the family compliance.
        theta: Angle at which each motor was held [rad], where the file has no such column.
        offset: Zero errors to fit as well: angle, torque, or both.
        refits: Number of refits to resampled blocks of the recording, for the band.
        seed: Random seed of the resampling.
        output: Parameters to write (*.toml).
        report: Report to write (*.html).
        overwrite: Replace files that exist.
    """

    file: Annotated[Positional[Path], shown("FILE")]
    actuator: Annotated[str | None, shown("ACTUATOR")] = None
    law: Annotated[str, shown("LAW")] = "sinh_spring"
    theta: Annotated[tuple[str, ...], Repeated, shown("RAD")] = ()
    offset: Annotated[tuple[str, ...], Repeated, shown("angle|torque")] = ()
    refits: Annotated[int, RARE] = 100
    seed: Annotated[int, RARE] = 1
    output: Annotated[Path | None, shown("FILE.toml")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Fit, and show what came out."""
        from pliant.estimate.characterise import fit_torque_characteristic

        if self.actuator is not None:
            return self._part(self.actuator, terminal)
        recording = read_torque_file(
            self.file, [parsed_number(angle, "theta") for angle in self.theta]
        )
        for path in filter(None, (self.output, self.report)):
            check_output(path, overwrite=self.overwrite)
        found = fit_torque_characteristic(
            recording.q,
            recording.tau,
            recording.theta,
            law=self.law,
            offsets=self._offsets(),
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
            from pliant.report.stiffness_page import characteristic_page

            page = characteristic_page(self.file.name, recording.q, recording.tau, found)
            write_whole(self.report, page)
        files = {"parameters": self.output, "report": self.report}
        written = {name: str(path) for name, path in files.items() if path}
        terminal.result({**as_plain(found), "files": written})
        return 0

    def _part(self, name: str, terminal: Terminal) -> int:
        """Fit a part of an actuator, and show what came out."""
        from pliant.estimate.motor_side import fit_motor_side, fit_static_extremes

        actuator = load_actuator(name)
        if self.output is not None:
            check_output(self.output, overwrite=self.overwrite)
        servo = "friction" in actuator.laws and actuator.topology.module.HAS_BUDGET
        with located(self.file):
            fit = fit_static_extremes if servo else fit_motor_side
            found = fit(read_part_file(self.file), actuator)
        values = zip(found.names, found.before, found.values, found.std, strict=True)
        rows = [
            [one, f"{before:.6g}", f"{value:.6g}", f"{std:.2g}", actuator.fields[one].unit]
            for one, before, value, std in values
        ]
        terminal.say(
            columns(["parameter", "before", "value", "std", "unit"], rows, numbers=(1, 2, 3))
        )
        misfit = ", ".join(f"{channel} {x:.3g}" for channel, x in found.misfit.items())
        terminal.say(f"rms residual [rad, N m]: {misfit}")
        for warning in found.warnings:
            terminal.note(f"warning: {warning}")
        if self.output is not None:
            write_actuator(found.actuator, self.output, overwrite=self.overwrite)
        terminal.result(
            {
                "parameters": dict(zip(found.names, map(float, found.values), strict=True)),
                "std": dict(zip(found.names, map(_known, found.std), strict=True)),
                "misfit": dict(found.misfit),
                "warnings": list(found.warnings),
                "files": {"actuator": str(self.output)} if self.output else {},
            }
        )
        return 0

    def _offsets(self) -> "tuple[Offset, ...]":
        known: tuple[Offset, ...] = ("angle", "torque")
        for one in self.offset:
            check_known(one, known, "no such offset", field="--offset")
        return tuple(one for one in known if one in self.offset)


def _known(value: float) -> float | None:
    return None if value != value else float(value)


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
    """The error of the fitted law in words, one paragraph for each figure."""
    said = [
        f"torque: c = {found.c:.3g} %, where |tau| below {found.floor:.3g} N m "
        f"({100 * found.below:.0f} % of the samples) is raised to it. This says how well the torque "
        "is explained; it is not an interval for the stiffness.",
        f"stiffness: up to +-{found.curve.spread:.2g} % (95 % of refits to blocks of "
        f"{found.block} samples). This covers noise, not an error of the law.",
    ]
    said += [
        f"fitted to {one.fitted}, tested on {one.tried}: torque off by {one.torque:.2g} % of the largest, "
        f"stiffness by up to {one.stiffness:.2g} % from the fit to all."
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
            "is": "how well the torque is explained; not an interval for the stiffness",
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
            "covers": "noise, not an error of the law",
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
    """Parameters in the form of an actuator file's tables of springs."""
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
