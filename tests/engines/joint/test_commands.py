"""Inputs that the engine reads from a log: commands and their times, supply, sample times."""

from dataclasses import replace

import numpy as np
import pytest

from joint.bench import G, bare_motor, grid, position_servo, recorded, run
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.errors import PliantError

RATE = 0.005
TIME = grid(1.5, RATE)


def steps(time: np.ndarray) -> np.ndarray:
    """A command that changes at each sample."""
    return 0.6 * np.sin(4.0 * time) + 0.3 * np.sign(np.sin(9.0 * time))


def shifted(goal: np.ndarray, samples: int) -> np.ndarray:
    """The same commands so many samples later; before, the first one."""
    return np.concatenate([np.full(samples, goal[0]), goal[: len(goal) - samples]])


@pytest.mark.parametrize("samples", [0, 1, 3, 20])
def test_a_delay_of_whole_samples_is_the_log_with_later_commands(samples: int) -> None:
    goal = steps(TIME)
    delayed = run(position_servo(), recorded(TIME, goal), changes={"timing.delay": samples * RATE})
    later = run(position_servo(), recorded(TIME, shifted(goal, samples)))
    np.testing.assert_array_equal(delayed, later)


def test_a_delay_of_part_of_a_sample_acts_within_the_sample() -> None:
    """2.4 samples: the same as 12 samples of a log with five for each."""
    goal, fine = steps(TIME), grid(1.5, RATE / 5)
    held = np.repeat(goal, 5)[: len(fine)]
    delayed = run(position_servo(), recorded(TIME, goal), changes={"timing.delay": 2.4 * RATE})
    later = run(position_servo(), recorded(fine, shifted(held, 12)))
    np.testing.assert_allclose(delayed, later[::5], atol=1e-12)


def test_a_delay_finds_its_commands_among_irregular_samples() -> None:
    """In each step of 1 ms: the mean of what was given in the same span of time 20.4 ms before."""
    time = np.concatenate([grid(0.05, 1e-3), 0.05 + grid(0.6, 0.01)[1:]])
    goal = steps(3.0 * time)
    area = np.concatenate([[0.0], np.cumsum(np.diff(time) * goal[:-1])])
    fine = grid(0.65, 1e-3)
    ends = np.interp(fine - 0.0204, time, area) + goal[0] * np.minimum(fine - 0.0204, 0.0)
    acting = np.append(np.diff(ends) / np.diff(fine), goal[-1])
    delayed = run(position_servo(), recorded(time, goal), changes={"timing.delay": 0.0204})
    later = run(position_servo(), recorded(fine, acting))
    np.testing.assert_allclose(delayed, np.interp(time, fine, later), atol=1e-6)


def test_a_delay_of_part_of_a_step_acts_for_its_part_of_it() -> None:
    """Steps of 5 ms, 2.4 of them late: 0.4 of each with the command three steps back."""
    goal = steps(TIME)
    older, newer = shifted(goal, 3), shifted(goal, 2)
    delayed = run(
        position_servo(), recorded(TIME, goal), max_step=RATE, changes={"timing.delay": 2.4 * RATE}
    )
    mean = run(position_servo(), recorded(TIME, 0.4 * older + 0.6 * newer), max_step=RATE)
    np.testing.assert_allclose(delayed, mean, atol=1e-6)


def test_commands_hold_until_the_next_sample_or_move_linearly_to_it() -> None:
    goal, fine = steps(TIME), grid(1.5, RATE / 5)
    held = run(position_servo(), recorded(TIME, goal))
    linear = run(position_servo(), recorded(TIME, goal), hold=False)
    stairs = run(position_servo(), recorded(fine, np.repeat(goal, 5)[: len(fine)]))
    ramps = run(position_servo(), recorded(fine, np.interp(fine, TIME, goal)))
    np.testing.assert_allclose(held, stairs[::5], atol=1e-12)
    np.testing.assert_allclose(linear, ramps[::5], atol=1e-6)
    assert np.abs(held - linear).max() > 1e-3


def test_a_linear_command_is_late_by_its_delay_too() -> None:
    """A ramp of 2 rad/s that acts 7.3 ms late is lower by 14.6 mrad, once it has begun."""
    ramp = recorded(TIME, 2.0 * TIME)
    late = run(position_servo(), ramp, hold=False, changes={"timing.delay": 7.3e-3})
    lower = replace(ramp, goal=2.0 * TIME - 2.0 * 7.3e-3)
    np.testing.assert_allclose(late[-1], run(position_servo(), lower, hold=False)[-1], atol=1e-5)


