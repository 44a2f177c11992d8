"""Parse option values on the command line: numbers, joints and actuators, laws, and the plan of a fit."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from pliant import assemble
from pliant.assemble import FACTS, Actuator, Fact
from pliant.assemble.parameters import TOLERANCE
from pliant.cli.fit_plan import FitPlan
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.keyed import named, pairs
from pliant.io.recording_facts import RecordingFacts

if TYPE_CHECKING:
    from pliant.identification.problem.posterior import Prior
    from pliant.identification.problem.rig import Rig
    from pliant.identification.problem.simulation import LogT
    from pliant.identification.problem.task import FitTask
    from pliant.identification.search.search import SearchSettings

ROBOT_FILE = "robot.toml"
"""Beside the actuators of a robot's joints."""
LAW = "port=law, such as friction=m4"


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
    given = pairs(texts, f"--{option}", form)
    return {name: parsed_number(text, option) for name, text in given.items()}


def attached(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Joint and actuator of each text of `--attach`."""
    return named(texts, "--attach", "joint=actuator, such as elbow=xl330_bam_m4")


def travels(texts: Iterable[str]) -> dict[str, float]:
    """Map of joint to travel per radian, from the texts of `--transmission`."""
    return numbers(texts, "transmission", "joint=value, such as lift=0.01")


def joints_of(
    texts: tuple[str, ...], field: str, joints: Sequence[str] | None
) -> Mapping[str, str | Path]:
    """Map of joint to actuator, from joint=actuator texts or a folder with one file per joint.

    Args:
        field: the option that they are of. joints: that patterns match; None: not known yet, so patterns are kept as keys.
    """
    form = "joint=actuator, such as elbow=xl330_bam_m6 (*=... for all), or a folder with elbow.toml"
    if len(texts) == 1 and Path(texts[0]).is_dir():
        found = sorted(Path(texts[0]).glob("*.toml"))
        files = {path.stem: path for path in found if path.name != ROBOT_FILE}
        if not files:
            raise PliantError("has no actuator files", file=texts[0], field=field, accepted=form)
        return files
    if not texts:
        raise PliantError("is missing", field=field, accepted=form)
    chosen = dict[str, str | Path]()
    for pattern, name in pairs(texts, field, form).items():
        if joints is None or "*" not in pattern:
            chosen[pattern] = name
            continue
        matched = [joint for joint in joints if fnmatchcase(joint, pattern)]
        if not matched:
            raise PliantError("matches no joint", field=field, found=pattern, accepted=joints)
        chosen |= dict.fromkeys(matched, name)
    return chosen


def with_laws(actuator: Actuator, texts: Iterable[str]) -> Actuator:
    """`actuator` with the laws of `port=law` texts, all at once: control and motor change together."""
    return assemble.with_laws(actuator, pairs(texts, "--law", LAW))


def laws(texts: Sequence[str]) -> dict[str, list[str]]:
    """Map of port to its laws, from "friction=m1", "m4", "timing=command_delay".

    Raises:
        PliantError: a text has another form, or a law stands twice.
    """
    found: dict[str, list[str]] = {}
    port = ""
    for text in texts:
        before, equals, law = (part.strip() for part in text.partition("="))
        if equals:
            port = before
        else:
            law = before
        if not (port and law):
            raise PliantError("cannot be read", field="--law", found=text, accepted=LAW)
        if law in found.setdefault(port, []):
            raise PliantError("is given twice", field="--law", found=f"{port}={law}")
        found[port].append(law)
    return found


def of_all(texts: Sequence[str]) -> dict[str, str]:
    """Map of port to law for the ports with a single law: those that all models share."""
    return {port: one[0] for port, one in laws(texts).items() if len(one) == 1}


def is_choice(plan: FitPlan) -> bool:
    """Whether several models are to be compared."""
    several = any(len(one) > 1 for one in laws(plan.law).values())
    return several or bool(plan.extension) or (plan.robot is None and len(plan.actuator) > 1)


def models(plan: FitPlan, actuator: Actuator) -> list[dict[str, str]]:
    """The laws of each model, by port: every combination, with each of `extension`."""
    several = {port: one for port, one in laws(plan.law).items() if len(one) > 1}
    combined = [
        dict(zip(several, one, strict=True)) for one in itertools.product(*several.values())
    ]
    return [{**one, **more} for one in combined for more in _extensions(plan.extension, actuator)]


def _extensions(texts: Sequence[str], actuator: Actuator) -> Sequence[Mapping[str, str]]:
    """Laws to try each model with, by port; the first is none."""
    if tuple(texts) == ("usual",):
        from pliant.identification.selection.choice import usual_extensions

        return usual_extensions(actuator)
    form = "usual, or port=law, or several joined by +"
    return [{}, *(pairs(text.split("+"), "--plan: extension", form) for text in texts)]


def _fixed(texts: Iterable[str]) -> Mapping[str, float | None]:
    """Parameters to hold, from `name` (at its present value) or `name=value` texts."""
    form = "port.symbol or port.symbol=value, such as motor.R=3.2"
    return {
        name: parsed_number(value, "fix") if value else None
        for _, name, value in _with_values(texts, "fix", form)
    }


def _added(texts: Iterable[str]) -> Mapping[str, tuple[float, float] | None]:
    """Parameters to search and their bounds, from `name` or `name=low:high` texts."""
    form = "port.symbol or port.symbol=low:high, such as motor.R=1:5"
    found: dict[str, tuple[float, float] | None] = {}
    for text, name, value in _with_values(texts, "fit", form):
        low, colon, high = value.partition(":")
        if value and not colon:
            raise PliantError("cannot be read", field="--fit", found=text, accepted=form)
        bounds = (parsed_number(low, "fit"), parsed_number(high, "fit")) if value else None
        if bounds is not None and bounds[0] >= bounds[1]:
            accepted = "low less than high"
            raise PliantError("bounds out of order", field="--fit", found=text, accepted=accepted)
        found[name] = bounds
    return found


def _with_values(texts: Iterable[str], option: str, form: str) -> Iterator[tuple[str, str, str]]:
    """Each text, its name, and its value, "" where it has none."""
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or (equals and not value):
            raise PliantError("cannot be read", field=f"--{option}", found=text, accepted=form)
        yield text, name, value


def task_of(
    rig: "Rig[LogT]",
    plan: FitPlan,
    facts: RecordingFacts,
    prior: "Prior | None",
    sheet: Sequence[Fact] = (),
) -> "FitTask[LogT]":
    """The task of a fit. To compare models, its searches are shorter and nothing is held out."""
    from pliant.identification.problem.task import fit_task

    choice = is_choice(plan)
    return fit_task(
        rig,
        {
            "fit": _added(plan.fit),
            "fix": _fixed(plan.fix),
            "search_settings": searched(plan, rig.fold_search if choice else rig.search),
            "zero_by": mounting(facts.zero_by),
            "recorder_by": mounting(facts.recorder_by),
            "sampling": facts.sampling,
            "sample_age": facts.sample_age or 0.0,
            "hold_out": () if choice else plan.hold_out,
            "prior": prior,
            "datasheet": sheet,
        },
    )


def mounting(text: str) -> str | None:
    """Property that logs of one mounting share; "none" is None."""
    return None if text == "none" else text


def searched(plan: FitPlan, base: "SearchSettings") -> "SearchSettings":
    """`base` with the numbers of a plan."""
    names = ("starts", "jacobians", "seed")
    given = {name: value for name in names if (value := getattr(plan, name)) is not None}
    return replace(base, **given)


def known_before(texts: Sequence[str], actuator: Actuator) -> "tuple[Prior | None, Sequence[Fact]]":
    """Prior and data sheet of `--prior`, for a fit that begins at `actuator`."""
    from pliant.identification.problem.posterior import Prior

    sheet = [text for text in texts if text.partition("=")[0].strip() in FACTS]
    own = actuator.datasheet if "datasheet" in texts else ()
    fits = [text for text in texts if text not in sheet and text != "datasheet"]
    if len(fits) > 1:
        raise PliantError("more than one", field="--prior", found=", ".join(fits))
    prior = Prior(load_actuator(fits[0])) if fits else None
    return prior, (*own, *facts(sheet))


def robot_prior(texts: tuple[str, ...], joints: Sequence[str]) -> "Prior | None":
    """The earlier fits of `--prior`, joint by joint."""
    from pliant.identification.problem.posterior import Prior

    if not texts:
        return None
    chosen = joints_of(texts, "--prior", joints)
    return Prior({joint: load_actuator(name) for joint, name in chosen.items()})


def facts(texts: Sequence[str]) -> Sequence[Fact]:
    """Facts of `name=value@volts~tolerance` texts."""
    form = "stall_torque=0.93@7.4V, or with a relative tolerance behind: ~0.1"
    found: list[Fact] = []
    for name, text in pairs(texts, "--prior", form).items():
        rest, tilde, tolerance = text.partition("~")
        value, at, volts = rest.partition("@")
        found.append(
            Fact(
                fact=name,
                value=parsed_number(value, "prior"),
                unit=FACTS[name],
                source="given",
                voltage=parsed_number(volts.strip().rstrip("Vv"), "prior") if at else None,
                tolerance=parsed_number(tolerance, "prior") if tilde else TOLERANCE,
            )
        )
    return found
