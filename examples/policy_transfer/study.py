"""One policy, trained with three kinds of actuators, judged on a servo that none of them has seen.

The task: two XL330 swing the arm of `ServoReach` along sines of other size, speed and phase in each
episode. The policy is four numbers, found by CMA-ES: how far it looks ahead [s], how much it adds of
the error, how much it damps [s], and how much it lifts against gravity [rad]. The kinds: MuJoCo's ideal position actuator; the same with stiffness and damping
drawn anew in each simulation; and the servo that Pliant identified, with the parameters that the
logs of half of the recordings allow. The judge is identified from the other half, with another
friction model. The transfer is simulated: no robot was at hand.

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
from pliant.identify import SearchSettings, identify
from pliant.identify.uncertainty.intervals import intervals
from pliant.io.log import example_logs

FRAME, ACTIONS, EPISODES = 10, 75, 24
"""Engine steps of 2 ms for an action; actions of an episode; episodes that judge a policy."""
POPULATION = 10
MOST = 1.0
"""[rad] A worse error counts as this one."""
ARM = ARMS["ServoReach"]
Draw = Callable[[Any, np.random.Generator], None]


def servos(pendulum: list[Any]) -> tuple[Actuator, dict[str, Floats], Actuator]:
    """The servo identified on every other log, its draws, and the judge from the remaining ones."""
    brief = SearchSettings(starts=1, generations=30, final_generations=10, rounds=1)
    base = pliant.load_actuator("xl330_bam_m6")
    found = identify(with_law(base, "friction", "m4"), pendulum[::2], search_settings=brief)
    sure = intervals(found)
    rows = sure.draws(64, seed=1)
    draws = {
        name: rows[:, k] for k, name in enumerate(sure.space.names) if name in found.actuator.fields
    }
    judge = identify(base, pendulum[1::2], search_settings=brief)
    return found.actuator, draws, judge.actuator


def measured(actuator: Actuator) -> tuple[mujoco.MjModel, Any]:
    """The arm with an actuator of Pliant on both joints."""
    return ARM.model(dict.fromkeys(JOINTS, actuator))


def ideal(actuator: Actuator) -> mujoco.MjModel:
    """The arm with MuJoCo's position actuators of the servo's stiffness and back-EMF."""
    spec = ARM.spec()
    k_t, resistance = actuator.value("motor.k_t"), actuator.value("motor.R")
    gain = actuator.value("control.gain") * actuator.value("control.kp")
    stiffness = gain * actuator.value("own.voltage") * k_t / resistance
    for name in JOINTS:
        spec.joint(name).armature = actuator.value("own.armature")
        made = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        made.gaintype, made.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        made.gainprm[0] = stiffness
        made.biasprm[1], made.biasprm[2] = -stiffness, -(k_t**2) / resistance
    return spec.compile()


def spread_of(many: Any) -> Draw:
    """Stiffness and damping within 30 %, one draw for each simulation."""
    gain, bias = many.expand("actuator_gainprm"), many.expand("actuator_biasprm")
    first_gain, first_bias = gain.copy(), bias.copy()

    def draw(_: Any, random: np.random.Generator) -> None:
        shape: tuple[int, int] = gain.shape[:2]
        k = random.uniform(0.7, 1.3, (*shape, 1))
        d = random.uniform(0.7, 1.3, shape)
        gain[:] = first_gain * k
        bias[:] = first_bias * k
        bias[:, :, 2] = first_bias[:, :, 2] * d

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
    lead, more, damping, lift = np.repeat(policies, EPISODES, axis=0).T[:, :, None]
    size, speed, phase = (
        np.tile(random.uniform(low, high, (EPISODES, 2)), (len(policies), 1))
        for low, high in ((0.2, 0.8), (2.0, 6.0), (0.0, 6.3))
    )
    many.reset(ids=np.arange(count), stage=0)
    many.qpos[:] = size * np.sin(phase)
    many.qvel[:] = size * speed * np.cos(phase)
    cost, skipped = np.zeros(count), ACTIONS // 4
    for k in range(ACTIONS):
        now = speed * k * FRAME * TIMESTEP + phase
        wanted, error = size * np.sin(now + speed * lead), size * np.sin(now) - np.array(many.qpos)
        gravity = np.sin(np.cumsum(size * np.sin(now), axis=1))
        many.ctrl[:] = wanted + more * error - damping * np.array(many.qvel) + lift * gravity
        many.step(nstep=FRAME)
        if k >= skipped:
            after = size * np.sin(now + speed * FRAME * TIMESTEP)
            cost += np.abs(after - np.array(many.qpos)).mean(axis=1)
    cost = np.minimum(np.nan_to_num(cost / (ACTIONS - skipped), nan=MOST), MOST)
    return cost.reshape(len(policies), EPISODES).mean(axis=1)


def trained(many: Any, draw: Draw, generations: int, seed: int) -> Floats:
    """(4,) the policy that CMA-ES finds on these simulations."""
    random = np.random.default_rng(seed)
    search = CMA(
        mean=np.array([0.02, 0.0, 0.0, 0.0]), sigma=0.1, population_size=POPULATION, seed=seed
    )
    for _ in range(generations):
        asked = np.array([search.ask() for _ in range(POPULATION)])
        draw(many, random)
        many.set_const()
        search.tell([*zip(asked, errors(many, asked, random), strict=True)])
    return np.asarray(search.mean)


def nothing(_: Any, __: np.random.Generator) -> None:
    """The same actuators in every simulation."""


def study(generations: int, seeds: int) -> dict[str, list[tuple[float, float]]]:
    """Kind to (error where it was trained, error on the judge) [mrad] of each seed."""
    pendulum = pliant.read_logs(example_logs())
    servo, table, judge = servos(pendulum)
    size = POPULATION * EPISODES
    model, attachment = measured(servo)
    worlds: dict[str, tuple[Any, Draw]] = {}
    for name in ("ideal", "ideal, randomised"):
        many = Batch(ideal(servo), size, nthread=0)
        worlds[name] = many, nothing if name == "ideal" else spread_of(many)
    many = Batch(model, size, nthread=0)
    worlds["identified, drawn"] = many, drawn_of(many, attachment, table)
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
    parser.add_argument("--generations", type=int, default=25)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    outcome = study(given.generations, given.seeds)
    if given.figure is not None:
        draw_figure(outcome, given.figure)
