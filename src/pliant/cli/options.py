"""Options that several commands share."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import tyro

from pliant.errors import PliantError


def shown(metavar: str) -> Any:
    """What stands for an option's value in the help."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=_hint)


def flag() -> Any:
    """A switch: that it is off by default need not be said."""
    return tyro.conf.arg(help_behavior_hint="")


def _hint(default: str) -> str:
    """Say a default only where there is one."""
    return "" if default in ("", "None") else f"(default: {default})"


Repeated = tyro.conf.UseAppendAction
"""`--law a=b --law c=d`, or `--law a=b c=d`: see `argv`."""


@dataclass(frozen=True, kw_only=True)
class Output:
    """How the result is shown.

    Attributes:
        json: Print one JSON object to stdout and nothing else; errors are objects too. Angles that
            end in _mrad are in mrad, everything else is in SI units.
        debug: Show where in the program an error arose (so does PLIANT_DEBUG=1 in the environment).
    """

    json: Annotated[bool, flag()] = False
    debug: Annotated[bool, flag()] = False


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What the logs do not say themselves, and what to do about their faults.

    Attributes:
        repair: Repair these faults: length, time, nan, dropout, voltage-unit, velocity-unit,
            velocity-lag, or all. Nothing is repaired unless asked for; `pliant check` says what
            there is.
        columns: For CSV: a TOML file that says which column is what in which unit, or the same on
            one line (time=t[ms],position=q[deg],goal=q_des[deg],mass=0.5).
        mass: Point mass on the pendulum [kg], instead of what the logs say.
        length: Its distance from the axis [m].
        arm_mass: Mass of the arm, a uniform rod of that length [kg]. Not given and not in the logs,
            it is identified.
        gain: Proportional gain of the servo, in its firmware's own unit.
        voltage: Nominal supply voltage [V].
    """

    repair: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    columns: Annotated[str | None, shown("FILE.toml|TEXT")] = None
    mass: Annotated[float | None, shown("KG")] = None
    length: Annotated[float | None, shown("M")] = None
    arm_mass: Annotated[float | None, shown("KG")] = None
    gain: Annotated[float | None, shown("NUMBER")] = None
    voltage: Annotated[float | None, shown("V")] = None


@dataclass(frozen=True, kw_only=True)
class Integration:
    """How the joint is simulated.

    Attributes:
        step: Integration step [s], the same all along a log; shorter where its samples are closer.
        supply: Supply voltage: what is nominal, or what was measured where a log has it.
    """

    step: Annotated[float, shown("S")] = 1e-3
    supply: Literal["nominal", "measured"] = "nominal"


SHORTEST_STEP = 1e-5
"""[s] A shorter one takes hours, and gains nothing."""


def check_step(step: float) -> None:
    """Refuse an integration step [s] that makes no sense."""
    if not SHORTEST_STEP <= step <= 1.0:
        accepted = f"{SHORTEST_STEP:g} to 1 s"
        raise PliantError("out of range", field="--step", found=step, accepted=accepted)
