"""Detection of worn servos of an SO-101 from a minute of ordinary motion: `pliant check … --against`.

`python benchmarks health`: 20 draws, some fifteen minutes. The arm is a simulation: each
of its servos is a draw with mean and covariance of the six units in `sts3215_so101`, its bodies weigh up to some
10 % more or less than the model says, its encoders have 12 bit and 0.5 mrad of noise. It moves as a real one was
told to, each draw twice: the later minute has the same commands, other noise. In the first ten draws one joint is
then worn in three ways, each by itself.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import numpy as np

import pliant
from pliant.assemble import Actuator
from pliant.cli.health import own_fit
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.identification.robot.space import with_values
from pliant.report.health import JointHealth, health, population
from pliant.robots import RobotLog, read_robot_logs, robot_rig

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
MODEL = ARM / "so101_on_table.xml"
DEVICE = pliant.load_actuator("sts3215_so101")
STEP, NOISE, QUANTUM, MASS = 5e-4, 5e-4, 2.0 * np.pi / 4096, 0.05
"""[s], [rad], [rad]; standard deviation of a body's mass, relative."""
MINUTE, PART = ("diagonal_sweep", "random_waypoints", "pick_place"), 10.0
"""Recordings, and [s] of the last of them."""
WORN = {
    "stiff": {"friction.K_c": 1.5, "friction.K_v": 1.5, "friction.K_l": 1.5}
    | {"friction.K_cs": 1.5, "friction.K_ls": 1.5},
    "loose": {"control.dead_band": 2.0},
    "weak": {"motor.k_t": 0.8},
}
"""Kind of wear to factors on parameters. A smaller torque constant also makes it faster, as a lost winding does."""
BODIES = [f"mass.{one}" for one in ("upper_arm", "lower_arm", "wrist", "gripper")]
DRAWS, WEAKEST, FRESH, SEED = 20, 10, 3, 100
"""Draws in all, those that wear, those that are compared with the device too, and the first's seed: the method was chosen with others."""


def drawn(rng: np.random.Generator) -> Actuator:
    """A servo of the device."""
    carried = DEVICE.ensemble
    assert carried is not None
    units = carried.of_draws()
    away = (units - units.mean(axis=0)).T @ rng.normal(size=len(units)) / np.sqrt(len(units) - 1)
    values = dict(zip(carried.names, (units.mean(axis=0) + away).tolist(), strict=True))
    ends = {n: DEVICE.numbers[n] for n in values}
    return DEVICE.with_values(
        {n: float(np.clip(x, ends[n].low, ends[n].high)) for n, x in values.items()},
        "draw",
        "assumed",
    )


def worn(servo: Actuator, kind: str) -> Actuator:
    """The same, after years."""
    values = {n: servo.value(n) * times for n, times in WORN[kind].items()}
    return servo.with_values(values, "worn", "assumed")


def minute() -> list[RobotLog]:
    """Commands of a minute, as a real arm got them."""
    logs = {log.name: log for log in read_robot_logs([ARM / "motions", ARM / "held_out"])}
    *whole, last = (logs[name] for name in MINUTE)
    return [*whole, last.keep(last.time < PART)]


def recorded(
    servos: Mapping[str, Actuator],
    told: Sequence[RobotLog],
    masses: Mapping[str, float],
    rng: np.random.Generator,
) -> list[RobotLog]:
    """Motions of the arm that has these servos."""
    from dataclasses import replace

    rig = robot_rig(MODEL, servos, told, settings=ManySettings(timestep=STEP))
    rig = replace(rig, robot=with_values(rig.robot, masses))
    evaluation = rig.evaluate(told)
    found: list[RobotLog] = []
    for log in told:
        lines = {e.joint: e.simulated for e in evaluation.entries if e.log is log}
        line = np.column_stack([lines[joint] for joint in log.joints])
        read = line + NOISE * rng.normal(size=line.shape)
        found.append(replace(log, position=QUANTUM * np.round(read / QUANTUM), digest=""))
    return found


def count_one(one: JointHealth, counts: Counter[str], name: str, kinds: list[str]) -> None:
    """Count the joints reported with exactly these kinds, and print the others."""
    if one.kinds == kinds:
        counts[name] += 1
        return
    far = ", ".join(f"{n} {x.value:+.2f} ({one.deviations[n]:+.1f})" for n, x in one.now.items())
    print(f"  {name}, {one.joint}: {', '.join(one.kinds) or 'nothing'}; {far}", flush=True)


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    told = minute()
    joints = told[0].joints
    device = dict.fromkeys(joints, DEVICE)
    spread = dict.fromkeys(joints, population(DEVICE))
    counts: Counter[str] = Counter()
    for k in range(DRAWS):
        rng = np.random.default_rng(SEED + k)
        servos = {joint: drawn(rng) for joint in joints}
        masses = {body: float(np.exp(MASS * rng.normal())) for body in BODIES}
        logs = recorded(servos, told, masses, rng)
        if k < FRESH:
            for one in health(robot_rig(MODEL, device, logs), logs, "now", "device", spread):
                count_one(one, counts, "healthy, against the device", [])
        first = own_fit(MODEL, device, logs)
        again = recorded(servos, told, masses, rng)
        for one in health(first, again, "now", "first", {}, logs):
            count_one(one, counts, "healthy, against its first minute", [])
        joint = joints[k % len(joints)]
        for kind in WORN if k < WEAKEST else ():
            old = {**servos, joint: worn(servos[joint], kind)}
            later = recorded(old, told, masses, rng)
            (one,) = health(first.of_joint(joint), later, "now", "first", {}, logs)
            count_one(one, counts, f"{kind}, against its first minute", [kind])
            if k < FRESH:
                rig = robot_rig(MODEL, {joint: DEVICE}, later)
                (one,) = health(rig, later, "now", "device", spread)
                count_one(one, counts, f"{kind}, against the device", [kind])
    first, new = "against its first minute", "against the device"
    arms = len(joints) * DRAWS
    return [
        (
            f"healthy joints of an SO-101 told, {first}",
            f"{arms - counts[f'healthy, {first}']} of {arms}",
            "0",
        ),
        *(
            (
                f"{kind} servo told with its kind, {where}",
                f"{counts[f'{kind}, {where}']} of {of}",
                bar,
            )
            for where, of, bar in ((first, WEAKEST, "9 of 10"), (new, FRESH, "-"))
            for kind in WORN
        ),
    ]


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
