"""Laws, number of motions and sharing for an SO-101, tested on held-out kinds of motion.

`python benchmarks arm_recipe` prints what `RESULTS` holds; with `--logs FOLDER` of the 20 motions of
isaac-sim2real/sage (see docs/measurements.md) it measures what is missing there, an hour or two of one core.
Each joint is simulated alone in the joint engine, with the others along their recording and without contact;
results are the mean of the five arm joints.
"""

import dataclasses
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from pliant.assemble import Actuator
from pliant.cli.choices import with_laws
from pliant.identification.problem.posterior import Prior
from pliant.identification.robot.device import device_actuator, device_of
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.identify import RobotIdentification, identify_robot

Motions = Mapping[str, RobotLog]
RESULTS = Path(__file__).with_name("arm_recipe.json")
MODEL = Path(__file__).parents[1] / "src/pliant/data/so101_arm/so101_on_table.xml"
ARM = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll")
KINDS: Mapping[str, tuple[str, ...]] = {
    "slow": ("backlash_detection", "hold_under_gravity", "oscillation_low_freq", "slow_precision"),
    "fast": ("actuator_bandwidth", "chirp_sweep", "velocity_ramp"),
    "steps": ("staircase_motion", "step_response"),
    "paths": (
        *("custom_motion", "diagonal_sweep", "multisine", "pick_place", "random_waypoints"),
        *("sinusoidal_sweep", "triangle_wave"),
    ),
    "one joint": (
        *("dual_joint_rotation_pitch", "single_joint_elbow", "single_joint_rotation"),
        "single_joint_wrist_pitch",
    ),
}
LAWS: Mapping[str, tuple[str, ...]] = {
    "M1": ("friction=m1", "control=firmware_profile"),
    "M2": ("friction=m2", "control=firmware_profile"),
    "M4": ("friction=m4", "control=firmware_profile"),
    "M6": ("friction=m6", "control=firmware_profile"),
    "M4, no limit of acceleration": ("friction=m4", "control=firmware_position"),
    "M4, zeros of the encoders too": ("friction=m4", "control=firmware_profile"),
}
ZEROS = {"M4, zeros of the encoders too": ("*.command_offset", "*.position_offset")}
COUNTS = (1, 2, 4, 8, 16)
DRAWS = 3
"""Sets of motions of each number."""
SHORT, LONG, JUDGED = 12.0, 20.0, 30.0
"""[s] of each motion: in fits to many, in fits to few, in tests. The part in which the commands move most."""
SEARCH = SearchSettings(starts=2, jacobians=18)


def rows(logs: str | None) -> list[tuple[str, str, str]]:
    """(what, measured, bar); without the recordings, what is stored."""
    every = {log.name: log for log in read_robot_logs([logs])} if logs is not None else None
    return [*_laws(every), *_numbers(every)]


def _laws(every: Motions | None) -> Iterator[tuple[str, str, str]]:
    for law in LAWS:
        found = {
            kind: _known(f"law: {law}, without {kind}", _law, every, law, kind) for kind in KINDS
        }
        errors = {kind: one for kind, one in found.items() if one}
        each = [x for one in errors.values() for x in one.values()]
        if not each:
            continue
        parts = ", ".join(
            f"{kind} {statistics.fmean(one.values()):.1f}" for kind, one in errors.items()
        )
        whole = f"{statistics.fmean(each):.1f}" if len(errors) == len(KINDS) else "-"
        what = f"SO-101, {law}, each kind of motion held out in turn [mrad]"
        yield what, f"{whole}: {parts}; worst motion {max(each):.1f}", "-"


def _numbers(every: Motions | None) -> Iterator[tuple[str, str, str]]:
    for shared in (False, True):
        for count in COUNTS:
            names = [(f"{count} motions, draw {k}, shared {shared}", k) for k in range(DRAWS)]
            found = [_known(name, _number, every, count, k, shared) for name, k in names]
            means = [statistics.fmean(one.values()) for one in found if one]
            if means:
                listed = ", ".join(f"{x:.1f}" for x in means)
                how = "other joints as prior" if shared else "joints alone"
                what = f"SO-101, {count} motions of {LONG:g} s, {how} [mrad]"
                yield what, f"{statistics.fmean(means):.1f} ({listed})", "-"


