"""Health of servos: friction, torque, play and zero of each joint in a short recording, against a reference.

The reference is the mean of the device's units, or the result of an earlier recording of the same servo.

1. friction, torque constant or play of the reference is multiplied by a factor, the joint alone, the others led
   along the recordings: its posterior says how well they tell it, and that of the reference's own recordings how
   well it was known
2. the factor that explains most is taken, and of the other two one that explains half as much again
3. with these, the joint's zero
4. each is so many standard deviations from the reference

Wear changes few numbers, one first: friction, torque and play that trade places in a fit of all numbers do so much
less here. Play is the gap of the gear's teeth where the actuator has one, and else the dead band: the error that
the servo leaves standing. A dead band below what friction leaves standing anyway is not seen.

Left out: wear that is none of these, such as a slipping clutch. The model's masses are taken as right: a payload that
it lacks is a weak servo.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, log, sqrt
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.nuisances import nuisances
from pliant.identification.problem.posterior import Posterior, expected
from pliant.identification.problem.repeatability import SAME
from pliant.identification.problem.residuals import Scaled
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import AnyLog, LogT
from pliant.identification.problem.space import Space, named
from pliant.identification.robot.rig import RobotRig
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.io.table import possible, unread
from pliant.report.derived import derived, friction_budget, has_budget
from pliant.report.document import band, figure, line, rendered, table
from pliant.report.page import titled

SLOW, LOAD = 0.3, 0.05
"""[rad/s; fraction of the stall torque] Speed and load at which the friction of units is compared."""
PLAY = ("contact.gap", "control.dead_band")
"""Parameters that count as play; the first that an actuator has is used."""
TORQUE = "motor.k_t"
FACTORS = (0.25, 4.0)
"""Between which they are looked for."""
KINDS = {"friction": "stiff", "torque": "weak", "play": "loose", "zero": "zero moved"}
"""Map of quantity to the word for its deterioration."""
WORSE = {"friction": 1.0, "torque": -1.0, "play": 1.0}
"""Direction of deterioration; for a zero either."""
WEAR = ("friction", "torque")
"""Quantities that distinguish devices; in many, play is too small to show against friction."""
MANY_JOINTS, UNLIKE = 3, 2.0
"""Number of joints from which a factor common to most means another device; fewer joints may all be worn."""
CLEAR = 3.0
"""Standard deviations from which a change is reported."""
AGAIN = {"friction": 0.1, "torque": 0.055, "play": 0.05}
"""Least width of a factor's logarithm, for what the model lacks. In second minutes of six healthy simulated arms, whose
masses differ from the model's, the factors of friction and torque were off by 0.02, of play by 0.06 at most."""
OTHERS = {"friction": 0.25, "torque": 0.3, "play": 0.3}
"""The same of other commands than the reference's, whose numbers then stand for what no model has: scatter over ten
pairs of motions of a real SO-101, 30 s each, all factors free, of the joint that scatters most but for the gripper."""
LOWER, LEAST = 0.02, 2e-4
"""Share and amount [rad] by which a zero that has moved lowers the error: what the model lacks moves it too, by up to 40
mrad in second minutes of five healthy simulated arms."""
HOT = 60.0
"""[degC] Feetech's and ROBOTIS's servos switch off at 70."""
LINE: Floats = np.linspace(log(FACTORS[0]), log(FACTORS[1]), 111)
"""Logarithms of the factors that are tried; finer steps are below `AGAIN`."""
MANY = 300
"""Units that are drawn if a file has only the spread of each number."""


@dataclass(frozen=True)
class Estimate:
    """A factor of the reference's number (its natural logarithm), or a zero [rad], with its standard deviation."""

    value: float
    width: float

    def deviations(self, reference: float) -> float:
        """Standard deviations from the reference, whose own is given."""
        return self.value / max(hypot(self.width, reference), 1e-12)


@dataclass(frozen=True)
class JointHealth:
    """One joint in one group of recordings.

    Attributes:
        joint: its name; "" on a bench. group: of the recordings. against: name of the reference.
        now: quantity to its estimate from the recordings. spread: standard deviation of the reference itself.
        temperature: the highest reading [degC]; None: not read.
    """

    joint: str
    group: str
    against: str
    now: Mapping[str, Estimate]
    spread: Mapping[str, float]
    temperature: float | None = None

    @property
    def deviations(self) -> dict[str, float]:
        """Quantity to its standard deviations from the reference."""
        return {n: x.deviations(self.spread.get(n, 0.0)) for n, x in self.now.items()}

    @property
    def unseen(self) -> list[str]:
        """Quantities of which even half, or twice as much, would not be detected."""
        factors = {n: x for n, x in self.now.items() if n in WORSE}
        return [n for n, x in factors.items() if CLEAR * x.width > log(2.0)]

    @property
    def kinds(self) -> list[str]:
        """Words for the deterioration: stiff, weak, loose, worn (two of them), zero moved, hot."""
        found = [KINDS[name] for name, far in self.deviations.items() if worse(name, far)]
        wear = [kind for kind in found if kind != KINDS["zero"]]
        hot = self.temperature is not None and self.temperature >= HOT
        return [*(["worn"] if len(wear) > 1 else []), *found, *(["hot"] if hot else [])]


