"""Choices written as `name=value` on the command line."""

from collections.abc import Iterable, Mapping

from pliant import assemble
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.io import keyed


def named(texts: Iterable[str], option: str, form: str) -> list[tuple[str, str]]:
    """`name=value` texts of an option as pairs; see `keyed.named`."""
    return keyed.named(texts, f"--{option}", form)


def pairs(texts: Iterable[str], option: str, form: str) -> dict[str, str]:
    """`name=value` texts of an option as a mapping; see `keyed.pairs`."""
    return keyed.pairs(texts, f"--{option}", form)


def parsed_number(text: str, option: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value - value != 0.0:
        raise PliantError("is not a number", field=f"--{option}", found=text)
    return value


def numbers(texts: Iterable[str], option: str, form: str) -> dict[str, float]:
    """`name=number` texts of an option as a mapping."""
    return {name: parsed_number(x, option) for name, x in pairs(texts, option, form).items()}


def attached(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Joint and actuator of each text of `--attach`."""
    return named(texts, "attach", "joint=actuator, such as elbow=xl330_bam_m4")


def travels(texts: Iterable[str]) -> dict[str, float]:
    """Joint to its travel, of the texts of `--transmission`."""
    return numbers(texts, "transmission", "joint=value, such as lift=0.01")


def with_laws(actuator: Actuator, texts: Iterable[str]) -> Actuator:
    """`actuator` with the laws of `port=law` texts, all at once: control and motor change together."""
    return assemble.with_laws(actuator, pairs(texts, "law", "port=law, such as friction=m4"))


def fixed(texts: Iterable[str]) -> Mapping[str, float | None]:
    """`name` or `name=value` texts as the parameters to hold, at what they have or at a value."""
    found: dict[str, float | None] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or (equals and not value):
            raise PliantError(
                "cannot be read",
                field="--fix",
                found=text,
                accepted="port.symbol or port.symbol=value, such as motor.R=3.2",
            )
        found[name] = parsed_number(value, "fix") if equals else None
    return found


def fitted(texts: Iterable[str]) -> Mapping[str, tuple[float, float] | None]:
    """`name` or `name=low:high` texts as the parameters to search and their bounds."""
    found: dict[str, tuple[float, float] | None] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        low, colon, high = value.partition(":")
        if not name or bool(equals) != bool(colon):
            raise PliantError(
                "cannot be read",
                field="--fit",
                found=text,
                accepted="port.symbol or port.symbol=low:high, such as motor.R=1:5",
            )
        bounds = (parsed_number(low, "fit"), parsed_number(high, "fit")) if equals else None
        if bounds is not None and bounds[0] >= bounds[1]:
            raise PliantError(
                "bounds out of order", field="--fit", found=text, accepted="low less than high"
            )
        found[name] = bounds
    return found


def mounting(text: str) -> str | None:
    """Property that logs of one mounting share; "none" is None."""
    return None if text == "none" else text
