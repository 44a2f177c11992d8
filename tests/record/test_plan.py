"""Plans: what they settle, what they leave out, and what is recorded already."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs, read_log
from pliant.record.design import MOTIONS, USUAL, motion
from pliant.record.plan import Limits, Planner, Run, candidates, simulated

NAMES = ["friction.K_c", "friction.K_v", "motor.R"]


def planner() -> Planner:
    return Planner(load_actuator("xl330_bam_m1"), Limits(reach=1.0), NAMES)


@pytest.fixture(scope="module")
def steps():
    runs = candidates([400.0], [0.2], 0.1)[:8]
    return list(planner().next(runs, 3))


def test_intervals_only_get_narrower(steps) -> None:
    for before, after in pairwise(steps):
        assert all(after.widths[name] <= before.widths[name] for name in NAMES)
    assert set(steps[0].widths) == set(NAMES)


def test_what_is_recorded_already_counts() -> None:
    actuator = load_actuator("xl330_bam_m1")
    run = Run(MOTIONS["fast"], 400.0, 0.2, 0.1)
    log = simulated(actuator, run, Limits(reach=1.0))
    assert log is not None
    planned = planner()
    planned.recorded([log])
    once = planned.widths()
    planned.recorded([log])
    twice = planned.widths()
    assert all(twice[name] < once[name] for name in NAMES)


def test_a_plan_knows_every_parameter_at_least_as_well_as_the_usual_four_in_the_same_time() -> None:
    """Of the usual four, the information counted by their runs; a plan's share of it for its length."""
    usual, plan = planner(), planner()
    runs = [Run(motion, 400.0, 0.2, 0.1) for motion in USUAL.values()]
    logs = [simulated(usual.actuator, run, Limits(reach=1.0)) for run in runs]
    informed = sum(usual.information(log) for log in logs if log is not None)
    steps = list(plan.next(candidates([400.0], [0.2], 0.1)[:10], seconds=24.0))
    spent = sum(step.run.motion.seconds for step in steps)
    assert 18.0 < spent <= 24.0
    usual.known = usual.known + informed * spent / 24.0
    widths = usual.widths()
    assert all(steps[-1].widths[name] <= 1.02 * widths[name] for name in NAMES)


def test_limits_leave_runs_out() -> None:
    run = Run(MOTIONS["full"], 400.0, 0.2, 0.1)
    actuator = load_actuator("xl330_bam_m1")
    assert simulated(actuator, run, Limits()) is not None
    assert simulated(actuator, run, Limits(torque=0.05)) is None
    narrow = Planner(actuator, Limits(torque=1e-6), NAMES)
    with pytest.raises(PliantError, match="every run exceeds the limits"):
        next(narrow.next([run], 1))


def test_the_usual_four_are_those_of_the_published_recordings() -> None:
    """Their largest goal, 1.76 rad, is the range; the recorder stamped goals to about a millisecond."""
    for log in [read_log(path) for path in example_logs()][:4]:
        assert log.trajectory is not None
        one = USUAL[log.trajectory]
        goals = np.array([one.goal(t, 1.76) for t in log.time])
        assert np.abs(goals - log.goal)[log.time < 5.99].max() < 5e-3, one.name
        assert np.mean([one.enabled(t) for t in log.time] == log.enabled) > 0.9, one.name


def test_motions_stay_in_their_range() -> None:
    for one in [*MOTIONS.values(), *USUAL.values(), motion("sine:2:0.3")]:
        goals = [one.goal(t, 1.0) for t in np.linspace(0.0, one.seconds, 2001)[:-1]]
        assert max(map(abs, goals)) <= 1.0 + 1e-12, one.name
    assert max(abs(motion("sine:2:0.3").goal(t, 2.0)) for t in np.arange(0, 1, 0.01)) <= 0.6
    assert replace(MOTIONS["drop"], seconds=2.0).enabled(0.9)
    assert not replace(MOTIONS["drop"], seconds=2.0).enabled(1.1)


@pytest.mark.parametrize("name", ["sine:0:1", "sine:2:2", "sine:x:1", "slwo", "sine"])
def test_a_motion_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(PliantError, match="no such motion"):
        motion(name)
