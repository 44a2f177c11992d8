"""Plans: against the information of runs computed anew, by finite differences of a simulation apart."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pliant.engines.joint.engine import JointEngine
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.record.motions import MOTIONS, motion
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


def test_the_first_run_is_the_one_of_the_largest_determinant(steps) -> None:
    """Derivatives in SI units here: the determinant's order does not depend on the chart."""
    actuator = load_actuator("xl330_bam_m1")
    engine = JointEngine(actuator)
    found = {}
    for run in candidates([400.0], [0.2], 0.1)[:8]:
        log = simulated(actuator, run, Limits(reach=1.0))
        assert log is not None
        columns = []
        for name in NAMES:
            value = actuator.value(name)
            ends = [
                engine.rollout(log, engine.values({name: value * f})).position for f in (0.98, 1.02)
            ]
            columns.append((ends[1] - ends[0]) / 0.04)
        jacobian = np.column_stack(columns)
        found[run.motion.name] = np.linalg.slogdet(jacobian.T @ jacobian / run.motion.seconds)[1]
    best = sorted(found, key=found.__getitem__, reverse=True)
    assert steps[0].run.motion.name in best[:3]


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


def test_limits_leave_runs_out() -> None:
    run = Run(MOTIONS["full"], 400.0, 0.2, 0.1)
    actuator = load_actuator("xl330_bam_m1")
    assert simulated(actuator, run, Limits()) is not None
    assert simulated(actuator, run, Limits(torque=0.05)) is None
    narrow = Planner(actuator, Limits(torque=1e-6), NAMES)
    with pytest.raises(PliantError, match="every run goes beyond the limits"):
        next(narrow.next([run], 1))


def test_motions_stay_in_their_range() -> None:
    for one in [*MOTIONS.values(), motion("sine:2:0.3")]:
        goals = [one.goal(t, 1.0) for t in np.linspace(0.0, one.seconds, 2001)[:-1]]
        assert max(map(abs, goals)) <= 1.0 + 1e-12, one.name
    assert max(abs(motion("sine:2:0.3").goal(t, 2.0)) for t in np.arange(0, 1, 0.01)) <= 0.6
    assert replace(MOTIONS["drop"], seconds=2.0).enabled(0.9)
    assert not replace(MOTIONS["drop"], seconds=2.0).enabled(1.1)


@pytest.mark.parametrize("name", ["sine:0:1", "sine:2:2", "sine:x:1", "slwo", "sine"])
def test_a_motion_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(PliantError, match="no such motion"):
        motion(name)
