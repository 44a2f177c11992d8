"""Bands of a robot's files on recordings: against each draw as a robot of its own."""

import dataclasses

import numpy as np
import pytest
from arm_recordings import record

from pliant.assemble import Ensemble
from pliant.identification.result.known import held
from pliant.robots.identify import robot_rig

MARGIN = 2e-3
ROWS = np.array([[3.0], [2.6], [2.8], [3.3]])  # [ohm] the fit, then three draws


@pytest.fixture(scope="module")
def logs(arm, servos):
    return [
        record(arm, servos, name, seconds=2.0, seed=k) for k, name in enumerate(("fast", "mixed"))
    ]


def test_bands_are_the_spread_of_the_draws_with_the_margin_of_each_joint(arm, servos, logs) -> None:
    coverage = {"margin_mrad": 1e3 * MARGIN, "margin_of_logs_mrad": 1e6, "samples": 0.91}
    known = {
        "R1": dataclasses.replace(
            servos["R1"],
            ensemble=Ensemble(("motor.R",), ROWS, 1),
            identification={"coverage": coverage},
        ),
        "R2": servos["R2"],
    }
    rig = robot_rig(arm, known, logs)
    inside = held(rig, rig.evaluate(logs))
    assert list(inside) == ["R1"]
    assert (inside["R1"].promised, inside["R1"].whole) == (0.91, 2)
    for log in logs:
        runs = []
        for (resistance,) in ROWS[1:]:
            one = servos["R1"].with_values({"motor.R": resistance}, "test", "assumed")
            made = robot_rig(arm, {**servos, "R1": one}, logs, how="separately").coarse()
            runs += [e.simulated for e in made.evaluate([log]).entries if e.joint == "R1"]
        low, high = np.quantile(runs, (0.05, 0.95), axis=0)
        measured = log.position[:, log.joints.index("R1")]
        within = (measured > low - MARGIN) & (measured < high + MARGIN)
        assert inside["R1"].logs[log.name] == pytest.approx(within.mean(), abs=0.01)
        assert 0.2 < within.mean() < 0.999


def test_files_without_draws_have_no_bands(arm, servos, logs) -> None:
    rig = robot_rig(arm, servos, logs)
    assert held(rig, rig.evaluate(logs)) == {}
