"""Units of one device: the oracle is the friction law and the motor's stall torque, written out."""

import dataclasses

import numpy as np
import pytest

import pliant
from pliant.identification.problem.space import search_space
from pliant.identification.robot.device import Device
from pliant.report.words import HEAD, Kind, unit_table, units_of

NAMES = ("friction.K_c", "friction.K_v", "motor.k_t", "motor.R")
RATIOS = {"shoulder": (1.4, 1.0), "elbow": (1.0, 0.8), "wrist": (1.03, 0.98)}


@pytest.fixture(scope="module")
def kind() -> Kind:
    """Friction of each unit by one factor, its torque per volt by another."""
    mean = pliant.load_actuator("feetech_sts3215_7_4V_bam_m1")
    space = search_space(mean, bench=()).part(NAMES)
    middle = {name: mean.value(name) for name in NAMES}
    points: dict[str, np.ndarray] = {}
    for joint, (friction, stall) in RATIOS.items():
        own = middle | {n: friction * x for n, x in middle.items() if n.startswith("friction")}
        own["motor.R"] = middle["motor.R"] / stall
        points[joint] = space.to_cube(np.array([own[name] for name in space.names]))
    centre = space.to_cube(np.array([middle[name] for name in space.names]))
    device = Device(space.names, centre, np.full(len(centre), 0.1), points, space)
    return Kind(mean.device, units_of(device, mean))


def test_each_unit_has_its_part_of_the_device_s_friction_and_torque(kind: Kind) -> None:
    for unit in kind.units:
        friction, stall = RATIOS[unit.joint]
        assert unit.friction == pytest.approx(friction, rel=1e-6)
        assert unit.stall == pytest.approx(stall, rel=1e-6)


def test_what_stands_out_is_said_in_a_sentence_and_nothing_else(kind: Kind) -> None:
    assert [unit.sentence for unit in kind.units] == [
        "shoulder: this unit's friction is 1.4 of the device's",
        "elbow: this unit's stall torque is 0.8 of the device's",
        "",
    ]
    both = dataclasses.replace(kind.units[0], stall=0.7)
    assert both.sentence.endswith(
        "friction is 1.4 of the device's and its stall torque is 0.7 of the device's"
    )


def test_the_table_has_a_row_for_each(kind: Kind) -> None:
    table = unit_table(kind)
    assert tuple(table.head) == HEAD
    assert [cell.text for cell in table.rows[0]] == ["shoulder", "1.40", "1.00"]
    assert kind.title == "3 units of feetech_sts3215_7_4V"
