"""One policy, trained with three kinds of actuators, tested on a servo that none of them has seen.

The task: two XL330 swing the arm of `ServoReach` along sines of other size, speed and phase in each
episode. The policy is five numbers, found by CMA-ES: how far it looks ahead [s], how much it adds of
the error, how much it damps [s], how much it lifts against gravity [rad], and how much it pushes
along the motion, against dry friction [rad]. The kinds: MuJoCo's ideal position actuator; the same
with stiffness, damping, rotor inertia and dry friction drawn anew in each simulation; and the servo
that Pliant identified, with the parameters that half of the recordings allow. The judge is
identified from the other half, with another friction model; each half has every gain and every
trajectory. A policy trained on the judge itself is shown for comparison. The transfer is simulated,
not on a robot.

    pip install cmaes
    python examples/policy_transfer/study.py [--generations N] [--seeds N] [--figure FILE.png]
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from cmaes import CMA
from mujoco.batch import Batch

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator, with_law
from pliant.envs.arms import ARMS, JOINTS, TIMESTEP
from pliant.identification import SearchSettings, identify
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.log import Log, example_logs

FRAME, ACTIONS, EPISODES = 10, 75, 16
"""Engine steps of 2 ms for an action; actions of an episode; episodes that judge a policy."""
POPULATION = 12
SCALE = np.array([0.03, 0.5, 0.03, 0.1, 0.1])
"""Of the policy's numbers, for the search."""
DRY = 0.1
"""Dry friction of the randomised ideal actuator: 0 to this part of its stall torque."""
REVERSAL = 0.2
"""[rad/s] Above this speed the push along the motion is whole."""
STEP = 2.0 * np.pi / 4096
"""[rad] Step of the encoders; a policy's observations are one action old, as over a bus."""
MOST = 1.0
"""[rad] A worse error counts as this one."""
ARM = ARMS["ServoReach"]
BRIEF = SearchSettings(starts=2, jacobians=20)
Draw = Callable[[Any, np.random.Generator], None]


def servos(logs: list[Log]) -> tuple[Actuator, dict[str, Floats], Actuator]:
    """The servo identified on half of the logs, its draws, and the judge from the other half."""
    base = pliant.load_actuator("xl330_bam_m6")
    base = with_law(with_law(base, "timing", "command_delay"), "driver", "pulsed_supply")
    half, other = halves(logs)
    found = identify(base, half, search_settings=BRIEF)
    sure = intervals(found)
    rows = sure.draws(64, seed=1)
    draws = {
        name: rows[:, k] for k, name in enumerate(sure.space.names) if name in found.actuator.fields
    }
    judge = identify(with_law(base, "friction", "m4"), other, search_settings=BRIEF)
    for what, one, unseen in (("trained on", found, other), ("the judge", judge, half)):
        error = 1e3 * one.rig.evaluate(unseen).mae
        print(f"{what}: {1e3 * one.fitted.mae:.1f} mrad on its own logs, {error:.1f} on the others")
    return found.actuator, draws, judge.actuator


def halves(logs: list[Log]) -> tuple[list[Log], list[Log]]:
    """Every other log of every gain, and the rest: both have every gain and every trajectory."""
    gains = sorted({log.gain for log in logs})
    kinds = sorted({log.trajectory for log in logs})
    first = [(gains.index(o.gain) + kinds.index(o.trajectory)) % 2 == 0 for o in logs]
    return (
        [log for log, one in zip(logs, first, strict=True) if one],
        [log for log, one in zip(logs, first, strict=True) if not one],
    )


def measured(actuator: Actuator) -> tuple[mujoco.MjModel, Any]:
    """The arm with an actuator of Pliant on both joints."""
    return ARM.model(dict.fromkeys(JOINTS, actuator))


def ideal(actuator: Actuator, dry: float = 0.0) -> mujoco.MjModel:
    """The arm with MuJoCo's position actuators of the servo's stiffness and back-EMF.

    `dry` is friction, as a part of the stall torque.
    """
    spec = ARM.spec()
    k_t, resistance = actuator.value("motor.k_t"), actuator.value("motor.R")
    gain = actuator.value("control.gain") * actuator.value("control.kp")
    stiffness = gain * actuator.value("own.voltage") * k_t / resistance
    for name in JOINTS:
        spec.joint(name).armature = actuator.value("own.armature")
        stall = actuator.value("own.voltage") * k_t / resistance
        spec.joint(name).frictionloss = dry * stall
        made = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        made.gaintype, made.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        made.gainprm[0] = stiffness
        made.biasprm[1], made.biasprm[2] = -stiffness, -(k_t**2) / resistance
    return spec.compile()


def spread_of(many: Any) -> Draw:
    """Stiffness, damping and rotor inertia within 30 %, dry friction up to `DRY`, in each simulation."""
    gain, bias = many.expand("actuator_gainprm"), many.expand("actuator_biasprm")
    rotor, friction = many.expand("dof_armature"), many.expand("dof_frictionloss")
    first_gain, first_bias, first_rotor = gain.copy(), bias.copy(), rotor.copy()
    most = friction.copy()

    def draw(_: Any, random: np.random.Generator) -> None:
        shape: tuple[int, int] = gain.shape[:2]
        k = random.uniform(0.7, 1.3, (*shape, 1))
        gain[:] = first_gain * k
        bias[:] = first_bias * k
        bias[:, :, 2] = first_bias[:, :, 2] * random.uniform(0.7, 1.3, shape)
        rotor[:] = first_rotor * random.uniform(0.7, 1.3, shape)
        friction[:] = most * random.uniform(0.0, 1.0, shape)

    return draw