def health(
    rig: Rig[LogT],
    logs: Sequence[LogT],
    group: str,
    against: str,
    spread: Mapping[str, Mapping[str, float]],
    first: Sequence[LogT] = (),
) -> list[JointHealth]:
    """Every joint in one group of recordings.

    Args:
        rig: with the reference's numbers in its joints. logs: the recordings.
        group, against: names of the recordings, and of the reference.
        spread: joint to the standard deviation of each quantity of the reference, where it has one.
        first: the recordings that the reference was fitted to, if it was.
    """
    each = {joint: _factors(rig, joint, logs, first) for joint in rig.actuators}
    now = {joint: found for joint, (found, _) in each.items()}
    if isinstance(rig, RobotRig):
        robot = [log for log in logs if isinstance(log, RobotLog)]
        changed = {joint: actuator for joint, (_, actuator) in each.items()}
        for joint, zero in _zeros(rig.with_actuators(changed), robot).items():
            now[joint]["zero"] = zero
    return [
        JointHealth(joint, group, against, now[joint], spread.get(joint, {}), hottest(logs, joint))
        for joint in rig.actuators
    ]


def population(actuator: Actuator) -> dict[str, float]:
    """Spread of a device's units in the logarithm of each quantity: of the sets in its file, else of its numbers."""
    carried = actuator.ensemble
    if carried is not None and len(carried.of_draws()) > 2:
        names, rows = carried.names, carried.of_draws()
    else:
        known = {n: x for n, x in actuator.numbers.items() if x.std}
        names = tuple(known)
        normal = np.random.default_rng(1).normal(size=(MANY, len(known)))
        rows = np.array([x.value for x in known.values()]) + normal * [
            x.std or 0.0 for x in known.values()
        ]
        ends = [(actuator.fields[n].low, actuator.fields[n].high) for n in names]
        rows = np.clip(rows, *np.array(ends).reshape(-1, 2).T)
    load = LOAD * abs(derived(actuator).motor_torque)
    sets = [
        _quantities(actuator.with_values(dict(zip(names, row, strict=True)), "", "assumed"), load)
        for row in rows.tolist()
    ]
    lines = {name: np.array([one[name] for one in sets]) for name in sets[0]}
    return {n: float(np.std(np.log(x[x > 0.0]))) for n, x in lines.items() if (x > 0.0).any()}


def check_device(found: Sequence[JointHealth]) -> None:
    """Refuse recordings in which most joints differ from the device in friction or torque: wear changes few."""
    least = log(FACTORS[1] if len(found) < MANY_JOINTS else UNLIKE)
    off = [x for one in found for n, x in one.now.items() if n in WEAR and abs(x.value) >= least]
    if 2 * len(off) > len(found):
        factors = ", ".join(f"{exp(x.value):.2g}" for x in off)
        raise PliantError(
            f"the recordings are of another device: friction or torque differ by factors of {factors}",
            field="--against",
            found=found[0].against,
            accepted="the device of these servos, or the folder that a fit to them wrote",
        )


def repeats(first: Sequence[Log | RobotLog], later: Sequence[Log | RobotLog]) -> bool:
    """Whether later recordings have commands of the first ones only."""
    return all(any(_same(one, log) for one in first) for log in later)


def _same(one: Log | RobotLog, other: Log | RobotLog) -> bool:
    """Whether two recordings have the same commands, as long as both last."""
    a, b = (log.goal.reshape(len(log.time), -1) for log in (one, other))
    if a.shape[1] != b.shape[1]:
        return False
    end = min(float(one.time[-1]), float(other.time[-1]))
    time = np.linspace(0.0, end, 500)
    lines = zip(a.T, b.T, strict=True)
    apart = [np.interp(time, one.time, x) - np.interp(time, other.time, y) for x, y in lines]
    return bool(np.nanmean(np.abs(apart)) < SAME)


