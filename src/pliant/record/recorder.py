"""Recording of servos: goals out and readings in, each with the time of its packet.

1. All registers are read and saved; gains are written and read back.
2. Each joint moves slowly to where its motion begins.
3. In each cycle the goals are written, all servos are read, and the sample is written to disk.
4. However it ends, torque is switched off or the joint is held where it is, as chosen.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from pliant.errors import PliantError
from pliant.record.guard import Guard
from pliant.record.journal import JointJournal, RobotJournal
from pliant.record.line import Line
from pliant.record.motions import Motion
from pliant.record.sdk_bus import Sample, ServoBus
from pliant.record.tables import COUNT, MIDDLE, Model

CHANNELS = ("position", "velocity", "duty", "current", "voltage", "temperature")
SLOW = 0.6
"""[rad/s] Speed of the slow start."""
MOST_LOST = 20
"""Readings in a row without an answer, after which the bus counts as gone."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits at which a recording stops.

    Attributes:
        reach: largest goal to either side of the middle [rad].
        beyond: how much further out a position may be [rad].
        temperature: of a servo [°C]. current: of a servo [A].
    """

    reach: float = 1.2
    beyond: float = 0.6
    temperature: float = 60.0
    current: float = 3.0


@dataclass(frozen=True, kw_only=True)
class Session:
    """Servos, bus and settings of a recording.

    Attributes:
        model: control table of the servos. servos: id to the joint's name. line, baud: of the bus.
        rate: samples per second; None for as fast as the bus allows. channels: readings.
        gains: registers to write first, with their values. limits: see `Limits`.
        safe: at the end, switch torque off, or hold the joints where they are.
    """

    model: Model
    servos: Mapping[int, str]
    line: Line
    baud: int = 1_000_000
    rate: float | None = 200.0
    channels: Sequence[str] = ("position", "velocity", "duty", "current", "voltage")
    gains: Mapping[str, int] = field(default_factory=dict[str, int])
    limits: Limits = field(default_factory=Limits)
    safe: Literal["off", "hold"] = "off"

    @property
    def registers(self) -> list[str]:
        """Registers of the channels; temperature is always watched."""
        names = dict.fromkeys((*self.channels, "position", "temperature"))
        return [self.model.channels[name] for name in names]


@dataclass
class Progress:
    """Progress of a recording: time of its length [s], samples, readings lost, last goal and position."""

    time: float
    length: float
    samples: int
    lost: int
    goal: float
    position: float


Say = Callable[[Progress], None]


@contextmanager
def connected(session: Session) -> Generator[ServoBus]:
    """Open the bus with a guard: afterwards its servos are safe, even if this process is killed.

    Raises:
        PliantError: a port or servo does not answer, or keeps another gain than it was given.
    """
    ids = list(session.servos)
    line = session.line
    bus = ServoBus(line, session.baud, session.model, ids, session.registers)
    guarded = line.lasting and session.safe == "off"
    guard = Guard(line.name, session.baud, session.model, ids) if guarded else None
    try:
        for servo in ids:
            bus.put(servo, "torque_enable", 0)
            for name, count in session.gains.items():
                bus.put(servo, name, count)
        yield bus
    finally:
        try:
            _make_safe(bus, session)
        finally:
            bus.close()
            if guard is not None:
                guard.dismiss()


def _make_safe(bus: ServoBus, session: Session) -> None:
    """Torque off, or hold; a bus that is gone cannot be told."""
    with suppress(PliantError):
        bus.clear()
    for servo in session.servos:
        try:
            if session.safe == "off":
                bus.put(servo, "torque_enable", 0)
            else:
                bus.put(servo, "goal_position", bus.get(servo, "present_position"))
        except PliantError:
            continue


def record(
    bus: ServoBus,
    session: Session,
    motion: Motion,
    journal: JointJournal | RobotJournal,
    say: Say | None = None,
) -> Progress:
    """Run one motion on all servos, and write each sample as it comes.

    Raises:
        PliantError: a limit is reached, the bus is gone, or the disk is full. What came until then
            is in the file.
    """
    start = _slow_start(bus, session, motion)
    said = Progress(0.0, motion.seconds, 0, 0, start, start)
    powered = True
    begin = bus.line.now()
    lost_now, cycle = 0, 0
    while (t := bus.line.now() - begin) < motion.seconds:
        goal = motion.goal(t, session.limits.reach)
        if motion.enabled(t) != powered:
            powered = not powered
            for servo in session.servos:
                bus.put(servo, "torque_enable", int(powered))
        count = MIDDLE + round(goal / COUNT)
        written = (
            bus.tell(dict.fromkeys(session.servos, count)) if powered else (begin + t, begin + t)
        )
        sample = bus.sample()
        cycle += 1
        if sample.counts is None:
            said.lost += 1
            lost_now += 1
            if lost_now > MOST_LOST:
                raise PliantError("the servos do not answer any more", file=session.line.name)
            continue
        lost_now = 0
        _append(journal, session, sample, _Told(count, powered, written, begin))
        said.time, said.samples, said.goal = t, journal.count, goal
        said.position = _angle(
            next(iter(sample.counts.values()))[session.model.channels["position"]]
        )
        _check(session, sample)
        if say is not None:
            say(said)
        if session.rate is not None:
            left = begin + cycle / session.rate - bus.line.now()
            if left > 0.0:
                bus.line.sleep(left)
            else:
                cycle = int((bus.line.now() - begin) * session.rate)
    return said


@dataclass(frozen=True)
class _Told:
    """The command beside a sample."""

    count: int
    powered: bool
    written: tuple[float, float]
    begin: float


def _slow_start(bus: ServoBus, session: Session, motion: Motion) -> float:
    """Take the joints to where the motion begins, at a walking pace.

    Raises:
        PliantError: a joint is too far out, or a limit is reached.
    """
    goal = motion.goal(0.0, session.limits.reach)
    here = {servo: _angle(bus.get(servo, "present_position")) for servo in session.servos}
    sample = bus.sample()
    if sample.counts is not None:
        _check(session, sample)
    for servo, angle in here.items():
        bus.put(servo, "goal_position", _count(angle))
        bus.put(servo, "torque_enable", 1)
    longest = max(abs(goal - angle) for angle in here.values()) / SLOW
    begin = bus.line.now()
    while (t := bus.line.now() - begin) < longest:
        part = t / longest
        bus.tell({servo: _count(a + part * (goal - a)) for servo, a in here.items()})
        sample = bus.sample()
        if sample.counts is not None:
            _check(session, sample)
        bus.line.sleep(0.005)
    bus.tell(dict.fromkeys(session.servos, _count(goal)))
    bus.line.sleep(0.3)
    return goal


def _check(session: Session, sample: Sample) -> None:
    """Refuse to go on beyond a limit."""
    assert sample.counts is not None
    limits, model = session.limits, session.model
    for servo, counts in sample.counts.items():
        known = {
            name: counts[register] * model.registers[register].scale
            for name, register in model.channels.items()
            if register in counts
        }
        angle = _angle(counts[model.channels["position"]])
        over = [
            ("position", abs(angle), limits.reach + limits.beyond, "rad"),
            ("temperature", known.get("temperature", 0.0), limits.temperature, "degC"),
            ("current", abs(known.get("current", 0.0)), limits.current, "A"),
        ]
        for name, value, limit, unit in over:
            if value > limit:
                raise PliantError(
                    f"{name} is beyond its limit: stopped",
                    field=f"servo {servo}",
                    found=round(value, 3),
                    accepted=f"at most {limit:g} {unit}",
                )


def _append(
    journal: JointJournal | RobotJournal, session: Session, sample: Sample, told: _Told
) -> None:
    """One sample in the units of the log. Its time is the middle of the reading."""
    assert sample.counts is not None
    at = 0.5 * (sample.begin + sample.end) - told.begin
    rows = {servo: _channels(session.model, counts) for servo, counts in sample.counts.items()}
    goal = _angle(told.count)
    if isinstance(journal, JointJournal):
        (row,) = rows.values()
        journal.append(
            {
                "timestamp": at,
                "position": row["position"],
                "speed": row.get("velocity"),
                "goal_position": goal,
                "torque_enable": told.powered,
                "input_volts": row.get("voltage"),
                "load": row.get("duty"),
                "current": row.get("current"),
                "temp": row.get("temperature"),
                "write_begin": told.written[0] - told.begin,
                "write_end": told.written[1] - told.begin,
                "read_begin": sample.begin - told.begin,
                "read_end": sample.end - told.begin,
            }
        )
        return
    cells = [at]
    for row in rows.values():
        cells += [goal, row["position"], float(told.powered)]
        cells += [row[name] for name in robot_channels(session)]
    journal.append(cells)


def robot_channels(session: Session) -> list[str]:
    """Channels of each joint in a robot's CSV, beside goal, position and enabled."""
    names = dict.fromkeys((*session.channels, "temperature"))
    return [name for name in CHANNELS[1:] if name in names]


def robot_columns(session: Session) -> list[str]:
    """Columns of a robot's CSV."""
    ours = {"velocity": "speed"}
    columns = ["time"]
    for joint in session.servos.values():
        columns += [f"goal_{joint}", f"position_{joint}", f"enabled_{joint}"]
        columns += [f"{ours.get(name, name)}_{joint}" for name in robot_channels(session)]
    return columns


def _channels(model: Model, counts: Mapping[str, int]) -> dict[str, float]:
    found = {
        name: counts[register] * model.registers[register].scale
        for name, register in model.channels.items()
        if register in counts
    }
    return found | {"position": _angle(counts[model.channels["position"]])}


def _angle(count: int) -> float:
    """[rad] 0 in the middle of a turn, where the load hangs down."""
    return (count - MIDDLE) * COUNT


def _count(angle: float) -> int:
    return MIDDLE + round(angle / COUNT)
