"""Many candidates at once move as each does alone, in a plain loop of MuJoCo's own step."""

import dataclasses

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.batch.candidates import ManyRobots, ManySettings
from pliant.engines.mujoco.batch.pools import BatchPool, FollowedPool, RolloutPool, has_batch
from pliant.io.robot_log import Recordings

BODY = "sw_segment_64"
JOINTS = ("R1", "R2")


def looped(path, servos, log, *, mass=1.0, voltage=None):
    """(N, J) The arm under the commands of `log`, whose samples are whole steps apart."""
    spec = mujoco.MjSpec.from_file(str(path))
    for entry in list(spec.actuators):
        spec.delete(entry)
    body = spec.body(BODY)
    body.mass, body.inertia = body.mass * mass, np.array(body.inertia) * mass
    if voltage is not None:
        servos = {
            j: a.with_values({"own.voltage": voltage}, "t", "assumed") for j, a in servos.items()
        }
    pliant.attach(spec, servos)
    for k, joint in enumerate(servos):
        spec.actuator(joint).group = k + 1
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = log.position[0]
    steps = round((log.time[1] - log.time[0]) / model.opt.timestep)
    out = np.empty_like(log.position)
    for k in range(len(log.time)):
        out[k] = data.qpos
        data.ctrl[:] = log.goal[k]
        off = [2 << j for j in range(2) if not log.enabled[k, j]]
        model.opt.disableactuator = sum(off)
        mujoco.mj_step(model, data, nstep=steps)
    return out


def together(path, servos, logs, values=None, **options):
    """(C, L, N, J) The same from the engine; `values` are changes of one candidate each."""
    robots = ManyRobots(path, servos, **options)
    recordings = Recordings(logs, JOINTS)
    candidates = np.tile(robots.values(), (len(values or [{}]), 1))
    for k, changes in enumerate(values or []):
        for name, value in changes.items():
            candidates[k, robots.names.index(name)] = value
    found, _ = robots.batch(candidates, recordings)
    count = len(logs[0].time)
    return found.reshape(len(candidates), len(logs), 2, count).transpose(0, 1, 3, 2)


def test_each_candidate_moves_as_in_a_loop_of_its_own(arm, servos, swings) -> None:
    logs = [swings("a"), swings("b", position=np.full((300, 2), 0.2))]
    changes = [
        {},
        {"R1.friction.K_cs": 0.2, "R2.motor.R": 4.5, "R1.control.kp": 20.0},
        {"R1.own.armature": 0.06, "R2.own.armature": 0.03, "R2.timing.delay": 0.02},
        {f"mass.{BODY}": 1.2},
    ]
    found = together(arm, servos, logs, changes, masses={BODY: 1.0}, longest_delay={"R2": 0.05})
    for change, runs in zip(changes, found, strict=True):
        own = {
            joint: a.with_values(
                {n.partition(".")[2]: x for n, x in change.items() if n.startswith(joint)},
                "t",
                "assumed",
            )
            for joint, a in servos.items()
        }
        for log, run in zip(logs, runs, strict=True):
            expected = looped(arm, own, log, mass=change.get(f"mass.{BODY}", 1.0))
            assert np.abs(run - expected).max() < 1e-5
    assert np.abs(found[1:] - found[0]).max(axis=(1, 2, 3)).min() > 1e-2


def test_torque_is_off_where_it_was(arm, servos, swings) -> None:
    enabled = np.ones((300, 2), bool)
    enabled[150:, 0] = False
    log = swings("off", enabled=enabled, position=np.full((300, 2), 0.5))
    run = together(arm, servos, [log])[0, 0]
    assert np.abs(run - looped(arm, servos, log)).max() < 1e-5
    on = together(arm, servos, [swings("on", position=log.position)])[0, 0]
    assert np.abs(run - on).max() > 0.1


def test_a_measured_supply_is_the_voltage_of_the_drives(arm, servos, swings) -> None:
    log = swings(supply=np.full(300, 9.0))
    low = together(arm, servos, [log], settings=ManySettings(supply="measured"))[0, 0]
    assert np.abs(low - looped(arm, servos, log, voltage=9.0)).max() < 1e-5
    nominal = together(arm, servos, [log])[0, 0]
    assert np.abs(nominal - looped(arm, servos, log)).max() < 1e-5
    assert np.abs(nominal - low).max() > 1e-2


def test_a_delay_of_half_a_step_counts_as_half(arm, servos, swings) -> None:
    changes = [{"R1.timing.delay": d} for d in (0.010, 0.011, 0.012)]
    runs = together(arm, servos, [swings()], changes, longest_delay={"R1": 0.05})[:, 0, :, 0]
    way = np.abs(runs[2] - runs[0]).max()
    assert way > 1e-3
    assert np.abs(runs[1] - 0.5 * (runs[0] + runs[2])).max() < 0.03 * way


