"""An error of MuJoCo about a model as one of Pliant, with the place that MuJoCo names."""

import re

from pliant.errors import PliantError

__all__ = ["refusal"]

_ELEMENT = re.compile(r"Element (?:name )?'([^']*)")
_LINE = re.compile(r"\bline (\d+)")
_FULL = 400
"""Characters of a name after which MuJoCo's message (499) has no room for the place."""
_TAIL = re.compile(r"\s*Element (?:name )?'[^']*',.*$")
_OFFERED = {
    "balanceinertia|positive eigenvalues": "inertia",
    "opening file|no decoder found|volume is too small|number of faces": "meshes",
}
"""Words of MuJoCo to the repair that would mend it; see `repairs`."""


def refusal(error: Exception, problem: str = "MuJoCo refuses it") -> PliantError:
    """The error to be raised; its field is MuJoCo's element and line."""
    text = " ".join(str(error).split())
    line, element = _LINE.search(text), _ELEMENT.search(text)
    place = [f"line {line[1]}"] if line and int(line[1]) > 0 else []
    place += [f"element {element[1]}"] if element and element[1] else []
    if not place and len(text) > _FULL:
        place = [f"a name of more than {_FULL} characters"]
    offered = next((repair for sign, repair in _OFFERED.items() if re.search(sign, text)), None)
    return PliantError(
        problem,
        field=", ".join(place) or None,
        found=_TAIL.sub("", text) or text,
        accepted=f'repair=["{offered}"] (--repair {offered})' if offered else None,
    )
