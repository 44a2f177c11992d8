"""A richer model at what a simpler one came to is that simpler model."""

import numpy as np
import pytest

from pliant import Actuator, load_actuator
from pliant.assemble import with_law
from pliant.engines.joint.engine import JointEngine
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.selection.nested_models import begun_at, contains, holds, simpler
from pliant.io.log import Log

FOUND = {
    "m1": {"K_c": 0.021, "K_v": 0.004},
    "m3": {"K_c": 0.013, "K_v": 0.003, "K_l": 0.11},
    "m4": {
        "K_c": 0.01,
        "K_v": 0.002,
        "K_l": 0.1,
        "K_cs": 0.02,
        "K_ls": 0.15,
        "v_s": 0.7,
        "alpha": 1.3,
    },
}


def model(name: str, **laws: str) -> Actuator:
    actuator = with_law(load_actuator("xl330_bam_m1"), "friction", name)
    for port, law in laws.items():
        actuator = with_law(actuator, port, law)
    return actuator


@pytest.mark.parametrize(
    ("rich", "poor"),
    [
        (model("m2"), model("m1")),
        (model("m3"), model("m1")),
        (model("m4"), model("m3")),
        (model("m5"), model("m4")),
        (model("m4", timing="command_delay"), model("m4")),
        (model("m4", driver="supply_resistance"), model("m4")),
    ],
)
def test_it_moves_as_the_simpler_one_does(rich: Actuator, poor: Actuator, logs: list[Log]) -> None:
    friction = FOUND[poor.laws["friction"].name]
    found = {f"friction.{symbol}": value for symbol, value in friction.items()}
    found |= {"motor.R": 4.4, "plant.position_offset": 0.03, "plant.arm_mass": 0.01}
    engines = (
        JointEngine(begun_at(JointRig(rich), JointRig(poor), found).actuators[""]),
        JointEngine(poor),
    )
    a, b = (
        engine.rollout(logs[0], engine.values(changes)).position
        for engine, changes in zip(engines, ({}, found), strict=True)
    )
    np.testing.assert_allclose(a, b, atol=1e-9)


def test_a_model_begins_at_one_that_is_several_steps_simpler(logs: list[Log]) -> None:
    rich, poor = model("m6", timing="command_delay", driver="supply_resistance"), model("m3")
    assert holds(JointRig(rich), JointRig(poor))
    assert not holds(JointRig(poor), JointRig(rich))
    assert not holds(JointRig(poor), JointRig(model("m2")))
    found = {f"friction.{symbol}": value for symbol, value in FOUND["m3"].items()}
    begun = begun_at(JointRig(rich), JointRig(poor), found)
    engines = JointEngine(begun.actuators[""]), JointEngine(poor)
    a, b = (
        engine.rollout(logs[0], engine.values(changes)).position
        for engine, changes in zip(engines, ({}, found), strict=True)
    )
    np.testing.assert_allclose(a, b, atol=1e-9)


def test_only_one_step_at_one_port_counts() -> None:
    assert not contains(JointRig(model("m4")), JointRig(model("m1")))  # by way of m2 or m3
    assert not contains(JointRig(model("m4", timing="command_delay")), JointRig(model("m3")))
    assert not contains(JointRig(model("m3")), JointRig(model("m2")))
    assert not contains(JointRig(model("m1")), JointRig(model("m1")))


def test_each_candidate_knows_those_below_it() -> None:
    chosen = [model("m1"), model("m2"), model("m4"), model("m2", timing="command_delay")]
    assert simpler([JointRig(one) for one in chosen]) == [[], [0], [1], [1]]