def sentences(found: Sequence[JointHealth]) -> list[str]:
    """A sentence on each joint that differs from its reference."""
    said: list[str] = []
    for one in found:
        parts = [
            f"{name} {far:+.1f} standard deviations from {one.against}"
            for name, far in one.deviations.items()
            if worse(name, far)
        ]
        if "hot" in one.kinds:
            parts.append(f"it read {one.temperature:.0f} degC")
        if parts:
            where = f"{one.group}: {one.joint}" if one.joint else one.group
            said.append(f"{where} is {', '.join(one.kinds)}: {'; '.join(parts)}")
    return said


def hottest(logs: Sequence[AnyLog], joint: str) -> float | None:
    """The highest temperature [degC] that a joint's servo read; None: none was recorded."""
    lines = [
        log.others["temperature"][:, log.column(joint)]
        for log in logs
        if isinstance(log, RobotLog) and "temperature" in log.others
    ]
    return max((float(x.max()) for x in lines if possible(x) and not unread(x)), default=None)


def worse(name: str, far: float) -> bool:
    """Whether a quantity that is so many standard deviations off is reported."""
    return (WORSE[name] * far if name in WORSE else abs(far)) >= CLEAR


def _factors(
    rig: Rig[LogT], joint: str, logs: Sequence[LogT], first: Sequence[LogT]
) -> tuple[dict[str, Estimate], Actuator]:
    """Factors of one joint: that which explains the recordings best, a second if it explains half as much; with them."""
    known = sorted(factor for factor, own in _numbers(rig.actuators[joint]).items() if own)
    exact: Floats = np.where(np.abs(LINE) < 1e-9, 0.0, np.inf)
    before = {one: _costs(rig, joint, one, first) if first else exact for one in known}
    found: dict[str, Estimate] = {}
    least = 0.0
    for _ in range(min(2, len(known))):
        now = {one: _costs(rig, joint, one, logs) for one in known}
        each = {one: _change(before[one], now[one], AGAIN[one]) for one in known}
        for factor, (one, _) in each.items():
            found.setdefault(factor, Estimate(0.0, one.width))
        best, (one, gain) = max(each.items(), key=lambda entry: entry[1][1])
        known.remove(best)
        if gain <= least:
            break
        found[best], least = one, 0.5 * gain
        actuator = rig.actuators[joint]
        times = exp(float(LINE[np.argmin(now[best])]))
        values = {n: actuator.value(n) * times for n in _numbers(actuator)[best]}
        worn = actuator.with_values(values, "health", "identified")
        rig = rig.with_actuators({**rig.actuators, joint: worn})
    return found, rig.actuators[joint]


def _costs(rig: Rig[LogT], joint: str, factor: str, logs: Sequence[LogT]) -> Floats:
    """Negative logarithm of the posterior of one factor at `LINE`, the others as they are."""
    actuator = rig.actuators[joint]
    own = [(named(joint, n), actuator.value(n)) for n in _numbers(actuator)[factor]]
    whole = _space([(n, x * FACTORS[0], x * FACTORS[1], x) for n, x in own])
    space = _space([(factor, *FACTORS, 1.0)])
    alone = rig.of_joint(joint).one_by_one().seeing(whole)
    misfit = Scaled(alone.residuals(logs, whole), space, {factor: whole.names})
    goal = Posterior(misfit, expected(space))
    # A joint that starts to stick responds with a jump, and a dead band within the friction not at all: no derivatives.
    return goal(space.to_cube(np.exp(LINE)[:, None]))


def _change(before: Floats, now: Floats, least: float) -> tuple[Estimate, float]:
    """Log change of a factor, from both of its costs, and the gain in log-likelihood over no change."""
    likely = np.correlate(np.exp(now.min() - now), np.exp(before.min() - before), "full")
    change: Floats = (LINE[1] - LINE[0]) * np.arange(1 - len(LINE), len(LINE))
    mean = float(likely @ change / likely.sum())
    width = hypot(float(np.sqrt(likely @ (change - mean) ** 2 / likely.sum())), least)
    broad = np.convolve(likely, np.exp(-0.5 * (change / least) ** 2), "same")
    # If recordings only bound it on one side, the likelihood ratio is more informative than the width.
    far = log(float(broad.max() / max(broad[len(LINE) - 1], 1e-300)))
    gain = float((before + now).min() - before.min() - now.min())
    return Estimate(mean, abs(mean) / sqrt(2.0 * far) if far > 0.5 else width), gain


