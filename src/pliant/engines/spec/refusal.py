"""An error of MuJoCo about a model as one of Pliant, with the place that MuJoCo names."""

import re

from pliant.errors import PliantError

__all__ = ["refusal", "refused_line"]

_ELEMENT = re.compile(r"Element (?:name )?'([^']*)")
_LINE = re.compile(r"\bline (\d+)")
_FULL = 400
"""Characters of a name after which MuJoCo's message (499) has no room for the place."""
_TAIL = re.compile(r"\s*Element (?:name )?'[^']*',.*$")
_INERTIA, _MESHES = (f'repair=["{r}"] (--repair {r})' for r in ("inertia", "meshes"))
_ACCEPTED = {
    "balanceinertia|positive eigenvalues|mass and inertia of moving bodies": _INERTIA,
    "opening file|no decoder found|volume is too small|number of faces": _MESHES,
    "Unrecognized XML model type": "a whole model, <mujoco> or <robot>; parts are read with what includes them",
}
"""Words of MuJoCo to what would be taken instead; for repairs see `repairs`."""


def refused_line(error: Exception) -> int:
    """The line of the text that MuJoCo names; 0 if it names none."""
    line = _LINE.search(str(error))
    return int(line[1]) if line else 0


def refusal(
    error: Exception, problem: str = "MuJoCo refuses it", place: str | None = None
) -> PliantError:
    """The error to be raised; its field is `place`, or MuJoCo's element and line."""
    text = " ".join(str(error).split())
    line, element = refused_line(error), _ELEMENT.search(text)
    places = [f"line {line}"] if line > 0 else []
    places += [f"element {element[1]}"] if element and element[1] else []
    if not places and len(text) > _FULL:
        places = [f"a name of more than {_FULL} characters"]
    accepted = next((what for sign, what in _ACCEPTED.items() if re.search(sign, text)), None)
    return PliantError(
        problem,
        field=place or ", ".join(places) or None,
        found=_TAIL.sub("", text) or text,
        accepted=accepted,
    )
