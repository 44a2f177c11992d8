"""`pliant check … --against DEVICE`: health of servos, from short recordings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.cli.choices import joints_of
from pliant.cli.recording import Recording, bench_logs, readable
from pliant.cli.terminal import Terminal, columns
from pliant.errors import PliantError, located
from pliant.examine.files import meant
from pliant.identification.fit import identify
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.posterior import Prior
from pliant.identification.problem.starting_actuator import check_named
from pliant.identification.robot.rig import RobotRig
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.output import write_whole
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.report.health import (
    HEAD,
    OTHERS,
    JointHealth,
    check_device,
    health,
    health_page,
    population,
    repeats,
    rows,
    sentences,
)
from pliant.robots.identify import identify_robot, robot_rig

SEARCH = SearchSettings(starts=12, jacobians=12)
"""For the numbers of the first recordings: a change is only as clear as they are, and one descent ends in a wrong
basin for one joint in four, where dead band and friction trade places."""


@dataclass(frozen=True)
class Against:
    """Options of the comparison, see `check.Check`."""

    devices: tuple[str, ...]
    robot: Path | None
    recording: Recording
    report: Path | None


def check_health(files: Sequence[Path], asked: Against, terminal: Terminal) -> int:
    """Report how each joint differs from its device, or from its first recordings."""
    first, *later = files
    terminal.stage(f"comparing {first} with the device ...")
    begun = _read(asked, first, terminal)
    found, rig = _first(first.name, asked, begun, more=bool(later))
    for path in later:
        terminal.stage(f"comparing {path} with {first} ...")
        logs = _read(asked, path, terminal)
        rig.check(logs)
        same = repeats(begun, logs)
        if not same:
            terminal.note(f"{path} has other commands than {first}: the comparison is less precise")
        spread = dict.fromkeys(rig.actuators, {} if same else OTHERS)
        found += health(rig, logs, path.name, first.name, spread, begun)
    said = sentences(found)
    terminal.say(columns(HEAD, rows(found), numbers=tuple(range(3, len(HEAD) - 1))))
    terminal.say("")
    for sentence in said or ["No difference is found."]:
        terminal.paragraph(sentence)
    if asked.report is not None:
        write_whole(asked.report, health_page(found, asked.devices, said))
        terminal.say(f"wrote report {asked.report}")
    terminal.result({"against": list(asked.devices), "joints": [_plain(one) for one in found]})
    return 0


def own_fit(model: Path, device: Mapping[str, Actuator], logs: Sequence[RobotLog]) -> RobotRig:
    """A robot whose servos are refitted to recordings, near the device."""
    found = identify_robot(
        model,
        device,
        logs,
        how="separately",
        replace=True,
        prior=Prior(device),
        search_settings=SEARCH,
        zero_by=None,
        recorder_by=None,
    )
    assert isinstance(found.rig, RobotRig)
    return found.rig


def _first(
    name: str, asked: Against, logs: list[Any], *, more: bool
) -> tuple[list[JointHealth], Any]:
    """The first recordings compared with the device and, if there are more, the servos refitted to them."""
    if asked.robot is None:
        actuator = _one(asked.devices)
        check_named(logs, actuator)
        rig: Any = JointRig(actuator)
        found = health(rig, logs, name, actuator.name, {"": population(actuator)})
        check_device(found)
        if more:
            rig = identify(actuator, logs, prior=Prior(actuator), search_settings=SEARCH).rig
        return found, rig
    device = _of_joints(asked.devices, logs[0].joints)
    spread = {joint: population(actuator) for joint, actuator in device.items()}
    devices = ", ".join(dict.fromkeys(one.name for one in device.values()))
    rig = robot_rig(asked.robot, device, logs, "separately", replace=True)
    found = health(rig, logs, name, devices, spread)
    check_device(found)
    return found, own_fit(asked.robot, device, logs) if more else rig


def _read(asked: Against, path: Path, terminal: Terminal) -> list[Any]:
    facts = asked.recording.facts([path], terminal)
    if asked.robot is None:
        return bench_logs([path], facts)
    return read_robot_logs(meant([path]), readable(facts, asked.robot))


def _one(against: Sequence[str]) -> Actuator:
    if len(against) > 1 or "=" in against[0]:
        accepted = "one name, or --robot"
        raise PliantError("is of a robot", field="--against", found=against, accepted=accepted)
    with located(field="--against"):
        return load_actuator(against[0])


def _of_joints(against: tuple[str, ...], joints: Sequence[str]) -> dict[str, Actuator]:
    texts = tuple(text if "=" in text or Path(text).is_dir() else f"*={text}" for text in against)
    with located(field="--against"):
        return {j: load_actuator(n) for j, n in joints_of(texts, "--against", joints).items()}


def _plain(one: JointHealth) -> dict[str, Any]:
    return {
        "joint": one.joint,
        "recordings": one.group,
        "against": one.against,
        "now": {name: asdict(x) for name, x in one.now.items()},
        "deviations": one.deviations,
        "not_seen": one.unseen,
        "told": one.kinds,
        "temperature": one.temperature,
    }
