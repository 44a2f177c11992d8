"""Names typed into a notebook show a line, not a page."""

from pathlib import Path
from typing import Any

import mujoco
import pytest

import pliant
from pliant.identification import SearchSettings
from pliant.io.log import example_logs
from pliant.robots import Robot

ARM = Path(__file__).parents[1] / "examples" / "arm.xml"
QUICK = SearchSettings(starts=1, jacobians=2)
LONGEST = 160


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    actuator = pliant.load_actuator("xl330_bam_m1")
    log = pliant.read_log(example_logs()[0])
    spec = mujoco.MjSpec.from_file(str(ARM))
    attachment = pliant.attach(spec, {"elbow": actuator})
    found = pliant.identify(actuator, [log], search_settings=QUICK)
    return {
        "actuator": actuator,
        "topology": actuator.topology,
        "law": actuator.laws["friction"],
        "number": actuator.numbers["motor.k_t"],
        "log": log,
        "attachment": attachment,
        "one joint": attachment["elbow"],
        "sticking": attachment.sticking,
        "identification": found,
        "task": found.task,
        "space": found.space,
        "search": found.searches[""],
        "evaluation": found.fitted,
        "one log's error": found.fitted.entries[0],
        "checked": pliant.check(ARM),
        "robot": Robot(spec.compile(), attachment, target="python"),
    }


def test_every_public_object_shows_itself_in_one_short_line(things: dict[str, Any]) -> None:
    shown = {name: repr(thing) for name, thing in things.items()}
    assert {n: text for n, text in shown.items() if len(text) > LONGEST or "\n" in text} == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("actuator", "<Actuator xl330_bam_m1: Dynamixel XL330-M288-T, friction model M1; 12 param"),
        ("log", "<Log 2026-01-15_10h28m10: xl330, "),
        ("one joint", "<Attached elbow: xl330_bam_m1>"),
        ("identification", "<Identification of xl330_identified: "),
        ("robot", "<Robot: elbow>"),
    ],
)
def test_it_says_what_it_is(things: dict[str, Any], name: str, said: str) -> None:
    assert repr(things[name]).startswith(said)
