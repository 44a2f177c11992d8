"""Options of every command that fits: what is known besides the logs, and how to search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pliant.cli.options import RARE, shown
from pliant.cli.several import Repeated, option

if TYPE_CHECKING:
    from pliant.assemble import Actuator, Fact
    from pliant.identification.problem.prior import Prior
    from pliant.identification.problem.task import FitOptions
    from pliant.identification.search.search import SearchSettings

LEAST = {"starts": 1, "jacobians": 1, "seed": 0}
"""Smallest value of each number of a search."""
MOST = 10**6
"""Largest, but for the seed: more would not end in a lifetime."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """Size of the search. The same seed gives the same result.

    Attributes:
        starts: Descents, from the given values and from others around them; by default 12, of a robot's
            joints 6. The error has many local minima; the spread of the results says how reliable one is.
        jacobians: Jacobians of each descent, at most; by default 40.
        seed: Random seed.
    """

    starts: Annotated[int | None, shown("INT")] = None
    jacobians: Annotated[int | None, RARE, shown("INT")] = None
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class ChoiceSearch(Search):
    """Size of the searches. The same seed gives the same result.

    The many fits that are compared search less than the final fit of the model taken. An option given
    here holds for both.

    Attributes:
        starts: Descents within each fit; by default 12, of a robot's joints 6; in fits that are compared
            3, of a robot's joints 2.
        jacobians: Jacobians of each descent, at most; by default 40; in fits of a robot that are compared 20.
    """


def searched(search: Search, base: "SearchSettings") -> "SearchSettings":
    """`base` with the numbers of `search`.

    Raises:
        PliantError: a number is out of range.
    """
    from pliant.errors import PliantError

    changed: dict[str, int] = {}
    for name, low in LEAST.items():
        value = getattr(search, name)
        if value is not None and value < low:
            raise PliantError("out of range", field=option(name), found=value, accepted=f"≥ {low}")
        if value is not None and value > MOST and name != "seed":
            raise PliantError("out of range", field=option(name), found=value, accepted=f"≤ {MOST}")
        if value is not None:
            changed[name] = value
    return replace(base, **changed)


@dataclass(frozen=True, kw_only=True)
class Fitting:
    """Prior knowledge of the actuator, and timing of the recording.

    Attributes:
        prior: Earlier fit of the same device, to start from and stay near; a few logs are then enough
            to recalibrate. For a robot joint=actuator, or the folder that identify-robot wrote. The
            result says how far each parameter moved, and whether device, voltage and firmware agree.
        sampling: When a recorded command acts: at its own sample (hold), the next (next), the one
            before (before), as a ramp to the next (linear), or whichever fits best (best).
        sample_age: Age of a recorded position at its time stamp [s]. Any age not given is absorbed
            into the command delay: no fit can separate the two.
    """

    prior: Annotated[tuple[str, ...], Repeated, RARE, shown("NAME|FILE.toml")] = ()
    sampling: Annotated[Literal["hold", "linear", "next", "before", "best"], RARE] = "hold"
    sample_age: Annotated[float, RARE, shown("S")] = 0.0

    def options(self, *, robot: bool = False, joints: Sequence[str] = ()) -> "FitOptions":
        """The same for `fit_task`.

        Raises:
            PliantError: a prior that cannot be used.
        """
        return {
            "prior": self._prior(robot=robot, joints=joints),
            "sampling": self.sampling,
            "sample_age": self.sample_age,
        }

    def _prior(self, *, robot: bool, joints: Sequence[str]) -> "Prior | None":
        from pliant.errors import PliantError
        from pliant.identification.problem.prior import Prior
        from pliant.io.actuator_file import load_actuator

        if not self.prior:
            return None
        if robot:
            chosen = joints_of(self.prior, "prior", joints)
            known = {joint: load_actuator(name) for joint, name in chosen.items()}
            return Prior(known)
        first, *others = self.prior
        if others:
            raise PliantError("more than one", field="--prior", found=", ".join(self.prior))
        return Prior(load_actuator(first))


def facts(texts: Sequence[str], actuator: "Actuator") -> "Sequence[Fact]":
    """Facts of `name=value@volts~tolerance` texts; those of `actuator` for "file".

    Raises:
        PliantError: one cannot be read, or is no fact.
    """
    from pliant.assemble import FACTS, Fact
    from pliant.assemble.parameters import TOLERANCE
    from pliant.cli.choices import pairs, parsed_number

    if tuple(texts) == ("file",):
        return actuator.datasheet
    form = "stall_torque=0.93@7.4V, or with a relative tolerance behind: ~0.1"
    found: list[Fact] = []
    for name, text in pairs(texts, "datasheet", form).items():
        rest, tilde, tolerance = text.partition("~")
        value, at, volts = rest.partition("@")
        found.append(
            Fact(
                fact=name,
                value=parsed_number(value, "datasheet"),
                unit=FACTS.get(name, ""),
                source="given",
                voltage=parsed_number(volts.strip().rstrip("Vv"), "datasheet") if at else None,
                tolerance=parsed_number(tolerance, "datasheet") if tilde else TOLERANCE,
            )
        )
    return found


ROBOT_FILE = "robot.toml"
"""Beside the actuators of a robot's joints."""


def joints_of(
    texts: tuple[str, ...], option_name: str, joints: Sequence[str] = ()
) -> Mapping[str, str | Path]:
    """Joint to its actuator, from joint=actuator texts or a folder of a file for each joint.

    Raises:
        PliantError: a text has another form, or the folder has no actuator files.
    """
    from pliant.cli.choices import pairs
    from pliant.errors import PliantError

    form = "joint=actuator, such as elbow=xl330_bam_m6 (*=... for all), or a folder with elbow.toml"
    if len(texts) == 1 and Path(texts[0]).is_dir():
        found = sorted(Path(texts[0]).glob("*.toml"))
        files = {path.stem: path for path in found if path.name != ROBOT_FILE}
        if not files:
            raise PliantError(
                "has no actuator files", file=texts[0], field=f"--{option_name}", accepted=form
            )
        return files
    if not texts:
        raise PliantError("is missing", field=f"--{option_name}", accepted=form)
    chosen = dict[str, str | Path]()
    for pattern, name in pairs(texts, option_name, form).items():
        matched = [joint for joint in joints if fnmatchcase(joint, pattern)]
        if "*" in pattern and not matched:
            raise PliantError(
                "matches no joint", field=f"--{option_name}", found=pattern, accepted=joints
            )
        chosen |= dict.fromkeys(matched if "*" in pattern else [pattern], name)
    return chosen
