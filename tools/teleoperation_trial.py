"""Loss of accuracy with a 30 Hz data set: a teleoperated arm, recorded twice, identified twice.

python tools/teleoperation_trial.py [SECONDS [SEED ...] [LAW ...]]

The arm of the examples is simulated with goals that come 30 times a second, unevenly, and are clipped before
they reach the shoulder. One recording has all of it, at 1 kHz, the servos' own pace. The other is a LeRobot data set of the same runs:
state and action of each frame with the frame's number as its time, the state read before the action was
sent, the action as it was wanted. Both are fitted, the data set again at the times at which its frames came, as its fit tells. Delays
are the servo's and the recorder's together; the recordings at full rate tell the recorder's part. A motion that no
fit has seen, recorded at full rate, judges.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

import pliant
from pliant.arrays import Floats
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.identification.search.search import SearchSettings
from pliant.io.formats.reading import Reading
from pliant.io.robot_findings import robot_findings
from pliant.robots import (
    RobotLog,
    evaluate_robot,
    frame_times,
    identify_robot,
    read_robot_logs,
    without_recorder,
)
from pliant.robots.identify import RobotIdentification
from pliant.robots.recorder_times import PASSES

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
# The arm's recorder is an example, pyarrow declares no types.
arm_recordings, pa, pq = cast(
    "list[Any]", [import_module(n) for n in ("arm_recordings", "pyarrow", "pyarrow.parquet")]
)

arm_recordings.SAMPLE = (
    1e-3  # A servo takes goals at its next millisecond, not at the example's next sample.
)
ARM = Path(__file__).parents[1] / "examples" / "arm.xml"
RATE, JITTER, LAG = 30.0, 3e-3, 5e-3
"""[Hz] of the frames, [s] standard deviation of their times, [s] from reading the state to sending the action."""
CLIP = 0.45
"""[rad] Goals of the shoulder are clipped to ± this when they are sent."""
SECONDS = 6.0
"""[s] Default duration of each motion, and duration of the test motion."""
DELAYS = {"shoulder": 0.012, "elbow": 0.02}
MOTIONS = ("slow", "fast", "mixed")
LAWS = ("m1", "m4")
"""Friction laws that are fitted; the servos have the second."""
FIT = {"*.timing.delay": (0.0, 0.08)}
HELD = ["*.own.*", "*.control.*"]
SETTINGS = ManySettings(timestep=1e-3)
SEARCH = SearchSettings(starts=1, jacobians=20)


def arm(delays: dict[str, float], law: str, factor: float = 1.0) -> dict[str, pliant.Actuator]:
    """The arm's servos with delays [s] and a friction law, their friction and windings off by a factor."""
    made: dict[str, pliant.Actuator] = {}
    for joint, device in {"shoulder": "mx106", "elbow": "xl330"}.items():
        servo = pliant.load_actuator(f"{device}_bam_{law}")
        servo = pliant.with_law(servo, "timing", "command_delay")
        off = {n: factor * servo.value(n) for n in ("friction.K_c", "friction.K_v", "motor.R")}
        made[joint] = servo.with_values(off | {"timing.delay": delays[joint]}, "drawn", "assumed")
    return made


def driven(
    motion: str, servos: dict[str, pliant.Actuator], seed: int, seconds: float
) -> tuple[RobotLog, RobotLog]:
    """A run at full rate with the goals that arrived, and at its frames with those that were wanted."""
    rng = np.random.default_rng(len(motion) + 100 * seed)
    frames = np.arange(0.0, seconds, 1.0 / RATE)
    sent = np.maximum.accumulate(frames + np.abs(rng.normal(0.0, JITTER, len(frames))))
    wanted = np.array([arm_recordings.MOTIONS[motion](t) for t in frames])
    arrived = wanted.copy()
    arrived[:, 0] = np.clip(arrived[:, 0], -CLIP, CLIP)

    def held(t: float) -> tuple[float, ...]:
        return tuple(arrived[max(np.searchsorted(sent, t, side="right") - 1, 0)])

    arm_recordings.MOTIONS[f"{motion}_held"] = held
    full: RobotLog = arm_recordings.record(ARM, servos, f"{motion}_held", seconds=seconds)
    lines = [np.interp(sent - LAG, full.time, full.position[:, k]) for k in range(2)]
    read: Floats = np.column_stack(lines)
    step: float = arm_recordings.QUANTUM
    read = step * np.round(read / step)
    nothing = np.full_like(read, np.nan)
    on = np.ones(read.shape, bool)
    return replace(full, name=motion), RobotLog(
        motion, full.joints, frames, read, wanted, nothing, on
    )


