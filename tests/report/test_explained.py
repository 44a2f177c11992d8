"""Each cause of an error is planted in a recording, and told with its size."""

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.io.robot_log import RobotLog
from pliant.report.explained import CAUSES, ExplainedTrace, explained, in_words, of_joint
from pliant.robots.identify import robot_rig

SERVO = pliant.load_actuator("mx106_bam_m4").with_values(
    {"motor.R": 2.0, "motor.k_t": 2.0}, "", "assumed"
)
MODEL = """<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>
<geom name="table" type="box" size="1 1 0.1" pos="0 0 -0.32"/>
<body><joint name="base" axis="0 0 1"/><geom size="0.01" mass="1"/>
<body><joint name="j" axis="0 1 0" range="-1.2 2.5"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.5"/></body></body>
</worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "arm.xml"
    path.write_text(MODEL)
    return path


def simulated(model: Path, goal: np.ndarray, time: np.ndarray) -> RobotLog:
    """A plain loop of MuJoCo: attach, tell, step; from the first goal, at rest."""
    spec = mujoco.MjSpec.from_file(str(model))
    pliant.attach(spec, {"j": SERVO})
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    data.qpos[1] = goal[0]
    position = np.empty((len(time), 1))
    for n, t in enumerate(time):
        while data.time < t - 1e-9:
            data.ctrl[:] = goal[np.searchsorted(time, data.time + 1e-9, side="right") - 1]
            mujoco.mj_step(compiled, data)
        position[n] = data.qpos[1]
    speed = np.gradient(position, time, axis=0) * 0.0
    return RobotLog(
        "run", ("j",), time, position, goal[:, None], speed, np.ones((len(time), 1), bool)
    )


def told(model: Path, log: RobotLog, **offsets: float) -> ExplainedTrace:
    rig = robot_rig(model, {"j": SERVO}, [log])
    (found,) = explained(rig.holding({f"j.{n}": x for n, x in offsets.items()}), [log])
    assert sum(found.parts.values()) == pytest.approx(found.mae, rel=1e-9)
    assert found.mae == pytest.approx(np.abs(found.entry.residual).mean(), rel=1e-9)
    return found


TIME = np.arange(0.0, 6.0, 0.01)
SINE = -0.5 + 0.3 * np.sin(2.0 * TIME)


def test_a_recording_that_is_late_is_told_as_a_delay(model: Path) -> None:
    log = simulated(model, SINE, TIME)
    late = np.interp(TIME - 0.03, TIME, log.position[:, 0])[:, None]
    found = told(model, dataclasses.replace(log, position=late))
    assert found.main == "delay" and found.parts["delay"] > 0.8 * found.mae
    assert found.delay == pytest.approx(0.03, abs=0.003)
    assert "30 ms later" in in_words(found)


def test_an_error_at_rest_is_a_settling_gap_of_that_size(model: Path) -> None:
    goal = np.where(TIME < 1.0, -0.6, -0.3)
    log = simulated(model, goal, TIME)
    after = np.where(TIME[:, None] > 3.0, 0.02, 0.0)
    found = told(model, dataclasses.replace(log, position=log.position + after))
    moved = after[(TIME > 3.3), 0].sum() / len(TIME)  # not yet at rest before
    assert found.parts["settling gap"] == pytest.approx(moved, rel=0.02)
    measured, own = found.gaps
    rests = found.cause == CAUSES.index("settling gap")
    assert measured == pytest.approx(np.abs(log.position[:, 0] + after[:, 0] - goal)[rests].mean())
    assert own == pytest.approx(np.abs(log.position[:, 0] - goal)[rests].mean(), abs=2e-4)


def test_a_motor_at_its_limit_is_saturated_and_knows_it(model: Path) -> None:
    """Torque at full duty: k_t / R (V - k_t v)."""
    goal = np.where((TIME % 2.0) < 1.0, -1.0, 0.5)
    log = simulated(model, goal, TIME)
    found = told(model, dataclasses.replace(log, position=0.9 * log.position - 0.1))
    full = found.cause == CAUSES.index("saturation")
    assert 0.02 < full.mean() < 0.5 and found.parts["saturation"] > 0.0
    v = np.gradient(log.position[:, 0], TIME)
    volts = SERVO.value("own.voltage") * SERVO.value("control.limit")
    least = volts - 2.0 * np.abs(v)
    steady = full & (np.abs(np.gradient(v, TIME)) < 20.0)
    assert steady.any()
    np.testing.assert_allclose(found.most[steady], least[steady], rtol=0.1)


def test_a_press_on_the_table_is_contact_and_so_is_a_stop(model: Path) -> None:
    for goal, where in ((1.2, 0.73), (-1.5, -1.2)):  # the table, and the end of the range
        course = np.where(TIME < 1.0, 0.0, goal)
        log = simulated(model, course, TIME)
        assert log.position[-1, 0] == pytest.approx(where, abs=0.1)
        found = told(model, dataclasses.replace(log, position=log.position + 0.004))
        assert (found.cause[TIME > 3.0] == CAUSES.index("contact")).all()
        assert found.main == "contact" and (found.cause[TIME < 0.9] != 0).all()
        shifted = dataclasses.replace(log, position=log.position - 0.04, goal=log.goal - 0.04)
        again = told(model, shifted, position_offset=0.04, command_offset=0.04)
        np.testing.assert_array_equal(again.cause[TIME > 3.0], 0)
        assert np.count_nonzero(again.cause == 0) == np.count_nonzero(found.cause == 0)


def test_of_several_recordings_each_counts_the_same(model: Path) -> None:
    log = simulated(model, SINE, TIME)
    late = [np.interp(TIME - t, TIME, log.position[:, 0])[:, None] for t in (0.01, 0.03)]
    found = [told(model, dataclasses.replace(log, position=one)) for one in late]
    both = of_joint(found, "j")
    assert both.mae == pytest.approx(np.mean([one.mae for one in found]))
    weights = [one.parts["delay"] for one in found]
    assert both.delay == pytest.approx(np.average([one.delay for one in found], weights=weights))
    assert np.isnan(both.gaps[0]) and "rests" not in in_words(both)
