"""Errors and warnings about a model: MuJoCo's errors as Pliant's, and conflicts with an actuator."""

import dataclasses
import re
import warnings
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mujoco

from pliant.errors import PliantError, PliantWarning

__all__ = ["Caution", "refusal", "refused_line", "warn", "worded"]


_ELEMENT = re.compile(r"Element (?:name )?'([^']*)")
_LINE = re.compile(r"\bline (\d+)")
_FULL = 400
"""Characters of a name after which MuJoCo's message (499) has no room for the place."""
_TAIL = re.compile(r"\s*Element (?:name )?'[^']*',.*$")
_INERTIA, _MESHES = (
    f'repair=["{r}"] (pliant simulate --repair {r})' for r in ("inertia", "meshes")
)
_ACCEPTED = {
    "balanceinertia|positive eigenvalues|mass and inertia of moving bodies": _INERTIA,
    "opening file|no decoder found|volume is too small|number of faces": _MESHES,
    "has actdim": "the actdim that its plugin has, or --replace, which puts another actuator in its place",
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


@contextmanager
def unlogged() -> Generator[list[str]]:
    """Collect MuJoCo's warnings within the block; a handler set by the user is kept."""
    functions: Any = mujoco
    heard: list[str] = []
    if functions.get_mju_user_warning() is not None:
        yield heard
        return
    functions.set_mju_user_warning(heard.append)
    try:
        yield heard
    finally:
        functions.set_mju_user_warning(None)


SHOWN = 6
"""Joints that a warning names."""


@dataclass(frozen=True)
class Caution:
    """One warning about a model with its actuators.

    Attributes:
        kind: "armature", "timestep", "integrator", "solver", "iterations", "flag", "command_range",
            "limits", "torque_range", "group", "tendon", "site", "sites", "coupled", "gain",
            "elsewhere" or "base_collision".
        text: one clause, with the numbers. joint: that it is about; None: the model.
        numbers: name to value, in SI units.
        bodies: the pair that collides.
    """

    kind: str
    text: str
    joint: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    bodies: tuple[str, str] | None = None

    def __str__(self) -> str:
        return self.text if self.joint is None else f"{self.joint}: {self.text}"

    def on(self, joint: str) -> "Caution":
        """The same of a joint."""
        return dataclasses.replace(self, joint=joint)


def warn(cautions: Iterable[Caution], *, stacklevel: int = 3) -> None:
    """Issue each with `warnings.warn`, attributed to the caller's caller."""
    for text in worded(cautions):
        warnings.warn(text, PliantWarning, stacklevel=stacklevel)


def worded(cautions: Iterable[Caution]) -> list[str]:
    """The texts; a warning that applies equally to several joints appears once, with their names."""
    joints: dict[str, list[str]] = {}
    for caution in cautions:
        joints.setdefault(caution.text, []).extend(filter(None, [caution.joint]))
    return [f"{_listed(names)}: {text}" if names else text for text, names in joints.items()]


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:SHOWN])} and {more} more"