def data_set(logs: list[RobotLog], path: Path) -> None:
    """The frames as LeRobot writes them."""
    feature = {"dtype": "float32", "shape": [2], "names": list(logs[0].joints)}
    features = {"observation.state": feature, "action": feature}
    info = {"codebase_version": "v3.0", "fps": RATE, "features": features}
    tables: list[Any] = []
    for number, log in enumerate(logs):
        k = np.arange(len(log.time))
        lists = pa.list_(pa.float32(), 2)
        columns: dict[str, Any] = {
            "observation.state": pa.array(list(log.position.astype(np.float32)), lists),
            "action": pa.array(list(log.goal.astype(np.float32)), lists),
            "timestamp": (k / RATE).astype(np.float32),
            "frame_index": k,
            "episode_index": 0 * k + number,
        }
        tables.append(pa.table(columns))
    (path / "meta").mkdir(parents=True)
    (path / "meta" / "info.json").write_text(json.dumps(info))
    (path / "data" / "chunk-000").mkdir(parents=True)
    pq.write_table(pa.concat_tables(tables), path / "data" / "chunk-000" / "file-000.parquet")


def fitted(logs: list[RobotLog], begin: Mapping[str, pliant.Actuator]) -> RobotIdentification:
    """The fit of these recordings, from these servos on."""
    return identify_robot(
        ARM, begin, logs, fit=FIT, fix=HELD, search_settings=SEARCH, settings=SETTINGS
    )


def at_times(
    found: RobotIdentification, logs: list[RobotLog], begin: dict[str, pliant.Actuator]
) -> RobotIdentification:
    """The fit again, at the times that the one before found, as `pliant identify --plan frame_times=yes` does it."""
    for number in range(PASSES):
        timed = frame_times(found, logs)
        end = fitted(timed, begin)
        if number and end.fitted.mae > found.rig.evaluate(timed).mae:
            end = fitted(timed, found.actuators)
        found = end
    return found


def judged(
    servos: Mapping[str, pliant.Actuator], others: list[RobotLog], judge: RobotLog, what: str
) -> dict[str, float]:
    """Errors of each joint [rad] on a motion not seen, without the recorder's delay, which `others` tell."""
    late, alone = without_recorder(ARM, servos, others, settings=SETTINGS)
    as_found, errors = (
        evaluate_robot(ARM, one, [judge], settings=SETTINGS).by_joint() for one in (servos, alone)
    )
    said = ", ".join(
        f"{j} {1e3 * errors[j]:.2f} mrad (with the delay as found {1e3 * as_found[j]:.2f}: "
        f"{1e3 * servos[j].value('timing.delay'):.1f} ms, the servo's own {1e3 * DELAYS[j]:.0f})"
        for j in errors
    )
    print(f"{what}: {said}; delay of the recorder {1e3 * late:.1f} ms", flush=True)
    return errors


def trial(seed: int, seconds: float, laws: Sequence[str]) -> None:
    """Record, read, fit, judge: by the law that the servos have, and by a simpler one, as every law is."""
    print(f"seed {seed}")
    servos = arm(DELAYS, "m4", 1.25)
    runs = [driven(motion, servos, seed, seconds) for motion in MOTIONS]
    judge: RobotLog = arm_recordings.record(ARM, servos, "rising", seconds=SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "set"
        data_set([frames for _, frames in runs], path)
        frames = read_robot_logs(path)
        said = {f"{log.name}: {one}" for log in frames for one in robot_findings(log)}
        for text in sorted(text for text in said if "warning" in text or "ms late" in text):
            print(f"  told of the data set: {text}", flush=True)
        clipped = read_robot_logs(path, Reading(clip={"shoulder": (-CLIP, CLIP)}))
    whole_rate = [full for full, _ in runs]
    for law in laws:
        begin = arm(dict.fromkeys(DELAYS, 0.005), law)
        servos_of = {
            "full rate, goals as they arrived": fitted(whole_rate, begin).actuators,
            "30 Hz, the clipping told": (first := fitted(clipped, begin)).actuators,
            "30 Hz, at the frames' times found": at_times(first, clipped, begin).actuators,
        }
        errors = [
            judged(found, whole_rate, judge, f"{law}, {what}") for what, found in servos_of.items()
        ]
        for joint in DELAYS:
            told, timed = (one[joint] / errors[0][joint] for one in errors[1:])
            print(
                f"{law}, {joint}: {told:.2f} times the error of the full rate, {timed:.2f} with times found"
            )


if __name__ == "__main__":
    asked = sys.argv[2:]
    chosen = [law for law in LAWS if law in asked] or LAWS
    for number in [one for one in asked if one not in LAWS] or ["0"]:
        trial(int(number), float(sys.argv[1]) if sys.argv[1:] else SECONDS, chosen)
