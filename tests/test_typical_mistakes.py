"""Typical mistakes: each is answered in one line that says what to do instead.

The list follows the types of the public functions: another type, a name for a thing and a thing for
a name, two arguments swapped, one for many, the neighbouring file, a name that is nearly right.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.errors import PliantError
from pliant.identification import SearchSettings, evaluate, hold_out
from pliant.io.log import example_logs
from pliant.robots import Robot

ROOT = Path(__file__).parents[1]
ARM = ROOT / "examples" / "arm.xml"
SERVO_FILE = Path(pliant.__file__).parent / "actuators" / "xl330_bam_m6.toml"
SERVO = "xl330_bam_m6"


class Given:
    """Things that a program has at hand."""

    def __init__(self) -> None:
        self.actuator = pliant.load_actuator(SERVO)
        self.log = pliant.read_log(example_logs()[0])
        self.spec = mujoco.MjSpec.from_file(str(ARM))
        self.attachment = pliant.attach(self.spec, {"elbow": SERVO})
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)


@pytest.fixture(scope="module")
def given() -> Given:
    return Given()


Call = Callable[[Any], Any]
MISTAKES: dict[str, tuple[Call, str]] = {
    # another type
    "joints without actuators": (
        lambda g: pliant.attach(g.spec, ["shoulder"]),
        "actuators: names no actuator; found 'shoulder'; accepted: joint to actuator, such as",
    ),
    "one number for the travel of each joint": (
        lambda g: pliant.attach(g.spec, {"shoulder": SERVO}, transmission=0.01),
        "transmission: cannot be of the type float; accepted: joint to its travel for one radian",
    ),
    "data for a spec": (
        lambda g: pliant.attach(g.data, {"shoulder": SERVO}),
        "found 'MjData'; accepted: the MjSpec that its model was compiled from",
    ),
    "all that load_model returns for a spec": (
        lambda g: pliant.attach(pliant.load_model(ARM), {"shoulder": SERVO}),
        "found 'tuple'; accepted: an MjSpec: the first of what load_model and load_urdf return",
    ),
    "nothing for an actuator": (
        lambda g: pliant.load_actuator(None),
        "accepted: a name, a TOML file, or what load_actuator returned",
    ),
    "a dict for an actuator": (
        lambda g: pliant.load_actuator({"k_t": 1.0}),
        "actuator: cannot be of the type dict",
    ),
    "a spec for a path": (
        lambda g: pliant.load_model(g.spec),
        "cannot be of the type MjSpec; accepted: a model file: *.xml, *.urdf",
    ),
    "a model for a path": (lambda g: pliant.load_robot(g.model), "accepted: a robot's file"),
    "a model for a binary file": (
        lambda g: pliant.load_binary(g.model),
        "accepted: a binary model",
    ),
    "no path for a log": (lambda g: pliant.read_log(None), "accepted: a *.json or *.csv file"),
    "a number for logs": (lambda g: pliant.read_logs(3), "a file, a folder, or a list of them"),
    "no file to check": (lambda g: pliant.check(None), "a file, a folder, or a list of them"),
    "a number to search for": (lambda g: pliant.actuators(330), 'accepted: such as "xl330"'),
    "a list for laws": (
        lambda g: pliant.with_laws(g.actuator, ["m4"]),
        'accepted: port to law: {"friction": "m4"}',
    ),
    "a list for values": (
        lambda g: g.actuator.with_values([0.3], "me", "assumed"),
        'accepted: parameter to value: {"motor.k_t": 0.3}',
    ),
    "no information for a robot": (
        lambda g: Robot(g.model, None),
        "accepted: what attach, load_model or load_urdf returned",
    ),
    "a spec for a robot's model": (
        lambda g: Robot(g.spec, g.attachment),
        "accepted: spec.compile() after attach",
    ),
    # a name for a thing
    "a name for an actuator to change": (
        lambda g: pliant.with_law(SERVO, "friction", "m4"),
        "accepted: what load_actuator returned",
    ),
    "a name for an actuator to write": (
        lambda g: pliant.write_actuator(SERVO, "mine.toml"),
        "accepted: what load_actuator or identify returned",
    ),
    # swapped
    "logs and actuator swapped": (
        lambda g: pliant.identify([g.log], g.actuator),
        "actuator: cannot be of the type list",
    ),
    "path and actuator swapped": (
        lambda g: pliant.write_actuator("mine.toml", g.actuator),
        "actuator: cannot be of the type str",
    ),
    "actuator and logs swapped in an evaluation": (
        lambda g: evaluate([g.log], g.actuator),
        "accepted: what read_logs returned, or files and folders of logs",
    ),
    # one for many, none for some
    "one log for many": (
        lambda g: pliant.identify(g.actuator, g.log),
        "accepted: what read_logs returned, or files and folders of logs",
    ),
    "a log that is read already": (
        lambda g: pliant.read_log(g.log),
        "cannot be of the type Log; accepted: a *.json or *.csv file",
    ),
    "no logs": (lambda g: pliant.read_logs([]), "no logs; accepted: files, or folders of them"),
    "no logs to fit": (
        lambda g: pliant.identify(g.actuator, []),
        "no logs; accepted: at least one",
    ),
    "no search": (lambda g: SearchSettings(starts=0), "starts: out of range; found 0"),
    "one number for draws": (
        lambda g: g.attachment.randomise(g.model, {"elbow": {"friction.K_c": 0.1}}),
        "accepted: (K,) values of each parameter",
    ),
    "parameters without their joint": (
        lambda g: g.attachment.randomise(g.model, {"friction.K_c": [0.1]}),
        "nothing was attached to this joint; found 'friction.K_c'; accepted: elbow",
    ),
    "data for a model": (
        lambda g: g.attachment.randomise(g.data, {}),
        "accepted: mujoco.MjModel, or mujoco.batch.Batch",
    ),
    "a model for data": (
        lambda g: g.attachment["elbow"].torque(g.model),
        "accepted: mujoco.MjData, or mujoco.batch.Batch",
    ),
    # the neighbouring file
    "a folder for a log": (
        lambda g: pliant.read_log(example_logs()[0].parent),
        "is a folder; accepted: one *.json or *.csv file",
    ),
    "an actuator for a log": (
        lambda g: pliant.read_log(SERVO_FILE),
        "is not a log; accepted: *.json, *.csv",
    ),
    "an MJCF for a URDF": (lambda g: pliant.load_urdf(ARM), "is not a URDF; found '<mujoco>'"),
    "an MJCF for a binary model": (
        lambda g: pliant.load_binary(ARM),
        "accepted: *.mjb of this MuJoCo version",
    ),
    "an actuator for a robot": (
        lambda g: pliant.load_robot(SERVO_FILE),
        "is the file of an actuator, not of a robot; accepted: a file with [joints]",
    ),
    "an actuator for joints": (
        lambda g: pliant.attach(g.spec, SERVO),
        'is not a robot\'s file; accepted: *.toml, or joint to actuator: {"elbow": "xl330_bam_m6"}',
    ),
    "a parameter of no law": (
        lambda g: pliant.actuator(SERVO, volts=6.0),
        "has no such parameter; found 'volts'; did you mean 'voltage'?",
    ),
    # nearly right
    "a device for an actuator": (
        lambda g: pliant.load_actuator("xl330"),
        "is a device, and an actuator is one of its files; found 'xl330'; accepted: xl330_bam_m6,",
    ),
    "capitals in a law": (
        lambda g: pliant.with_law(g.actuator, "friction", "M4"),
        "did you mean 'm4'?",
    ),
    "part of a port": (
        lambda g: pliant.with_law(g.actuator, "fric", "m4"),
        "did you mean 'friction'?",
    ),
    "a parameter without its port": (
        lambda g: g.actuator.value("K_c"),
        "did you mean 'friction.K_c' or 'friction.K_cs'?",
    ),
    "a joint with a slip of the pen": (lambda g: g.attachment["elbo"], "did you mean 'elbow'?"),
    "a joint by its number": (lambda g: g.attachment[0], "found 0; accepted: elbow"),
    "an option with a slip of the pen": (
        lambda g: pliant.identify(g.actuator, [g.log], fits=["motor.R"]),
        "no such option of a fit; found 'fits'; did you mean 'fit'?",
    ),
    "a mode by its name": (
        lambda g: pliant.with_mode(g.actuator, "position"),
        "accepted: 0 LinkTorque; 1 LinkPID",
    ),
    "a way to get a number": (
        lambda g: g.actuator.with_values({"motor.k_t": 0.3}, "me", "guess"),
        "how: is not a way to obtain a number; found 'guess'; accepted: assumed, convention",
    ),
    "a choice without a value": (lambda g: hold_out([g.log], "gain"), "gain=, load="),
    "another model": (
        lambda g: Robot(mujoco.MjModel.from_xml_path(str(ARM)), g.attachment),
        "accepted: the model compiled after `attach`",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_one_line_that_says_what_to_do(mistake: str, given: Given) -> None:
    call, said = MISTAKES[mistake]
    with pytest.raises(PliantError) as caught:
        call(given)
    text = str(caught.value)
    assert said in text
    assert "\n" not in text


def test_what_a_person_passes_instead_of_objects_is_taken() -> None:
    by_name = evaluate(SERVO, example_logs()[0]).mae
    read = evaluate(pliant.load_actuator(SERVO), [pliant.read_log(example_logs()[0])]).mae
    assert by_name == read
    assert np.isfinite(by_name)
    actuator = pliant.load_actuator(SERVO)
    assert pliant.load_actuator(actuator) is actuator
