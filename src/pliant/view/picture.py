"""A joint's state as a picture: spring, friction budget and torque, as HTML with drawings in it."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pliant.view.frame import Frame, Joint, unit_of

__all__ = ["joint_picture", "joint_table", "search_table", "status", "tried_table"]

COILS = 7
THICK = (1.5, 9.0)
"""[px] A spring's line, from its softest to its stiffest so far."""


def joint_picture(joint: Joint, frame: Frame, k: int, stiffest: float) -> str:
    """The readings of joint number `k`; its spring is as thick as its part of `stiffest`."""
    x = {name: float(values[k]) for name, values in frame.readings.items()}
    has_spring = not math.isnan(x["stiffness"])
    return _template("joint.html").render(
        joint=joint,
        x=x,
        known={name: not math.isnan(value) for name, value in x.items()},
        torque_unit=unit_of(joint, "N m"),
        angle=unit_of(joint, "rad"),
        stiffness_unit=unit_of(joint, "N m/rad"),
        spring=_spring(joint, x, stiffest) if has_spring else None,
        friction=_part(abs(x["friction"]), x["budget"]),
        torque=_between(x["motor_torque"], x["torque_low"], x["torque_high"]),
    )


def joint_table(joints: tuple[Joint, ...], frame: Frame) -> str:
    """All joints in a table."""
    rows: list[dict[str, Any]] = [
        {"name": joint.name, **{name: float(v[k]) for name, v in frame.readings.items()}}
        for k, joint in enumerate(joints)
    ]
    measured = any(not math.isnan(row["measured"]) for row in rows)
    return _template("table.html").render(rows=rows, measured=measured)


def status(values: Mapping[str, Any]) -> str:
    """The line with the clock."""
    return _template("status.html").render(values)


def search_table(now: Any, intervals: Mapping[str, tuple[float, float]]) -> str:
    """A `Searched`: its error, and each parameter between its bounds, with its interval once it is known."""
    rows = [
        _parameter(name, x, low, high, intervals.get(name))
        for name, (x, low, high) in now.values.items()
    ]
    return _template("search.html").render(now=now, rows=rows, intervals=bool(intervals))


def tried_table(tried: Any) -> str:
    """Models that are compared, each a `Tried`."""
    return _template("tried.html").render(tried=tried)


def _parameter(
    name: str, value: float, low: float, high: float, ends: tuple[float, float] | None
) -> dict[str, Any]:
    begin, end = (_between(x, low, high) or 0.0 for x in ends or (low, low))
    place = _between(value, low, high) or 0.0
    row = {"name": name, "value": value, "low": low, "high": high, "ends": ends}
    return row | {"place": place, "begin": begin, "end": end}


def _spring(joint: Joint, x: Mapping[str, float], stiffest: float) -> dict[str, Any]:
    """A zigzag between motor and link, drawn out or pressed together by the deflection."""
    limit = joint.deflection_limit or 1.0
    part = max(min(x["deflection"] / limit, 1.0), -1.0)
    begin, end = 70.0, 210.0 + 55.0 * part
    points = [(begin, 30.0), (begin + 10.0, 30.0)]
    pitch = (end - begin - 20.0) / (2 * COILS)
    points += [
        (begin + 10.0 + (i + 0.5) * pitch, 30.0 + (12.0 if i % 2 else -12.0))
        for i in range(2 * COILS)
    ]
    points += [(end - 10.0, 30.0), (end, 30.0)]
    share = min(max(x["stiffness"] / stiffest, 0.0), 1.0) if stiffest > 0.0 else 0.0
    return {
        "line": " ".join(f"{a:.1f},{b:.1f}" for a, b in points),
        "width": f"{THICK[0] + (THICK[1] - THICK[0]) * share:.1f}",
        "end": f"{end:.1f}",
        "beyond": abs(x["deflection"]) > limit,
    }


def _part(value: float, whole: float) -> float:
    """Percent, 0 to 100."""
    return 100.0 * min(value / whole, 1.0) if whole > 0.0 else 0.0


def _between(value: float, low: float, high: float) -> float | None:
    """Percent of the way from low to high."""
    if math.isnan(value) or not low < high:
        return None
    return 100.0 * min(max((value - low) / (high - low), 0.0), 1.0)


@cache
def _template(name: str) -> Any:
    made = Environment(
        loader=PackageLoader("pliant.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = _number
    return made.get_template(name)


def _number(value: float, digits: int = 3) -> str:
    """A number of a fixed width, so that the page does not jump."""
    if math.isnan(value):
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")
