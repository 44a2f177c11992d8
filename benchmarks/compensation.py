"""A robot with compensated commands against the same robot with plain commands.

There is no real arm here. It is a simulation with different numbers from those that the compensator uses: drawn
from the file's draws or deviations, with a payload up to 20 % lighter or heavier, up to 10 ms more delay,
and positions read one cycle late by a 12-bit encoder, with noise of half a count. Each draw settles at one pose
from both sides, and follows ten recorded motions.
"""

import contextlib
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from importlib import resources
from pathlib import Path
from time import process_time

import mujoco
import numpy as np
from numpy.typing import NDArray

import pliant
from pliant.arrays import Floats
from pliant.cli import main
from pliant.robots import read_robot_logs
from pliant.robots.goal_limits import allowed_numbers
from pliant.robots.inverse_load import Course, add_payload
from pliant.robots.robot_file import read_recorded_robot

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
SERVO = "sts3215_so101"
COUNT = 2.0 * np.pi / 4096.0
"""[rad] Step of the encoder."""
CYCLE, STEP, DELAY = 0.02, 0.002, 0.01
"""[s] Between two commands, of the simulation, and of the delay that is not known."""
PLACE, MASS, UNSURE = "gripperframe", 0.1, 0.2
"""Site and mass [kg] of the payload, and the unknown fraction of it."""
POSE = (0.3, -0.5, 0.6, 0.3, 0.2, 0.2)
APPROACH, BEFORE, RAMP, REST = 0.15, 2.0, 2.0, 6.0
"""[rad] Before the pose, [s] there, [s] the way to it, and [s] of rest at it."""
CYCLING = 2.0 * COUNT
"""[rad] Motion in the last second of a rest from which on it counts as a limit cycle."""
STUCK = 0.02
"""[rad] Of the approach, of a joint that plain goals do not move."""
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
    """The motion from a rest near the pose to a rest at it."""
    time = np.arange(0.0, BEFORE + RAMP + REST, CYCLE)
    left = np.clip(1.0 - (time - BEFORE) / RAMP, 0.0, 1.0)
    return Course(joints, time, np.array(POSE) + side * APPROACH * left[:, None], CYCLE)


@dataclass(frozen=True, eq=False)
class Settled:
    """(J,) [rad] Difference between the rests from both sides, motion left at them, and least way to them."""

    gap: Floats
    cycling: Floats
    way: Floats


