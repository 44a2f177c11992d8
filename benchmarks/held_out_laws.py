"""Whether play, heat and protection help to predict: an XL330 with one gain held out.

With `--logs FOLDER` also the STS3032 (see `sts3032.py`), one load held out. Each law alone beside
the same servo without it: friction M4, command delay; starts and bounds alike. Short searches: they
rank, and their errors are above those of a full one.
"""

from collections.abc import Mapping
from pathlib import Path

from pliant import Actuator, load_actuator, read_logs
from pliant.assemble import with_backlash, with_laws
from pliant.engines.joint.engine import JointSettings
from pliant.identify import SearchSettings, hold_out, identify
from pliant.io.log import Log, log_files

DATA = Path(__file__).parents[1] / "src" / "pliant" / "data" / "xl330_pendulum"
BRIEF = SearchSettings(
    starts=2,
    generations=12,
    polish=4,
    finalists=1,
    final_polish=6,
    lines=1,
    rounds=1,
    final_generations=6,
)
STEP = JointSettings(max_step=2.7e-3, aligned=True)
FRICTION = {"K_c": 0.1, "K_v": 0.1, "K_cs": 0.1, "K_l": 1.0, "K_ls": 1.0}
Bounds = Mapping[str, tuple[float, float]]


def heated(servo: Actuator) -> Actuator:
    """The servo with one body that warms, at numbers of which the search changes two."""
    known = {"ambient": 298.15, "stated_at": 298.15, "alpha_R": 0.0039, "alpha_k": -0.0011}
    known |= {"R_th": 20.0, "tau_th": 30.0}
    with_heat = with_laws(servo, {"thermal": "one_body"})
    return with_heat.with_values({f"thermal.{k}": x for k, x in known.items()}, "start", "assumed")


def guarded(servo: Actuator) -> Actuator:
    """The servo with Feetech's protection at its registers' factory values."""
    known = {"Overload_Torque": 0.8, "Protection_Time": 2.0, "Protective_Torque": 0.2}
    known |= {"Max_Temperature": 343.15, "fade": 0.0}
    guard = with_laws(servo, {"protection": "feetech_overload"})
    return guard.with_values({f"protection.{k}": x for k, x in known.items()}, "start", "assumed")


def variants(servo: Actuator, feetech: bool) -> dict[str, tuple[Actuator, Bounds]]:
    """Name to actuator and what is searched beside the servo's own."""
    play = with_backlash(servo, 0.004, stiffness=60.0, damping=0.1)
    fit = {"contact.gap": (0.0, 0.03), "contact.k": (10.0, 300.0)}
    heat = {"thermal.R_th": (1.0, 100.0), "thermal.tau_th": (3.0, 300.0)}
    trip = {
        "protection.Overload_Torque": (0.5, 1.0),
        "protection.Protection_Time": (0.5, 4.0),
        "protection.Protective_Torque": (0.1, 0.8),
    }
    found: dict[str, tuple[Actuator, Bounds]] = {
        "neither": (servo, {}),
        "backlash": (play, fit),
        "one_body": (heated(servo), heat),
    }
    return found | ({"feetech_overload": (guarded(servo), trip)} if feetech else {})


def compared(device: str, base: str, logs: list[Log], out: str) -> list[tuple[str, str, str]]:
    servo = with_laws(load_actuator(base), {"friction": "m4", "timing": "command_delay"})
    fitted, held_out = hold_out(logs, out)
    rows: list[tuple[str, str, str]] = []
    for name, (actuator, fit) in variants(servo, device != "XL330").items():
        port = "gear" if name == "backlash" else "friction"
        boxes = {f"{port}.{k}": (0.0, high) for k, high in FRICTION.items()} | dict(fit)
        boxes |= {f"{port}.v_s": (0.01, 5.0), f"{port}.alpha": (0.3, 6.0)}
        mine = name.replace("backlash", "contact").replace("one_body", "thermal")
        ports = {mine.replace("feetech_overload", "protection"), "rotor"} - {"neither"}
        fix = {n: None for n in actuator.fields if n.partition(".")[0] in ports and n not in boxes}
        fix.pop("rotor.J", None)
        fix |= {"control.derivative_gain": None, "control.dead_band": None}
        found = identify(
            actuator, fitted, held_out=held_out, settings=STEP, search_settings=BRIEF,
            fit={**boxes, "timing.delay": (0.0, 0.05)}, fix=fix,
        )  # fmt: skip
        numbers = ", ".join(f"{n} {found.actuator.value(n):.3g}" for n in fit)
        assert found.held_out is not None
        error = f"{1e3 * found.held_out.mae:.1f} (fitted {1e3 * found.fitted.mae:.1f})"
        rows.append(
            (f"{device}, {out} held out, M4 and {name} [mrad]", f"{error}; {numbers}", "report")
        )
    return rows


def rows(folder: str | None = None) -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    logs = read_logs(log_files([DATA]))
    found = compared("XL330", "xl330_bam_m4", logs, "gain=800")
    if folder is not None:
        logs = read_logs(log_files([Path(folder)]), repair=["voltage-unit"])
        heaviest = max(logs, key=lambda log: log.mass * log.length)
        out = f"load={heaviest.mass:g}kg@{heaviest.length:g}m"
        found += compared("STS3032", "sts3032_6V_bam_m1", logs, out)
    return found
