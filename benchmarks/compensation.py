"""A robot whose commands are compensated against the same robot told the motion itself.

    python -m benchmarks.compensation [ROBOT.toml] [--draws 100] [--recordings FOLDER]

There is no real arm here. It is a simulation with other numbers than those that the compensator knows: drawn
from what the file says its numbers may be as well, a payload up to 20 % lighter or heavier, up to 10 ms of
delay more, and positions read through an encoder of 12 bits, with noise of half a count, a cycle late. Each draw
settles at one pose from both sides, and follows ten motions that were recorded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import pliant
from pliant.arrays import Floats
from pliant.robots import read_robot_logs
from pliant.robots.certain_friction import allowed_numbers
from pliant.robots.courses import Course
from pliant.robots.inverse_load import add_payload
from pliant.robots.robot_file import read_recorded_robot

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
COUNT = 2.0 * np.pi / 4096.0
"""[rad] Of the encoder."""
CYCLE, STEP, DELAY = 0.02, 0.002, 0.01
"""[s] Between two commands, of the simulation, and of the delay that is not known."""
PLACE, MASS, UNSURE = "gripperframe", 0.1, 0.2
"""Site and mass [kg] of the payload, and the part of it that is not known."""
POSE = (0.3, -0.5, 0.6, 0.3, 0.2, 0.2)
APPROACH, BEFORE, RAMP, REST = 0.15, 2.0, 2.0, 6.0
"""[rad] Before the pose, [s] there, [s] the way to it, and [s] of rest at it."""
CYCLING = 2.0 * COUNT
"""[rad] Of motion in the last second of a rest, from which on it is a limit cycle."""
Told = Callable[[Floats, Floats, Floats, Floats], Floats]
"""Goals from the wanted position, speed and acceleration, and the measured position."""


def plain(q: Floats, v: Floats, a: Floats, seen: Floats) -> Floats:
    """The motion itself."""
    return q


class Arm:
    """One draw of a robot."""

    def __init__(self, robot: Path, seed: int) -> None:
        rng = np.random.default_rng(seed)
        file = read_recorded_robot(robot)
        spec, _ = pliant.load_model(file.model)
        spec.option.timestep = STEP
        units = {
            joint: one.with_values(
                {"timing.delay": one.value("timing.delay") + DELAY}, "late", "assumed"
            )
            for joint, one in file.actuators.items()
        }
        attached = pliant.attach(spec, units)
        add_payload(spec, {PLACE: MASS * rng.uniform(1.0 - UNSURE, 1.0 + UNSURE)})
        self.model = spec.compile()
        draws: dict[str, dict[str, Floats]] = {}
        for joint, one in file.actuators.items():
            rows = allowed_numbers(one, 1 + seed)
            row = rows[rng.integers(len(rows))]
            drawn = {name: row[k : k + 1] for k, name in enumerate(one.fields)}
            late = float(drawn["timing.delay"][0]) + rng.uniform(0.0, DELAY)
            drawn["timing.delay"] = np.array([min(late, units[joint].value("timing.delay"))])
            draws[joint] = drawn
        attached.randomise(self.model, draws, seed=seed)
        self.data, self.rng = mujoco.MjData(self.model), rng
        self.ids = [self.model.actuator(one.name).id for one in attached.joints]
        self.at = [int(self.model.joint(one.joint).qposadr[0]) for one in attached.joints]

    def run(self, course: Course, told: Told) -> Floats:
        """(N, J) Positions at each cycle."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.at] = course.position[0]
        seen = course.position[0]
        found = np.empty_like(course.position)
        for n, (q, v, a) in enumerate(course):
            found[n] = self.data.qpos[self.at]
            self.data.ctrl[self.ids] = told(q, v, a, seen)
            noisy = found[n] + 0.5 * COUNT * self.rng.normal(size=len(self.at))
            seen = COUNT * np.rint(noisy / COUNT)
            mujoco.mj_step(self.model, self.data, nstep=round(CYCLE / STEP))
        return found


def approach(side: int, joints: tuple[str, ...]) -> Course:
    """From a rest beside the pose to a rest at it."""
    time = np.arange(0.0, BEFORE + RAMP + REST, CYCLE)
    left = np.clip(1.0 - (time - BEFORE) / RAMP, 0.0, 1.0)
    return Course(joints, time, np.array(POSE) + side * APPROACH * left[:, None], CYCLE)


@dataclass(frozen=True, eq=False)
class Settled:
    """(J,) difference between the rests from both sides [rad], and the motion left at them."""

    gap: Floats
    cycling: Floats


def settled(arm: Arm, told: Callable[[], Told], joints: tuple[str, ...]) -> Settled:
    """Rest at the pose from both sides."""
    last = round(1.0 / CYCLE)
    ends = [arm.run(approach(side, joints), told())[-last:] for side in (-1, 1)]
    return Settled(
        np.abs(ends[1].mean(axis=0) - ends[0].mean(axis=0)),
        np.max([np.ptp(end, axis=0) for end in ends], axis=0),
    )


def motions(folder: Path, joints: tuple[str, ...]) -> Iterator[tuple[str, Course]]:
    """Ten motions: of so many recordings, or of halves of fewer."""
    logs = read_robot_logs(folder)
    parts = 1 if len(logs) >= 10 else -(-10 // len(logs))
    for log in logs[:10]:
        columns = [log.column(joint) for joint in joints]
        for k, rows in enumerate(np.array_split(np.arange(len(log.time)), parts)):
            time = log.time[rows] - log.time[rows[0]]
            yield f"{log.name} {k + 1}", Course(joints, time, log.position[rows][:, columns], CYCLE)


def run(robot: Path, draws: int, recordings: Path | None, every: int = 1) -> dict[str, Any]:
    """Both comparisons over so many draws; of the motions each draw takes one in `every`."""
    known = pliant.Compensator(robot, cycle=CYCLE, payload={PLACE: MASS})

    def compensated() -> Told:
        known.reset()
        return lambda q, v, a, seen: known.step(q, v, a, measured=seen, age=CYCLE)

    tracks = [] if recordings is None else [*motions(recordings, known.joints)]
    gaps: list[tuple[Settled, Settled]] = []
    errors: list[tuple[float, float]] = []
    for seed in range(draws):
        arm = Arm(robot, seed)
        gaps.append(
            (settled(arm, lambda: plain, known.joints), settled(arm, compensated, known.joints))
        )
        for _, course in tracks[seed % every :: every]:
            begun = course.time > 1.0
            both = [
                float(np.abs(arm.run(course, told) - course.position)[begun].mean())
                for told in (plain, compensated())
            ]
            errors.append((both[0], both[1]))
    before, after = (np.array([pair[k].gap for pair in gaps]) for k in (0, 1))
    moves = before < APPROACH  # else plain goals do not move it either, from one side or both
    return {
        "joints": known.joints,
        "moves": moves,
        "before": before,
        "after": after,
        "third": int(((after * moves).sum(axis=1) <= (before * moves).sum(axis=1) / 3.0).sum()),
        "each third": ((after <= before / 3.0) & moves).sum(axis=0) / moves.sum(axis=0),
        "worse": int((after > before + 0.5 * COUNT).sum()),
        "cycling": [int((np.array([p[k].cycling for p in gaps]) > CYCLING).sum()) for k in (0, 1)],
        "errors": np.array(errors).reshape(-1, 2),
    }
