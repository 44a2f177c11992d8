"""Gains that `pliant tune` finds for an SO-101, against those in its file, with P 16 as set by LeRobot.

Simulated, not measured: on the draws used for tuning, and on others with a payload 20 % lighter or heavier.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from compensation import COUNT, MASS, PLACE, UNSURE, approach, robots

from pliant.robots.servo_trials import CYCLING, Measured, ServoTrials
from pliant.robots.tuning import Tuning, tune


def trials(robot: Path, draws: int, seed: int, payload: float = MASS) -> ServoTrials:
    """Draws of a robot that goes to the pose of `compensation`."""
    found = ServoTrials(robot, payload={PLACE: payload}, draws=draws, seed=seed)
    course = approach(1, found.joints)
    moving = course.time < 4.5
    found.follow(course.time[moving], course.position[moving])
    return found


def others(tuning: Tuning, robot: Path, draws: int) -> Iterator[tuple[Measured, Measured]]:
    """Draws that the gains were not found on, with the file's gains and those found."""
    for seed, part in ((101, 1.0 - UNSURE), (102, 1.0 + UNSURE)):
        other = trials(robot, draws // 2, seed, MASS * part)
        yield other.run([{} for _ in other.joints]), other.run(tuning.changes())


def told(pairs: list[tuple[Measured, Measured]], name: str) -> str:
    """Means of each joint [mrad], with the file's gains and with those found."""
    both = (np.concatenate([getattr(pair[k], name) for pair in pairs]) for k in (0, 1))
    return " to ".join(" ".join(f"{1e3 * x:.1f}" for x in one.mean(axis=0)) for one in both)


def worse(pairs: list[tuple[Measured, Measured]], name: str) -> int:
    """Joints whose mean is worse by more than half a count."""
    old, new = (np.concatenate([getattr(pair[k], name) for pair in pairs]) for k in (0, 1))
    return int((new.mean(axis=0) > old.mean(axis=0) + 0.5 * COUNT).sum())


def rows(draws: int = 60, fresh: int = 100) -> Iterator[tuple[str, str, str]]:
    """A robot identified from its recordings, and one of unknown units of the device."""
    with tempfile.TemporaryDirectory() as name:
        fit, device = robots(Path(name))
        for of, robot in (("fit of this arm", fit), ("device", device)):
            tuning = tune(trials(robot, draws, 0))
            gains = " ".join(f"{tuning.values(j)['control.kp']:.0f}" for j in tuning.joints)
            yield f"P-gains found, {of}", gains, ""
            cases = {
                f"the {draws} draws they were found on": [(tuning.own, tuning.together)],
                f"{fresh} other draws": list(others(tuning, robot, fresh)),
            }
            for what, pairs in cases.items():
                for kind in ("gap", "overshoot"):
                    text = f"{told(pairs, kind)} mrad; {worse(pairs, kind)} joints worse"
                    yield f"{kind}, {of}, {what}", text, "0 worse"
                rings = [int((one.cycling > CYCLING).sum()) for pair in pairs for one in pair]
                text = f"{sum(rings[::2])} to {sum(rings[1::2])}"
                yield f"joints with a limit cycle, {of}, {what}", text, "0"
                for kind, unit in (("settling", "s"), ("heat", "W"), ("current", "A")):
                    means = [
                        np.mean(np.concatenate([getattr(p[k], kind) for p in pairs]))
                        for k in (0, 1)
                    ]
                    yield (
                        f"mean {kind}, {of}, {what}",
                        f"{means[0]:.2f} to {means[1]:.2f} {unit}",
                        "",
                    )
