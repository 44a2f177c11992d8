"""Texts for reports: parameters, findings, units of one device, lines to paste that attach an actuator."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import cast

import numpy as np

from pliant.assemble import Actuator, Number
from pliant.identification.fit import Identification
from pliant.identification.problem.doubt import Doubt
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.device import Device, device_actuator, devices_of
from pliant.quantity import notation
from pliant.report.derived import derived, friction_budget, has_budget
from pliant.report.document import ReportTable, table
from pliant.report.unknown import Question, questions
from pliant.robots.identify import RobotIdentification
from pliant.words import counted, number, unit


def meaning(symbol: str) -> str:
    """Meaning of a parameter's symbol; nothing for one that only a user's law knows."""
    return str(notation()["symbols"].get(symbol, ""))


def unit_of(entry: Number) -> str:
    """The unit of a parameter; nothing for a plain number, or for no limit."""
    return "" if number(entry.value) == "none" else unit(entry.unit)


def bounds(entry: Number) -> str:
    """`low … high`."""
    if entry.low is None and entry.high is None:
        return ""
    return f"{number(entry.low)} … {number(entry.high)}"


PARAMETERS = ("parameter", "value", "unit", "bounds", "how", "source", "meaning")


def parameter_rows(actuator: Actuator) -> list[list[str]]:
    """A row below `PARAMETERS` for each number of an actuator."""
    return [
        [
            name,
            number(entry.value),
            "" if entry.unit == "1" else entry.unit,
            bounds(entry),
            entry.how,
            entry.source,
            meaning(name.partition(".")[2]),
        ]
        for name, entry in actuator.all_numbers.items()
    ]


def interval(actuator: Actuator, name: str) -> str:
    """The 90 % interval of a parameter, `5 % … 95 %`; nothing where none was found."""
    known = actuator.identification.get("intervals_90")
    if not isinstance(known, Mapping) or name not in known:
        return ""
    low, high = cast("Mapping[str, tuple[float, float]]", known)[name]
    return f"{low:.3g} … {high:.3g}"


def carried(actuator: Actuator) -> str:
    """The models whose fits its file carries, after a space; nothing where they are of one."""
    models = FitRecord.of(actuator).models
    if not models:
        return ""
    first, *others = (f"{counted(fits, 'fit')} of {name}" for name, fits in models.items())
    return f" The file carries {first}, which is attached, and {', '.join(others)}."


def at_bounds(identification: Identification) -> dict[str, str]:
    """Parameter to the bound it ended at: "lower" or "upper"."""
    found = identification.actuator.all_numbers
    space = identification.space
    cube = space.to_cube(np.array([found[name].value for name in space.names]))
    return {
        name: "lower" if u < 0.5 else "upper"
        for name, u in zip(space.names, cube, strict=True)
        if u < 0.01 or u > 0.99
    }


def doubts(identification: Identification) -> list[Doubt]:
    """Doubts that the data and the search leave open."""
    ends = at_bounds(identification)
    others = [
        one for one in identification.doubts if one.kind not in ("lower bound", "upper bound")
    ]
    return [*_at_bounds(ends, identification.actuator.all_numbers), *others]


def open_questions(identification: Identification) -> list[Question]:
    """The same as questions, each with what would settle it."""
    given = [fact.fact for fact in FitRecord.of(identification.actuator).datasheet or ()]
    return questions(doubts(identification), given)


def warnings(identification: Identification) -> list[str]:
    """The same as sentences."""
    return [f"{question.text}." for question in open_questions(identification)]


def _at_bounds(ends: Mapping[str, str], found: Mapping[str, Number]) -> list[Doubt]:
    """Parameters that the logs do not need in one sentence, those that want wider bounds in one."""
    zero = [name for name, end in ends.items() if end == "lower" and found[name].low == 0.0]
    others = {name: end for name, end in ends.items() if name not in zero}
    made: list[Doubt] = []
    if others:
        stops = "; ".join(_stop(name, end, found[name]) for name, end in others.items())
        made.append(Doubt("upper bound", tuple(others), f"{stops}: better values may lie beyond"))
    if zero:
        text = f"these logs show no need for {', '.join(zero)}, which went to 0"
        made.append(Doubt("lower bound", tuple(zero), text))
    return made


def _stop(name: str, end: str, entry: Number) -> str:
    symbol = name.partition(".")[2]
    limit = number(entry.low if end == "lower" else entry.high)
    measure = f"{limit} {unit(entry.unit)}".rstrip()
    return f"{meaning(symbol) or symbol} ({name}) stopped at its {end} bound, {measure}"


SLOW = 0.5
"""[rad/s] Speed at which units are compared by their friction."""
APART = 0.1
"""Part of the device's by which a unit differs that is worth a sentence."""
HEAD = ("unit", f"friction at {SLOW:g} rad/s, of the device's", "stall torque, of the device's")


