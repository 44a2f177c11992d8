"""An STS3032 on a pendulum, 48 logs: a gain held out, and a load held out.

The logs are not part of Pliant (Apache-2.0, github.com/qua-robotics/bam 3e596d6): `python
benchmarks sts3032 --logs FOLDER`. Their voltage is in tenths of a volt, and the zero of the
position is another with each arm: `zero_by` finds it, from the logs that are fitted.

`pulsed_supply` was chosen on the XL330's logs, including those of its gain 800. This servo's logs were
not used for that, so they test the law independently.
"""

import os
from pathlib import Path

from pliant import Actuator, load_actuator, read_logs
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointSettings
from pliant.identification.selection.choice import Choice, combined
from pliant.identification.selection.sweep import choose
from pliant.identification.selection.workers import cluster
from pliant.io.log import Log, log_files

BOUNDS = {
    "K_c": (0.0, 0.1),
    "K_v": (0.0, 0.1),
    "K_cs": (0.0, 0.1),
    "K_l": (0.0, 1.0),
    "K_ls": (0.0, 1.0),
    "K_m": (0.0, 1.0),
    "K_e": (0.0, 1.0),
    "K_ms": (0.0, 1.0),
    "K_es": (0.0, 1.0),
    "K_mq": (0.0, 2.0),
    "K_eq": (0.0, 2.0),
    "v_s": (0.01, 5.0),
    "alpha": (0.3, 6.0),
}
"""Friction bounds of a servo that stalls at 0.7 N m; the laws' own are those of any joint."""
PLAIN = ("m1", "m4", "m6")
EXTENSIONS = ({}, {"driver": "supply_resistance"}, {"driver": "pulsed_supply"})
STEP = JointSettings()
BAR = 0.75


def compared(logs: list[Log], by: str, zero_by: str | None) -> Choice:
    """Plain M1, M4, M6; where the zeros are found, with either law of a supply too."""
    servo = load_actuator("sts3032_6V_bam_m1")
    laws = combined(PLAIN, EXTENSIONS if zero_by else ({},))
    actuators: list[Actuator] = [with_laws(servo, one) for one in laws]
    known = {name for actuator in actuators for name in actuator.fields}
    fit = {f"friction.{k}": box for k, box in BOUNDS.items() if f"friction.{k}" in known}
    return choose(
        actuators,
        logs,
        by=by,
        fit=fit,
        fix=("control.derivative_gain", "control.dead_band"),
        settings=STEP,
        zero_by=zero_by,
        place=cluster(f"local:{os.cpu_count()}"),
    )


def rows(folder: str | None = None) -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    if folder is None:
        return [("STS3032, 48 logs", "not measured: --logs FOLDER", f"<= {BAR}")]
    logs = read_logs(log_files([Path(folder)]), repair=["voltage-unit"])
    out: list[tuple[str, str, str]] = []
    for by in ("gain", "load"):
        plain = compared(logs, by, None)
        each = compared(logs, by, "length")
        for kind, choice in (("", plain), (", zero of each arm", each)):
            for trial in choice.trials:
                folds = ", ".join(
                    f"{group.partition('=')[2]}: {1e3 * error:.1f}"
                    for group, (_, error) in trial.of_each_fold().items()
                )
                out.append(
                    (
                        f"STS3032, {by} held out, {trial.name}{kind} [mrad]",
                        f"{1e3 * trial.held_out:.1f} (fitted {1e3 * trial.train:.1f}; {folds})",
                        "report",
                    )
                )
        taken, best = each.chosen, plain.trials[0]
        out.append(
            (
                f"STS3032, {by} held out: the model taken / the best plain model",
                f"{taken.held_out / best.held_out:.2f} ({taken.name} with the zero of each "
                f"arm: {1e3 * taken.held_out:.1f}, plain {best.name}: "
                f"{1e3 * best.held_out:.1f} mrad)",
                f"<= {BAR}" if by == "load" else "report",
            )
        )
    return out