def _known(
    name: str, measure: Callable[..., dict[str, float]], every: Motions | None, *choice: object
) -> dict[str, float]:
    """A stored result, or one measured now and stored; motion to error [mrad]."""
    known: dict[str, dict[str, float]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if name not in known and every is not None:
        known[name] = {motion: round(x, 3) for motion, x in measure(every, *choice).items()}
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")
    return known.get(name, {})


def _law(every: Motions, law: str, kind: str) -> dict[str, float]:
    fitted = [_liveliest(x, SHORT) for name, x in every.items() if name not in KINDS[kind]]
    judged = [_liveliest(x, JUDGED) for name, x in every.items() if name in KINDS[kind]]
    zeros = ZEROS.get(law, ("*.command_offset",))
    return _errors(_fitted(fitted, _begin(LAWS[law]), zeros=zeros), judged)


def _number(every: Motions, count: int, draw: int, shared: bool) -> dict[str, float]:
    names = list(np.random.default_rng(draw).permutation(sorted(every)))
    fitted = [_liveliest(every[name], LONG) for name in names[:count]]
    judged = [_liveliest(every[name], JUDGED) for name in names[-(len(names) - max(COUNTS)) :]]
    begin = _begin(LAWS["M4"])
    found = _fitted(fitted, begin)
    if not shared:
        return _errors(found, judged)
    prior = {joint: _of_others(found, joint) for joint in ARM}
    return _errors(_fitted(fitted, begin, Prior(prior)), judged)


def _of_others(found: RobotIdentification, joint: str) -> Actuator:
    device = device_of(found, [other for other in ARM if other != joint])
    return device_actuator(device, found.actuators[joint], "others", "others", "the other joints")


def _begin(laws: Sequence[str]) -> Actuator:
    return with_laws(load_actuator("feetech_sts3215_7_4V_bam_m1"), ("timing=command_delay", *laws))


def _fitted(
    logs: Sequence[RobotLog],
    begin: Actuator,
    prior: Prior | None = None,
    zeros: Sequence[str] = ("*.command_offset",),
) -> RobotIdentification:
    fix = {"*.control.kp": 16.0}
    if "control.acceleration_limit" in begin.fields:
        fix["*.control.acceleration_limit"] = 38.96
    return identify_robot(
        MODEL,
        dict.fromkeys(ARM, begin),
        logs,
        how="separately",
        fit=dict.fromkeys(zeros),
        fix=fix,
        search_settings=SEARCH,
        prior=prior,
    )


def _errors(found: RobotIdentification, judged: Sequence[RobotLog]) -> dict[str, float]:
    """Motion to its error [mrad] in the joint engine."""
    space = found.space
    residuals = found.rig.coarse().residuals(judged, space)
    left = residuals(space.to_cube(found.point)[None])[0]
    blocks = [1e3 * float(np.abs(part).mean()) for part in residuals.samples.per_block(left)]
    each = np.reshape(blocks, (len(judged), -1)).mean(axis=1)
    return {log.name: float(x) for log, x in zip(judged, each, strict=True)}


def _liveliest(log: RobotLog, seconds: float) -> RobotLog:
    """The part of a recording in which the commands move most."""
    count = round(seconds / float(np.median(np.diff(log.time))))
    if count >= len(log.time):
        return log
    moved = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(log.goal, axis=0)).sum(axis=1))])
    begin = int(np.argmax(moved[count:] - moved[:-count]))
    part = slice(begin, begin + count)
    return dataclasses.replace(
        log,
        time=log.time[part] - log.time[begin],
        **{name: getattr(log, name)[part] for name in ("position", "goal", "speed", "enabled")},
        supply=None if log.supply is None else log.supply[part],
        current=None if log.current is None else log.current[part],
        others={},
    )