@dataclass(frozen=True)
class Unit:
    """One joint's servo over the mean of its device's units.

    Attributes:
        joint: where it is. friction: without load, of a slow motion; None: its law has no budget.
        stall: torque at full command and standstill.
    """

    joint: str
    friction: float | None
    stall: float

    @property
    def cells(self) -> tuple[str, str, str]:
        """As a row of a table."""
        friction = "" if self.friction is None else f"{self.friction:.2f}"
        return self.joint, friction, f"{self.stall:.2f}"

    @property
    def sentence(self) -> str:
        """Numbers that stand out; empty where none does."""
        parts = {"friction": self.friction, "stall torque": self.stall}
        differing = [
            f"{name} is {x:.1f} of the device's"
            for name, x in parts.items()
            if x is not None and abs(x - 1.0) > APART
        ]
        return f"{self.joint}: this unit's {' and its '.join(differing)}" if differing else ""


@dataclass(frozen=True)
class Kind:
    """A device and its units on a robot.

    Attributes:
        device: its name. units: one for each joint that has one.
    """

    device: str
    units: Sequence[Unit]

    @property
    def title(self) -> str:
        """Number of units, and the device."""
        return f"{counted(len(self.units), 'unit')} of {self.device}"


def kinds(found: RobotIdentification) -> list[Kind]:
    """Devices of which a robot has several units; none where the fit ended early."""
    if found.interrupted:
        return []
    made: list[Kind] = []
    for device in devices_of(found):
        one = found.actuators[next(iter(device.units))]
        mean = device_actuator(device, one, one.device, one.title, "mean of its units")
        made.append(Kind(one.device, units_of(device, mean)))
    return made


def units_of(device: Device, mean: Actuator) -> list[Unit]:
    """Each unit beside the device's mean."""
    friction, stall = _brakes_and_stalls(mean)
    made: list[Unit] = []
    for joint, point in device.units.items():
        values = device.space.from_cube(point)
        numbers = dict(zip(device.names, map(float, values), strict=True))
        brakes, stalls = _brakes_and_stalls(mean.with_values(numbers, "unit", "identified"))
        part = brakes / friction if brakes is not None and friction else None
        made.append(Unit(joint, part, stalls / stall))
    return made


def unit_table(kind: Kind) -> ReportTable:
    """A row for each unit."""
    return table(HEAD, [unit.cells for unit in kind.units], numbers=(1, 2))


def _brakes_and_stalls(actuator: Actuator) -> tuple[float | None, float]:
    """[N m] friction without load, and torque at full command and standstill."""
    stall = abs(derived(actuator).motor_torque)
    if not has_budget(actuator):
        return None, stall
    return float(friction_budget(actuator, SLOW, 0.0, 0.0)), stall


def attach_line(files: Mapping[str, object]) -> str:
    """Python that attaches joint to actuator file."""
    pairs = ", ".join(f"{text_of(joint)}: {text_of(file)}" for joint, file in files.items())
    return f"pliant.attach(spec, {{{pairs}}})"


def simulate_line(model: str, files: Mapping[str, object]) -> str:
    """The command that does, quoted for a shell.

    A joint whose name has what separates names is found by a pattern; a path with a comma is in quotes.
    """
    pairs = [f"{re.sub('[=,]', '?', joint)}={file}" for joint, file in files.items()]
    words = ",".join(f'"{pair}"' if "," in pair else pair for pair in pairs)
    return f"pliant simulate {quote(model)} --attach {quote(words)}"


def text_of(value: object) -> str:
    """A string of Python that is this."""
    return json.dumps(str(value), ensure_ascii=False)


def lines_to_run(model: str, files: Mapping[str, str]) -> dict[str, str]:
    """Python, and a command: joint to actuator file."""
    attach = attach_line(files)
    code = f"""import mujoco
import pliant

spec = mujoco.MjSpec.from_file({text_of(model)})
print({attach})  # joint: actuator; says what it set
model = spec.compile()
data = mujoco.MjData(model)
while data.time < 5.0:
    data.ctrl[:] = 0.5  # goal [rad]
    mujoco.mj_step(model, data)"""
    line = f"{simulate_line(model, files)} --goal {quote(f'{next(iter(files))}=0.5')}"
    return {"attach": attach, "line": line, "code": code}
