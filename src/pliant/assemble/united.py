"""One actuator from several equally good ones, which may have been fitted with different laws.

A file has one law at each port: the simplest that contains all of theirs. M4 and M6 become M6, of which
M4's fits are exact points; a delay of 0 is no delay.

A law states which simpler one it contains: `REDUCES_TO` names the simpler law, and the values of its own numbers for
which it reduces to that one: a number, or the name of a number of the simpler law. A number that is not listed equals
the one of the same name; if there is none, it has no effect.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.assemble.actuator import Actuator, assemble
from pliant.assemble.ensemble import Ensemble
from pliant.assemble.exchange import with_law
from pliant.assemble.parameters import BENCH, Number, fields_of
from pliant.catalogue import Field, Physics, law_files, load_law
from pliant.errors import PliantError, check_kind


def reductions(law: Physics) -> Mapping[str, Mapping[str, float | str]]:
    """Laws that are one step simpler, and the values of `law`'s parameters with which it equals each."""
    return getattr(law.module, "REDUCES_TO", {})


def reduction(rich: Physics, poor: Physics) -> dict[str, float | str] | None:
    """Values with which `rich` equals `poor`, over any number of steps.

    Returns:
        symbol of `rich` to a number, or to the symbol of `poor` whose value it takes; without those that
        have no effect then. None: `rich` does not contain `poor`.
    """
    steps = _steps(rich, poor)
    if steps is None:
        return None
    known: dict[str, float | str] = {field.name: field.name for field in poor.parameters}
    below = poor
    for law in steps:
        rule, before = reductions(law)[below.name], known
        known = {}
        for field in law.parameters:
            is_now = rule.get(field.name, field.name)
            if not isinstance(is_now, str):
                known[field.name] = float(is_now)
            elif is_now in before:
                known[field.name] = before[is_now]
        below = law
    return known


def _steps(rich: Physics, poor: Physics) -> list[Physics] | None:
    """Shortest chain of laws above `poor` up to `rich`, each reducing to the one before."""
    if _same(rich, poor):
        return []
    ways, seen = [[rich]], {rich.path}
    while ways:
        way = ways.pop(0)
        simpler = reductions(way[0])
        if poor.name in simpler:
            return way
        for name in simpler:
            if name in law_files(rich.kind):
                law = load_law(rich.kind, name)
                if law.path not in seen:
                    seen.add(law.path)
                    ways.append([law, *way])
    return None


def _same(one: Physics, other: Physics) -> bool:
    """Whether both are the same law; a user's law is copied next to each file that names it."""
    if one.path == other.path:
        return True
    return one.name == other.name and one.path.read_bytes() == other.path.read_bytes()


Origins = Mapping[str, float | str]
"""Parameter of the union to a number, or to a part's parameter; without those that have no effect."""


def united(actuators: Iterable[Actuator]) -> Actuator:
    """One actuator that contains the fits of all, and behaves like the first.

    Args:
        actuators: of the same device and topology; the first is the representative.

    Returns:
        The first, with a law at each port that contains all of theirs. Its `ensemble` has as fits the
        first's own numbers and its other fits, then those of each of the others; after them the first's
        draws, with which its bands were calibrated. The record of the fit is the first's, and its
        `models` states the number of fits of each model.

    Raises:
        PliantError: none is given, they differ in device or topology, or no law contains all those at
            a port.
    """
    parts = [*actuators]
    for part in parts:
        check_kind(part, Actuator, "actuators", "what load_actuator or identify returned")
    laws = united_laws(parts)
    first, fields = parts[0], fields_of(parts[0].topology, laws)
    origins = [_origins(part, laws, fields) for part in parts]
    numbers, sources = _numbers(parts, laws, origins[0])
    own = {name: number.value for name, number in numbers.items()}
    bench = list(dict.fromkeys(f"{BENCH}{name}" for part in parts for name in part.bench))

    def row(k: int, values: Mapping[str, float]) -> list[float]:
        found = [
            values[origin] if isinstance(origin, str) else origin
            for origin in (origins[k].get(name, own[name]) for name in fields)
        ]
        return [*found, *(values.get(name, 0.0) for name in bench)]

    fits = [row(k, one) for k, part in enumerate(parts) for one in _fits(part)]
    rows = np.array([*fits, *(row(0, one) for one in _draws(first))])
    names = [*fields, *bench]
    apart = [k for k in range(len(names)) if np.ptp(rows[:, k]) > 0.0]
    kept = tuple(names[k] for k in apart)
    ensemble = Ensemble(kept, rows[:, apart], len(fits)) if kept else None
    return assemble(
        dataclasses.replace(
            first,
            laws=laws,
            numbers=numbers,
            sources=sources,
            ensemble=ensemble,
            identification={**first.identification, **_models(parts)},
        )
    )