def test_the_times_of_the_samples_may_be_irregular() -> None:
    """Samples at random multiples of 0.1 ms, against a uniform 0.1 ms grid with held commands."""
    rng = np.random.default_rng(4)
    ticks = np.cumsum([0, *rng.integers(1, 130, 250)])
    time, fine = 1e-4 * ticks, 1e-4 * np.arange(ticks[-1] + 1)
    goal = steps(time)
    held = goal[np.searchsorted(ticks, np.arange(len(fine)), side="right") - 1]
    coarse = run(position_servo(), recorded(time, goal), max_step=1e-4)
    np.testing.assert_allclose(
        coarse, run(position_servo(), recorded(fine, held), max_step=1e-4)[ticks], atol=1e-11
    )


def test_steps_are_equal_all_along_irregular_samples() -> None:
    """2 ms, against a log of the same commands and torque that has its samples at those steps."""
    rng = np.random.default_rng(7)
    ticks = np.cumsum([0, *rng.integers(1, 130, 250)])
    ticks = np.append(ticks, 20 * (ticks[-1] // 20 + 1))  # [0.1 ms] twenty a step
    on = np.sin(9.0 * 1e-4 * ticks) > -0.8
    log = recorded(1e-4 * ticks, steps(1e-4 * ticks), enabled=on)
    last = np.searchsorted(ticks, np.arange(ticks[-1]), side="right") - 1  # sample, tick by tick
    mean = log.goal[last].reshape(-1, 20).mean(axis=1)
    grid_time = 2e-3 * np.arange(len(mean) + 1)
    middle = np.append(on[last].reshape(-1, 20)[:, 10], on[-1])
    on_grid = recorded(grid_time, np.append(mean, mean[-1]), enabled=middle)
    motion = run(position_servo(), on_grid, max_step=2e-3)
    np.testing.assert_allclose(
        run(position_servo(), log, max_step=2e-3), np.interp(log.time, grid_time, motion), atol=1e-7
    )


def test_samples_closer_than_a_step_have_the_torques_of_the_step_they_are_in() -> None:
    time = np.concatenate([grid(0.1, 2e-4), 0.1 + grid(1.0, 5e-3)[1:]])
    log = recorded(time, 0.3, begin=0.3)
    torque = JointEngine(position_servo()).rollout(log).torque
    still = -log.mass * G * log.length * np.sin(0.3)
    np.testing.assert_allclose(torque[:5, 1], still)
    assert (torque[:-1, 1] != 0.0).all()


def test_no_step_is_longer_than_the_samples_are_apart() -> None:
    log = recorded(TIME, steps(TIME))
    one, half = (run(position_servo(), log, max_step=h) for h in (RATE, 0.5 * RATE))
    np.testing.assert_allclose(run(position_servo(), log, max_step=1.0), one, atol=1e-12)
    assert np.abs(one - half).max() > 1e-4


def test_the_supply_is_what_the_log_states_or_the_actuator_has() -> None:
    """Without friction and load a duty's speed is proportional to the voltage."""
    inertia = {"plant.inertia": 0.02}

    def moved(supply: float | None) -> np.ndarray:
        log = recorded(TIME, 0.5, supply=supply, voltage=np.full(len(TIME), 3.0))
        return run(bare_motor(), log, plant="inertia", changes=inertia)

    np.testing.assert_allclose(moved(6.0), 0.5 * moved(12.0), rtol=1e-12)
    np.testing.assert_array_equal(moved(None), moved(12.0))


def test_the_measured_supply_is_taken_only_where_it_is_asked_for_and_recorded() -> None:
    sag = np.where(TIME < 0.5, 12.0, 7.0)
    log = recorded(TIME, steps(TIME), voltage=sag)
    nominal = run(position_servo(), log)
    measured = run(position_servo(), log, supply="measured")
    np.testing.assert_array_equal(
        measured[: np.argmax(sag < 12.0) + 1], nominal[: np.argmax(sag < 12.0) + 1]
    )
    assert np.abs(measured - nominal).max() > 0.01
    weak = run(position_servo(), replace(log, voltage=np.full(len(TIME), 7.0)), supply="measured")
    np.testing.assert_array_equal(weak, run(position_servo(), replace(log, supply=7.0)))
    missing = run(position_servo(), replace(log, voltage=None), supply="measured")
    np.testing.assert_array_equal(missing, nominal)


def test_a_joint_begins_at_the_first_sample_and_at_rest() -> None:
    log = recorded(TIME, 0.4, begin=0.4, gain=0.0, velocity=np.full(len(TIME), 3.0))
    q = run(
        bare_motor(),
        replace(log, goal=np.zeros(len(TIME))),
        plant="inertia",
        changes={"plant.inertia": 0.02},
    )
    np.testing.assert_array_equal(q, 0.4)


@pytest.mark.parametrize("step", [0.0, -1e-3, float("nan"), float("inf")])
def test_a_step_that_is_none_is_refused(step: float) -> None:
    with pytest.raises(PliantError) as caught:
        JointSettings(max_step=step)
    assert str(caught.value) == f"max_step: not a step; found {step!r}; accepted: 1e-07 s or more"
