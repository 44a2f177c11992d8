"""Laws that contain simpler ones: M6 with zeros is M4, a delay of 0 is none.

A law says so itself. `REDUCES_TO` names the simpler law, and what numbers are where it is that one: a
number, or the name of one of the simpler law's. One that is not named is the simpler law's of the same
name; where that has none of this name, it has no effect.
"""

from collections.abc import Mapping

from pliant.catalogue import Physics, law_files, load_law


def reductions(law: Physics) -> Mapping[str, Mapping[str, float | str]]:
    """Laws that are one step simpler, to what numbers of `law` are there."""
    return getattr(law.module, "REDUCES_TO", {})


def reduction(rich: Physics, poor: Physics) -> dict[str, float | str] | None:
    """Numbers of `rich` where it is `poor`, by however many steps.

    Returns:
        symbol of `rich` to a number, or to the symbol of `poor` that it is; without those that have no
        effect there. None: `rich` does not contain `poor`.
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
    """Laws above `poor` up to `rich`, each reducing to the one before; the fewest."""
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
    """Whether it is one law; a law of your own is copied beside each file that names it."""
    if one.path == other.path:
        return True
    return one.name == other.name and one.path.read_bytes() == other.path.read_bytes()