def settled(arm: Arm, told: Callable[[], Told], joints: tuple[str, ...]) -> Settled:
    """Rest at the pose from both sides."""
    last = round(1.0 / CYCLE)
    runs = [arm.run(approach(side, joints), told()) for side in (-1, 1)]
    ends = [run[-last:] for run in runs]
    return Settled(
        np.abs(ends[1].mean(axis=0) - ends[0].mean(axis=0)),
        np.max([np.ptp(end, axis=0) for end in ends], axis=0),
        np.min([np.abs(run[-1] - run[0]) for run in runs], axis=0),
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


@dataclass(frozen=True, eq=False)
class Found:
    """Results of D draws of a robot with J joints.

    Attributes:
        plain, compensated: (D, J) each. moves: (D, J) whether plain goals move the joint to both sides.
        errors: (R, 2) mean error of each run [rad], plain and compensated, of joints that move.
    """

    joints: tuple[str, ...]
    plain: Settled
    compensated: Settled
    moves: NDArray[np.bool_]
    errors: Floats

    @property
    def shares(self) -> Floats:
        """(D,) Mean gap of the joints that move, as a part of the plain one."""
        return (self.compensated.gap * self.moves).sum(axis=1) / (self.plain.gap * self.moves).sum(
            axis=1
        )

    @property
    def worse(self) -> int:
        """Number of moving joints whose gap is larger than without compensation, by more than half a count."""
        return int((self.moves & (self.compensated.gap > self.plain.gap + 0.5 * COUNT)).sum())

    @property
    def cycling(self) -> int:
        """Joints that still move at rest."""
        return int((self.compensated.cycling > CYCLING).sum())


def run(robot: Path, draws: int, recordings: Path | None = None, first: int = 0) -> Found:
    """Both comparisons over so many draws from seed `first` on; `recordings` is a folder of motions."""
    known = pliant.Compensator(robot, cycle=CYCLE, payload={PLACE: MASS})

    def compensated() -> Told:
        known.reset()
        return lambda q, v, a, seen: known.step(q, v, a, measured=seen, age=CYCLE)

    tracks = (
        [] if recordings is None else [course for _, course in motions(recordings, known.joints)]
    )
    pairs: list[tuple[Settled, Settled]] = []
    errors: list[tuple[float, float]] = []
    for seed in range(first, first + draws):
        arm = Arm(robot, seed)
        pair = settled(arm, lambda: plain, known.joints), settled(arm, compensated, known.joints)
        pairs.append(pair)
        moves = pair[0].way > STUCK
        for course in tracks:
            begun = course.time > 1.0
            off = [
                np.abs(arm.run(course, told) - course.position)[begun][:, moves].mean()
                for told in (plain, compensated())
            ]
            errors.append((float(off[0]), float(off[1])))
    both = [
        Settled(*(np.array([getattr(p[k], f.name) for p in pairs]) for f in fields(Settled)))
        for k in (0, 1)
    ]
    moves = both[0].way > STUCK
    return Found(known.joints, both[0], both[1], moves, np.array(errors).reshape(-1, 2))


def cycle_time(robot: Path, count: int = 3000) -> float:
    """[µs] of processor time, of `Compensator.step` at 1 rad/s."""
    known = pliant.Compensator(robot, cycle=CYCLE)
    q, v, a = np.array(POSE), np.ones(len(POSE)), np.zeros(len(POSE))
    known.step(q, v, a, measured=q)
    begun = process_time()
    for _ in range(count):
        known.step(q, v, a, measured=q)
    return 1e6 * (process_time() - begun) / count


def robots(folder: Path) -> tuple[Path, Path]:
    """Files of a robot identified from its recordings, which are put in `recordings`, and of unknown units."""
    recordings = folder / "recordings"
    recordings.mkdir()
    for path in [*ARM.glob("motions/*.csv"), *ARM.glob("held_out/*.csv")]:
        shutil.copy(path, recordings)
    for path in ARM.glob("*.xml"):
        shutil.copy(path, folder)
    model = str(folder / "so101_on_table.xml")
    words = [str(ARM / "motions"), "--robot", model, "--actuator", f"*={SERVO}"]
    with contextlib.redirect_stdout(io.StringIO()):
        main(["identify", *words, "--starts", "1", "--output", str(folder / "fit")])
    fit = folder / "fit" / "robot.toml"  # the comparisons are about servos, not about the table
    fit.write_text(fit.read_text().replace("so101_on_table", "so101"))
    device = folder / "device.toml"
    device.write_text(f'model = "so101.xml"\n[joints]\n"*" = {{ actuator = "{SERVO}" }}\n')
    return fit, device


FRESH = 5000
"""Seed of the first draw: none of those that the compensator was made with."""


def rows(draws: int = 100, tracked: int = 20) -> Iterator[tuple[str, str, str]]:
    """A robot identified from its recordings, with draws of that fit; one of a unit of the device; and one whose numbers are drawn
    by the device's standard deviations alone, each by itself."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fit, device = robots(folder)
        servo = replace(pliant.load_actuator(SERVO), ensemble=None)
        pliant.write_actuator(servo, folder / "wide.toml")
        wide = folder / "wide_robot.toml"
        wide.write_text(device.read_text().replace(SERVO, "wide.toml"))
        recordings = folder / "recordings"
        yield "a cycle of six joints, processor time", f"{cycle_time(device):.0f} µs", "50 µs"
        for of, robot in (("fit of this arm", fit), ("device", device), ("wide", wide)):
            found = run(robot, draws, first=FRESH)
            moving = np.where(found.moves, 1.0, np.nan)
            before, after = (
                " ".join(f"{1e3 * x:.0f}" for x in np.nanmean(one.gap * moving, axis=0))
                for one in (found.plain, found.compensated)
            )
            third = f"{(found.shares <= 1.0 / 3.0).mean():.0%} of draws"
            what = f"settling gap compensated, draws of the {of}"
            yield what, f"{third}; {before} mrad to {after}", "a third in 90 % of draws"
            yield f"joints that still move at rest, {of}", str(found.cycling), "0"
            yield f"joints worse than without, {of}", f"{found.worse} of {found.moves.size}", "0"
            left = run(robot, tracked, recordings, FRESH).errors
            text = f"{1e3 * left[:, 0].mean():.1f} to {1e3 * left[:, 1].mean():.1f} mrad"
            jammed = f"{(~found.moves).sum()} of {found.moves.size}"
            yield f"joints left out, which plain goals do not move, {of}", jammed, ""
            yield f"mean error along ten recorded motions, {of}", text, "half"
