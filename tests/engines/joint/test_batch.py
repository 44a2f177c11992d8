"""Many candidates on many logs: in order, on threads, each with what its log states."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

from joint.bench import ARMATURE, K_T, G, R, U, grid, position_servo, recorded
from pliant.assemble import Number
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.io.log import Log


def logs() -> list[Log]:
    """Three that differ in everything a log can say."""
    times = (grid(0.6, 0.005), grid(0.9, 0.004), grid(0.3, 0.007))
    said = ({"mass": 0.2, "gain": 1.0}, {"length": 0.15, "supply": 9.0}, {"arm_mass": 0.1})
    return [recorded(t, np.sin(7.0 * t), begin=0.1, **s) for t, s in zip(times, said, strict=True)]


def candidates(engine: JointEngine, count: int = 7) -> np.ndarray:
    values = np.repeat(engine.values()[None], count, axis=0)
    values[:, engine.names.index("friction.K_c")] = np.linspace(0.0, 0.2, count)
    values[:, engine.names.index("motor.R")] = np.linspace(1.0, 4.0, count)
    return values


@pytest.fixture(scope="module")
def engine() -> JointEngine:
    return JointEngine(position_servo())


def test_each_row_is_a_candidate_and_each_part_a_log(engine: JointEngine) -> None:
    runs, values = logs(), candidates(engine)
    positions, _ = engine.batch(values, batch := LogBatch(runs, engine))
    assert positions.shape == (7, sum(len(log.time) for log in runs))
    parts = batch.per_block(positions)
    assert [part.shape[1] for part in parts] == [len(log.time) for log in runs]
    for log, part in zip(runs, parts, strict=True):
        for row, one in zip(part, values, strict=True):
            np.testing.assert_allclose(row, engine.rollout(log, one).position, rtol=0, atol=1e-13)


@pytest.mark.parametrize("threads", [2, 5, 40, None])
def test_threads_share_out_the_work_and_change_no_bit(
    engine: JointEngine, threads: int | None
) -> None:
    batch = LogBatch(logs(), engine)
    alone, steps = engine.batch(candidates(engine), batch, threads=1)
    shared, same = engine.batch(candidates(engine), batch, threads=threads)
    np.testing.assert_array_equal(shared, alone)
    assert same == steps


def test_steps_are_counted(engine: JointEngine) -> None:
    """Each of 100 intervals of 5 ms in five steps of 1 ms, for two candidates."""
    batch = LogBatch([recorded(grid(0.5, 0.005), 0.0)], engine)
    assert engine.batch(candidates(engine, 2), batch)[1] == 2 * 100 * 5


def test_a_candidate_that_overflows_ends_and_leaves_the_others_as_they_are(
    engine: JointEngine,
) -> None:
    values = candidates(engine)
    batch = LogBatch(logs(), engine)
    good, _ = engine.batch(values, batch)
    column = engine.names.index
    values[1, column("motor.k_t")] = 1e12
    values[2, column("motor.R")] = 0.0
    values[4, column("friction.K_v")] = np.nan
    values[5, column("timing.delay")] = np.nan
    values[6, column("own.armature")] = np.inf
    mixed, _ = engine.batch(values, batch, threads=2)
    np.testing.assert_array_equal(mixed[[0, 3]], good[[0, 3]])
    assert not np.isfinite(mixed[[1, 2]]).all(axis=1).any()


def held(log: Log, q_0: float = 0.0, arm_mass: float = 0.0) -> float:
    """Angle at which k_t U kp (goal - q) / R balances (m + m_arm / 2) g l sin(q + q_0)."""
    weight = (log.mass + arm_mass / 2) * G * log.length
    supply = log.supply or U

    def balance(q: float) -> float:
        return K_T * supply / R * log.gain * (log.goal[-1] - q) - weight * np.sin(q + q_0)

    return float(brentq(balance, -1.0, 2.0, xtol=1e-13))


def test_mass_length_gain_and_supply_are_each_logs_own(engine: JointEngine) -> None:
    time = grid(6.0, 0.01)
    basis = recorded(time, 0.8, gain=1.0)
    said = (
        {},
        {"mass": 0.9},
        {"length": 0.17},
        {"gain": 0.6},
        {"supply": 8.0},
        {"mass": 0.3, "length": 0.2, "gain": 2.0},
    )
    runs = [replace(basis, **changes) for changes in said]
    batch = LogBatch(runs, engine)
    given = engine.values({"plant.mass": 5.0, "plant.length": 3.0, "control.kp": 77.0})
    ends = [part[0, -1] for part in batch.per_block(engine.batch(given[None], batch)[0])]
    np.testing.assert_allclose(ends, [held(log) for log in runs], atol=1e-9)
    assert len(set(np.round(ends, 3))) == len(runs)


def test_the_arms_mass_is_the_logs_or_else_the_benchs(engine: JointEngine) -> None:
    """In a mixed set too: what one log leaves open does not change what another states."""
    basis = recorded(grid(6.0, 0.01), 0.8, gain=1.0)
    runs = [basis, replace(basis, arm_mass=0.3), replace(basis, arm_mass=0.0)]
    batch = LogBatch(runs, engine)
    given = engine.values({"plant.arm_mass": 0.12})
    ends = [part[0, -1] for part in batch.per_block(engine.batch(given[None], batch)[0])]
    expected = [held(basis, arm_mass=arm) for arm in (0.12, 0.3, 0.0)]
    np.testing.assert_allclose(ends, expected, atol=1e-9)
    for log, end in zip(runs, ends, strict=True):
        assert engine.rollout(log, given).position[-1] == end
    assert batch.stated == {"plant.mass", "plant.length", "control.kp"}
    assert LogBatch(runs[1:], engine).stated >= {"plant.arm_mass"}


def test_an_arm_is_a_rod_in_the_inertia_and_hangs_at_its_middle(engine: JointEngine) -> None:
    """Free swings: T = 4 sqrt(J / w) K, J = (m + m_a / 3) l^2 + armature, w = (m + m_a / 2) g l."""
    begin, mass, length, arm = 0.9, 0.3, 0.12, 0.2
    inertia = (mass + arm / 3) * length**2 + ARMATURE
    weight = (mass + arm / 2) * G * length
    period = 4.0 * np.sqrt(inertia / weight) * ellipk(np.sin(begin / 2) ** 2)
    time = np.linspace(0.0, 10.0 * period, 4001)
    log = recorded(time, 0.0, begin=begin, enabled=False, mass=mass, length=length, arm_mass=arm)
    q = engine.rollout(log).position
    np.testing.assert_allclose(q[::400], begin, atol=2e-3)
    np.testing.assert_allclose(q[200::400], -begin, atol=2e-3)


def test_the_mounting_error_turns_gravity(engine: JointEngine) -> None:
    log = recorded(grid(6.0, 0.01), 0.8, gain=1.0)
    end = engine.rollout(log, engine.values({"plant.position_offset": 0.15})).position[-1]
    assert end == pytest.approx(held(log, q_0=0.15), abs=1e-9)


def test_the_benchs_numbers_come_from_the_actuators_file() -> None:
    servo = position_servo()
    offset = Number(0.15, "rad", "test", "identified")
    benched = JointEngine(replace(servo, bench={"position_offset": offset}))
    assert benched.values()[benched.names.index("plant.position_offset")] == 0.15
    log = recorded(grid(6.0, 0.01), 0.8, gain=1.0)
    assert benched.rollout(log).position[-1] == pytest.approx(held(log, q_0=0.15), abs=1e-9)


def test_a_parameter_that_is_not_there_is_refused_with_the_nearest(engine: JointEngine) -> None:
    with pytest.raises(PliantError) as caught:
        engine.values({"motor.kt": 1.0})
    assert str(caught.value).startswith(
        "no such parameter; found 'motor.kt'; did you mean 'motor.k_t'"
    )


def test_no_logs_are_refused(engine: JointEngine) -> None:
    with pytest.raises(PliantError) as caught:
        LogBatch([], engine)
    assert str(caught.value) == "no logs; accepted: at least one"


def test_a_log_without_a_goal_to_follow_is_refused(engine: JointEngine) -> None:
    """Its goal is 0 throughout, which no firmware was told."""
    log = replace(recorded(grid(0.1, 0.01), 0.0), driven="torque", path=Path("ak80.csv"))
    with pytest.raises(PliantError) as caught:
        engine.rollout(log)
    assert str(caught.value) == (
        "ak80.csv: driven: records no goal to follow; found 'torque'; "
        "accepted: a log of commanded positions"
    )
