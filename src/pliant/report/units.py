"""Units of one device, told by what each has of the device's friction and torque."""

from collections.abc import Sequence
from dataclasses import dataclass

from pliant.assemble import Actuator
from pliant.identification.robot.device import Device, device_actuator, devices_of
from pliant.report.derived import FrictionBudget, derived, has_budget
from pliant.report.table import ReportTable, table
from pliant.robots.identify import RobotIdentification
from pliant.words import counted

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
        told = [
            f"{name} is {x:.1f} of the device's"
            for name, x in parts.items()
            if x is not None and abs(x - 1.0) > APART
        ]
        return f"{self.joint}: this unit's {' and its '.join(told)}" if told else ""


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
    return float(FrictionBudget(actuator).budget(SLOW, 0.0, 0.0)), stall