def united_laws(actuators: Sequence[Actuator]) -> dict[str, Physics]:
    """Port to the simplest law that contains those of all these actuators.

    Raises:
        PliantError: see `united`.
    """
    if not actuators:
        raise PliantError("nothing to unite", field="actuators", accepted="at least one")
    alike = {
        "device": {actuator.device for actuator in actuators},
        "topology": {actuator.topology.name for actuator in actuators},
    }
    for what, found in alike.items():
        if len(found) > 1:
            said, accepted = ", ".join(sorted(found)), f"actuators of one {what}"
            raise PliantError("cannot be united", field=what, found=said, accepted=accepted)
    return {port: _container(port, [a.laws[port] for a in actuators]) for port in actuators[0].laws}


def _container(port: str, laws: Sequence[Physics]) -> Physics:
    """The simplest law that contains these: one of them, or else one of the catalogue."""

    def contains_all(law: Physics) -> bool:
        return all(reduction(law, one) is not None for one in laws)

    among = [law for law in laws if contains_all(law)]
    if among:
        return among[0]
    kind = laws[0].kind
    richer = [law for name in law_files(kind) if contains_all(law := load_law(kind, name))]
    least = [law for law in richer if all(reduction(one, law) is not None for one in richer)]
    if not least:
        raise PliantError(
            "no law contains all of these",
            field=f"laws.{port}",
            found=", ".join(sorted({law.name for law in laws})),
            accepted="laws all contained in one of them, or in another of the catalogue (REDUCES_TO)",
        )
    return least[0]


def _origins(
    part: Actuator, laws: Mapping[str, Physics], fields: Mapping[str, Field]
) -> dict[str, float | str]:
    found: dict[str, float | str] = {name: name for name in fields}
    for port, law in laws.items():
        rule = reduction(law, part.laws[port])
        assert rule is not None  # these laws contain those of every part
        for field in law.parameters:
            origin = rule.get(field.name)
            if origin is None:
                del found[f"{port}.{field.name}"]
            else:
                where = f"{port}.{origin}" if isinstance(origin, str) else origin
                found[f"{port}.{field.name}"] = where
    return found


def _numbers(
    parts: Sequence[Actuator], laws: Mapping[str, Physics], origins: Origins
) -> tuple[dict[str, Number], dict[str, str]]:
    """Numbers with which the whole is its first part, and the sources of all."""
    first, sources = parts[0], _sources(parts)
    numbers = {n: x for n, x in first.numbers.items() if n.partition(".")[0] not in laws}
    for port, law in laws.items():
        has_it = [part for part in parts if part.laws[port].path == law.path]
        given = has_it[0] if has_it else with_law(first, port, law.name)
        for field in law.parameters:
            name = f"{port}.{field.name}"
            origin = origins.get(name)
            if isinstance(origin, str):
                numbers[name] = first.numbers[origin]
            else:
                simple = first.laws[port].name
                source = f"{simple} as {law.name}"
                sources[source] = (
                    f"makes {law.name} equal to {simple}, or has no effect then; other fits of the set have "
                    "other values"
                )
                numbers[name] = _neutral(given.numbers[name], origin, source)
    return numbers, sources


def _neutral(given: Number, value: float | None, source: str) -> Number:
    """A number that makes the law a simpler one, within bounds that contain it; None: it has no effect."""
    at = given.value if value is None else value
    low = None if given.low is None else min(given.low, at)
    high = None if given.high is None else max(given.high, at)
    return Number(at, given.unit, source, "convention", low, high)


def _sources(parts: Sequence[Actuator]) -> dict[str, str]:
    """Sources of all parts; a key that another part uses for something else gets a number."""
    sources = dict(parts[0].sources)
    for k, part in enumerate(parts[1:], 2):
        for key, text in part.sources.items():
            if sources.get(key, text) == text:
                sources[key] = text
            else:
                sources[f"{key} ({k})"] = text
    return sources


def _models(parts: Sequence[Actuator]) -> dict[str, object]:
    """Entry of the record: name of each part to its number of fits; repeated names get a number."""
    if len(parts) == 1:
        return {}
    found: dict[str, int] = {}
    for k, part in enumerate(parts, 1):
        found[f"{part.name} ({k})" if part.name in found else part.name] = len(_fits(part))
    return {"models": found}


def _fits(part: Actuator) -> list[dict[str, float]]:
    """Its own numbers, including its bench, then those of its other fits."""
    own, known = _values(part), part.ensemble
    return [own] if known is None else [own, *_sets(known, known.of_fits()[1:], own)]


def _draws(part: Actuator) -> list[dict[str, float]]:
    known = part.ensemble
    return [] if known is None else _sets(known, known.of_draws(), _values(part))


def _sets(known: Ensemble, rows: Floats, own: Mapping[str, float]) -> list[dict[str, float]]:
    """All numbers for each row (K, D): the actuator's own for those not in the row."""
    return [{**own, **dict(zip(known.names, map(float, row), strict=True))} for row in rows]


def _values(part: Actuator) -> dict[str, float]:
    return {name: number.value for name, number in part.all_numbers.items()}