def _zeros(rig: RobotRig, logs: Sequence[RobotLog]) -> dict[str, Estimate]:
    """Each joint's zero relative to the reference's; kept with its prior width if the error hardly falls."""
    together = [replace(log, path=None) for log in logs]  # one calibration, whatever their folders
    moved, zeros = nuisances(rig, together, "folder", None)
    before, after = (rig.evaluate(some).by_joint() for some in (together, moved))
    found: dict[str, Estimate] = {}
    for joint, one in zip(rig.actuators, zeros, strict=True):
        shift = one.value - one.expected
        clear = before[joint] - after[joint] > max(LOWER * before[joint], LEAST)
        found[joint] = Estimate(shift, one.std if clear else max(one.std, abs(shift)))
    return found


def _space(rows: Sequence[tuple[str, float, float, float]]) -> Space:
    """Name, bounds and start of each number."""
    names, *columns = zip(*rows, strict=True)
    low, high, start = (np.array(column, dtype=np.float64) for column in columns)
    return Space(tuple(map(str, names)), low, high, start)


def _numbers(actuator: Actuator) -> dict[str, list[str]]:
    """Map of quantity to the actuator's parameters that it is proportional to, without those that are 0."""
    brakes = [n for n in actuator.fields if n.split(".")[0] in ("friction", "gear")]
    play = [n for n in PLAY if n in actuator.fields][:1]
    found = {
        "friction": [n for n in brakes if n.rpartition(".")[2].startswith("K_")],
        "torque": [n for n in (TORQUE,) if n in actuator.fields],
        "play": play,
    }
    return {q: [n for n in own if actuator.value(n) > 0.0] for q, own in found.items()}


def _quantities(actuator: Actuator, load: float) -> dict[str, float]:
    """Friction under a load [N m] and torque at standstill [N m], play [rad]."""
    found = {"torque": abs(derived(actuator).motor_torque)}
    if has_budget(actuator):
        found["friction"] = float(friction_budget(actuator, SLOW, load, -load))
    play = [actuator.value(n) for n in PLAY if n in actuator.fields]
    return found | ({"play": play[0]} if play else {})


SHOWN = ("friction", "torque", "play")
HEAD = [
    "recordings",
    "joint",
    "against",
    *(f"{name} [×]" for name in SHOWN),
    "zero [mrad]",
    "told",
]


def rows(found: Sequence[JointHealth]) -> list[list[str]]:
    """A row for each joint and group: each quantity, and how many standard deviations it is off."""
    return [
        [
            one.group,
            one.joint,
            one.against,
            *(_factor_text(one, name) for name in SHOWN),
            _zero(one),
            ", ".join(one.kinds) or "-",
        ]
        for one in found
    ]


def _factor_text(one: JointHealth, name: str) -> str:
    if name not in one.now or name in one.unseen:
        return "not seen" if name in one.now else "-"
    return f"{exp(one.now[name].value):.2f} ({one.deviations[name]:+.1f})"


def _zero(one: JointHealth) -> str:
    if "zero" not in one.now or abs(one.deviations["zero"]) < 1.0:
        return "not seen" if "zero" in one.now else "-"
    return f"{1e3 * one.now['zero'].value:+.1f} ({one.deviations['zero']:+.1f})"


def health_page(found: Sequence[JointHealth], against: Sequence[str], said: Sequence[str]) -> str:
    """The HTML of the report; with plots where there are three groups of recordings or more."""
    groups = list(dict.fromkeys(one.group for one in found))
    courses: dict[str, list[JointHealth]] = {}
    for one in found:
        if one.group != groups[0]:
            courses.setdefault(one.joint, []).append(one)
    plots = [_plot(courses, name) for name in SHOWN] if len(groups) > 2 else []
    return rendered(
        "health.html",
        title=f"Health of servos, {', '.join(against)}",
        about=f"recordings: {', '.join(groups)}",
        plotted=True,
        said=said or ["No difference is found."],
        table=table(HEAD, rows(found), numbers=tuple(range(3, len(HEAD) - 1))),
        plots=plots,
    )


def _plot(courses: Mapping[str, Sequence[JointHealth]], name: str) -> Any:
    """A quantity of every joint, as a factor of its first recording's."""
    data: list[Any] = []
    for joint, every in courses.items():
        seen = [(k + 2.0, one.now[name]) for k, one in enumerate(every) if name in one.now]
        if not seen:
            continue
        number = [1.0, *(k for k, _ in seen)]
        value = np.array([0.0, *(x.value for _, x in seen)])
        width = np.array([0.0, *(x.width for _, x in seen)])
        data += band(number, np.exp(value - width), np.exp(value + width), "band", joint)
        data.append(line(number, np.exp(value), "simulated", joint or name, width=2.0))
    label = f"{name} of each joint over its recordings"
    made = figure(data, "recordings", f"{name}, of the first", label=label, height=240)
    return titled(made, name, "")
