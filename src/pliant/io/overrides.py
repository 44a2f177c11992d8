"""An actuator with some of its numbers set by whoever uses it.

    elbow = pliant.actuator("xl330_bam_m6", kp=800)                 # its own unit
    elbow = pliant.actuator("xl330_bam_m6", {"own.voltage": "6 V"}, R="3200 mOhm")

A parameter is named in full (`control.kp`), or by its symbol where only one has it (`kp`).
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pliant.assemble import Actuator
from pliant.errors import PliantError, check_kind
from pliant.io.actuator_file import load_actuator
from pliant.quantity import dimension

Value = float | str
_TEXT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*")
_PREFIXES = {"": 1.0, "m": 1e-3, "u": 1e-6, "k": 1e3}


def actuator(
    name: str | Path | Actuator, values: Mapping[str, Value] | None = None, /, **more: Value
) -> Actuator:
    """Load an actuator and change some of its parameters.

    Args:
        name: name in the catalogue, a TOML file, or an `Actuator`.
        values: parameter to value, by full name ("control.kp") or, where unique, by symbol.
        more: the same, by symbol: `kp=800`. A value is a number in the parameter's own unit, or a
            text with a unit: "7.4 V", "3200 mOhm".

    Raises:
        PliantError: no such actuator or parameter, with the nearest names; a symbol that several
            parameters have; another unit; a value outside the range of its law.
    """
    known = load_actuator(name)
    if values is not None:
        check_kind(values, Mapping, "values", 'parameter to value: {"control.kp": 800}')
    pairs = [*(values or {}).items(), *more.items()]
    return overridden(known, pairs, "set by the program") if pairs else known


def overridden(known: Actuator, values: Iterable[tuple[str, Value]], source: str) -> Actuator:
    """`known` with other values, by full name or symbol; `source` says who set them."""
    changed: dict[str, float] = {}
    for name, value in values:
        full = _full(known, name)
        if full in changed:
            raise PliantError("is given twice", field=full, found=name)
        changed[full] = _number(value, full, known.fields[full].unit)
    return known.with_values(changed, source, "assumed")


def _full(known: Actuator, name: str) -> str:
    """The parameter of that name, or the only one with that symbol."""
    if name in known.fields:
        return name
    meant = [full for full in known.fields if full.partition(".")[2] == name]
    if len(meant) > 1:
        raise PliantError(
            f"several parameters of {known.name!r} have this symbol",
            field="parameter",
            found=name,
            accepted=f'one of them, as {{"{meant[0]}": value}}: {", ".join(meant)}',
        )
    if not meant:
        symbols = [full.partition(".")[2] for full in known.fields]
        raise PliantError(
            f"actuator {known.name!r} has no such parameter",
            found=name,
            accepted=[*known.fields] if "." in name else list(dict.fromkeys(symbols)),
        )
    return meant[0]


def _number(value: object, name: str, unit: str) -> float:
    """The value in `unit`; a text may say another one of the same dimension."""
    found = _TEXT.fullmatch(value) if isinstance(value, str) else None
    if found is not None and found[2]:
        return float(found[1]) * _factor(found[2], name, unit)
    try:
        return float(value)  # pyright: ignore[reportArgumentType] of programs without types
    except (TypeError, ValueError):
        raise PliantError(
            "not a number", field=name, found=value, accepted=f'a number in {unit}, or "1.5 {unit}"'
        ) from None


def _factor(text: str, name: str, unit: str) -> float:
    """Factor from the unit in `text`, whose first part may have a prefix, to `unit`."""
    for prefix, size in _PREFIXES.items():
        try:
            if text.startswith(prefix) and dimension(text.removeprefix(prefix)) == dimension(unit):
                return size
        except PliantError:  # "mOhm" is no unit, "Ohm" is
            continue
    raise PliantError("is in another unit", field=name, found=text, accepted=unit)