def test_a_command_within_a_step_gets_its_share_of_the_step(arm, servos, swings) -> None:
    """Samples 3 ms apart on steps of 2 ms, against steps of 1 ms, at which nothing is shared."""
    log = swings(sample=3e-3)
    coarse = together(arm, servos, [log], settings=ManySettings(timestep=2e-3))[0, 0]
    finer = together(arm, servos, [log], settings=ManySettings(timestep=1e-3))[0, 0]
    whole = swings(sample=4e-3)
    usual = np.abs(
        together(arm, servos, [whole], settings=ManySettings(timestep=2e-3))
        - together(arm, servos, [whole], settings=ManySettings(timestep=1e-3))
    ).mean()  # what the step alone changes
    assert np.abs(coarse - finer).mean() < 1.1 * usual


def test_an_encoder_that_is_off_reads_less_by_its_offset(arm, servos, swings) -> None:
    true = swings(position=np.full((300, 2), 0.2))
    read = dataclasses.replace(
        true, name="read", position=true.position - [0.05, 0.0], goal=true.goal - [0.05, 0.0]
    )
    run = together(arm, servos, [read], [{"R1.position_offset": 0.05}])[0, 0]
    assert np.abs(run - looped(arm, servos, true) + [[0.05, 0.0]]).max() < 1e-5


@pytest.mark.parametrize("threads", [1, 2])
def test_rollout_moves_as_batch_does_on_any_number_of_threads(
    arm, servos, swings, threads, monkeypatch
) -> None:
    if not has_batch():
        pytest.skip("this MuJoCo has no Batch")
    log = swings(enabled=np.arange(600).reshape(300, 2) < 400)
    changes = [{}, {"R1.own.armature": 0.05, f"mass.{BODY}": 1.1}]
    runs = []
    for kind in (BatchPool, RolloutPool):
        monkeypatch.setattr(
            "pliant.engines.mujoco.batch.candidates.pool",
            lambda m, n, _, kind=kind: kind(m, n, threads),
        )
        runs.append(together(arm, servos, [log], changes, masses={BODY: 1.0}))
    assert np.abs(runs[0] - runs[1]).max() < 1e-6
    assert np.abs(runs[0][0] - runs[0][1]).max() > 1e-3


def test_a_robot_that_is_followed_moves_as_in_the_batch(arm, servos, swings) -> None:
    """With a heavier link, a supply that falls, and torque off for a while."""
    log = swings("a", supply=np.linspace(12.0, 6.0, 300))
    log.enabled[100:160, 0] = False
    options = {"masses": {BODY: 1.2}, "settings": ManySettings(supply="measured")}
    (shown,) = together(arm, servos, [log], **options)[0]
    robots = ManyRobots(arm, servos, **options)
    sim, told = FollowedPool(robots.robot.model), []
    sim.note = lambda data: told.append((data.time, *data.qpos))
    robots.follow(log, sim)
    time, *moved = np.array(told).T
    seen = np.column_stack([np.interp(log.time, time, one) for one in moved])
    np.testing.assert_allclose(seen, shown, atol=1e-6)


def test_a_joint_without_an_actuator_follows_its_recording(arm, servos, swings) -> None:
    """The other joint then moves as if both were driven."""
    log = swings()
    moved = dataclasses.replace(log, position=looped(arm, servos, log))
    alone = ManyRobots(arm, {"R1": servos["R1"]}, led=["R2"])
    still = dataclasses.replace(moved, name="still", position=moved.position * [1.0, 0.0])
    recordings = Recordings([moved, still], ["R1"])
    found, _ = alone.batch(alone.values()[None], recordings)
    led, other = np.split(found[0], 2)
    assert np.abs(led - moved.position[:, 0]).mean() < 0.5e-3
    assert np.abs(other - moved.position[:, 0]).mean() > 10e-3


def test_unstable_candidates_are_lost_without_a_word(
    arm, servos, swings, capfd, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wild = {"R2.own.armature": 0.0, "R2.motor.k_t": 30.0, f"mass.{BODY}": 1e-3}
    runs = together(
        arm,
        servos,
        [swings()],
        [{}, wild],
        masses={BODY: 1.0},
        settings=ManySettings(timestep=4e-3),
    )
    assert np.isfinite(runs[0]).all()
    assert not np.abs(runs[1]).max() < 10.0
    assert capfd.readouterr().err == ""
    assert not list(tmp_path.iterdir())


def test_what_the_model_lacks_is_named(arm, servos) -> None:
    with pytest.raises(
        pliant.PliantError, match=r"2r_mx.xml: joint: no such joint in the model; found 'R3'"
    ):
        ManyRobots(arm, {"R3": servos["R1"]})
    with pytest.raises(pliant.PliantError, match="mass: no such body with mass; found 'x'"):
        ManyRobots(arm, servos, masses={"x": 1.0})