def drawn_of(many: Any, attachment: Any, table: dict[str, Floats]) -> Draw:
    """Rows of draws, one for each simulation and joint."""
    user, rotor = many.expand("actuator_user"), many.expand("dof_armature")

    def draw(_: Any, random: np.random.Generator) -> None:
        for j, joint in enumerate(JOINTS):
            row = random.integers(len(next(iter(table.values()))), size=len(user))
            for name, values in table.items():
                user[:, j, attachment.column(joint, name)] = values[row]
                if name == "own.armature":
                    rotor[:, j] = values[row]

    return draw


def errors(many: Any, policies: Floats, random: np.random.Generator) -> Floats:
    """(P,) mean distance from the wanted motion [rad] of each policy, after the first quarter."""
    count = len(policies) * EPISODES
    lead, more, damping, lift, push = np.repeat(policies, EPISODES, axis=0).T[:, :, None]
    size, speed, phase = (
        np.tile(random.uniform(low, high, (EPISODES, 2)), (len(policies), 1))
        for low, high in ((0.1, 0.6), (1.0, 6.0), (0.0, 6.3))
    )
    many.reset(ids=np.arange(count), stage=0)
    many.qpos[:] = size * np.sin(phase)
    many.qvel[:] = size * speed * np.cos(phase)
    seen = size * np.sin(phase - speed * FRAME * TIMESTEP)
    rate = size * speed * np.cos(phase)
    cost, skipped = np.zeros(count), ACTIONS // 4
    for k in range(ACTIONS):
        now = speed * k * FRAME * TIMESTEP + phase
        wanted = size * np.sin(now + speed * lead)
        error = size * np.sin(now - speed * FRAME * TIMESTEP) - seen
        gravity = np.sin(np.cumsum(size * np.sin(now), axis=1))
        along = np.tanh(size * speed * np.cos(now + speed * lead) / REVERSAL)
        command = wanted + more * error - damping * rate
        many.ctrl[:] = command + lift * gravity + push * along
        latest = np.round(np.array(many.qpos) / STEP) * STEP
        rate, seen = (latest - seen) / (FRAME * TIMESTEP), latest
        many.step(nstep=FRAME)
        if k >= skipped:
            after = size * np.sin(now + speed * FRAME * TIMESTEP)
            cost += np.abs(after - np.array(many.qpos)).mean(axis=1)
    cost = np.minimum(np.nan_to_num(cost / (ACTIONS - skipped), nan=MOST), MOST)
    return cost.reshape(len(policies), EPISODES).mean(axis=1)


def trained(many: Any, draw: Draw, generations: int, seed: int) -> Floats:
    """(5,) the policy that CMA-ES finds on these simulations."""
    random = np.random.default_rng(seed)
    search = CMA(mean=np.zeros(len(SCALE)), sigma=0.5, population_size=POPULATION, seed=seed)
    for _ in range(generations):
        asked = np.array([search.ask() for _ in range(POPULATION)])
        draw(many, random)
        many.set_const()
        search.tell([*zip(asked, errors(many, SCALE * asked, random), strict=True)])
    return SCALE * np.asarray(search.mean)


def nothing(_: Any, __: np.random.Generator) -> None:
    """The same actuators in every simulation."""


def study(generations: int, seeds: int) -> dict[str, list[tuple[float, float]]]:
    """Kind to (error where it was trained, error on the judge) [mrad] of each seed."""
    pendulum = pliant.read_logs(example_logs())
    servo, table, judge = servos(pendulum)
    size = POPULATION * EPISODES
    model, attachment = measured(servo)
    worlds: dict[str, tuple[Any, Draw]] = {}
    worlds["ideal"] = Batch(ideal(servo), size, nthread=0), nothing
    many = Batch(ideal(servo, DRY), size, nthread=0)
    worlds["ideal, randomised"] = many, spread_of(many)
    many = Batch(model, size, nthread=0)
    worlds["identified, drawn"] = many, drawn_of(many, attachment, table)
    worlds["the judge itself"] = Batch(measured(judge)[0], size, nthread=0), nothing
    on_judge = Batch(measured(judge)[0], EPISODES, nthread=0)
    results: dict[str, list[tuple[float, float]]] = {}
    for name, (many, draw) in worlds.items():
        for seed in range(1, seeds + 1):
            policy = trained(many, draw, generations, seed)
            at_home = errors(many, np.tile(policy, (POPULATION, 1)), np.random.default_rng(99))[0]
            away = errors(on_judge, policy[None], np.random.default_rng(99))[0]
            results.setdefault(name, []).append((1e3 * float(at_home), 1e3 * float(away)))
            print(f"{name}, seed {seed}: {1e3 * at_home:.1f} mrad where it was trained,", end=" ")
            print(f"{1e3 * away:.1f} on the judge; policy {policy.round(3)}", flush=True)
    return results


def draw_figure(results: dict[str, list[tuple[float, float]]], path: Path) -> None:
    """A dot for each seed: where trained, and on the judge."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    plt: Any = pyplot
    figure, axes = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
    for row, pairs in enumerate(results.values()):
        for k, (colour, label) in enumerate((("#9aa5b1", "where trained"), ("#c0392b", "judge"))):
            values = [pair[k] for pair in pairs]
            axes.scatter(
                values,
                [row + 0.12 * (1 - 2 * k)] * len(values),
                color=colour,
                label=label if row == 0 else None,
            )
    axes.set_yticks(range(len(results)), list(results))
    axes.invert_yaxis()
    axes.set_xlabel("mean distance from the wanted motion [mrad]")
    axes.set_xlim(left=0.0)
    axes.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    outcome = study(given.generations, given.seeds)
    if given.figure is not None:
        draw_figure(outcome, given.figure)
