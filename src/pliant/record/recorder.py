"""Recording of servos: goals out and readings in, each with the time of its packet.

1. All registers are read and saved; gains are written and read back.
2. Each joint moves slowly to where its motion begins.
3. In each cycle the goals are written, all servos are read, and the sample is written to disk.
4. However it ends, torque is switched off or the joint is held where it is, as configured.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from pliant.errors import PliantError
from pliant.record.design import Motion
from pliant.record.guard import Guard
from pliant.record.journal import JointJournal, RobotJournal
from pliant.record.line import Line
from pliant.record.sdk_bus import Sample, ServoBus
from pliant.record.tables import COUNT, MIDDLE, Model
from pliant.words import counted

CHANNELS = ("position", "velocity", "duty", "current", "voltage", "temperature")
SLOW = 0.6
"""[rad/s] Speed of the slow start."""
MOST_LOST = 20
"""Consecutive readings without an answer after which the bus counts as lost."""
LOOK = 0.25
"""[s] Between two looks at whether torque is still on, each at one servo: some 0.5 ms of the bus."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits at which a recording stops.

    Attributes:
        reach: largest goal to either side of the middle [rad]. reaches: joint to one of its own; one of 0
            stays in the middle.
        beyond: margin by which a position may exceed these [rad].
        temperature: of a servo [°C]. current: of a servo [A].
    """

    reach: float = 1.2
    reaches: Mapping[str, float] = field(default_factory=dict[str, float])
    beyond: float = 0.6
    temperature: float = 60.0
    current: float = 3.0

    def reach_of(self, joint: str) -> float:
        """Largest goal of a joint to either side of its middle [rad]."""
        return self.reaches.get(joint, self.reach)


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
        """Registers of the channels; quantities with a limit are always read, if the servo has them."""
        names = dict.fromkeys((*self.channels, "position", "temperature", "current"))
        return [self.model.channels[name] for name in names if name in self.model.channels]


@dataclass
class Progress:
    """Progress of a recording: time of its length [s], samples, readings lost; each joint's last goal and position."""

    time: float
    length: float
    samples: int
    lost: int
    goals: Mapping[str, float]
    positions: Mapping[str, float]


Say = Callable[[Progress], None]


@contextmanager
def connected(session: Session) -> Generator[ServoBus]:
    """Open the bus with a guard: afterwards its servos are safe, even if this process is killed.

    Raises:
        PliantError: a port or servo does not answer, or a servo does not keep the gain it was given.
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
        PliantError: a limit is reached, a servo has switched its torque off by itself, the bus is lost, or
            the disk is full. All samples until then are in the file.
    """
    start = {session.servos[k]: x for k, x in _slow_start(bus, session, motion).items()}
    said = Progress(0.0, motion.seconds, 0, 0, start, start)
    journal.begin()
    say = say or (lambda said: None)
    run = _Run(bus, session, motion, journal, said, say, bus.line.now(), journal.place())
    cycle = 0
    try:
        while (t := bus.line.now() - run.begin) < motion.seconds:
            told = run.told(t)
            bus.ask()
            run.keep()
            run.sample = bus.answer(), told
            cycle += 1
            run.look(t)
            if session.rate is not None:
                cycle = run.wait(cycle, session.rate)
        run.look_at_all()
    finally:
        run.keep()
    return said


@dataclass(frozen=True)
class _Told:
    """The command beside a sample: goals by id [rad]."""

    time: float
    goals: Mapping[int, float]
    powered: bool
    written: tuple[float, float]


@dataclass
class _Run:
    """A run while it is recorded.

    A sample is written to the file while the bus is busy with the next reading, or while the program would
    wait for its turn: the bus never waits for the file.
    """

    bus: ServoBus
    session: Session
    motion: Motion
    journal: JointJournal | RobotJournal
    said: Progress
    say: Say
    begin: float
    start: tuple[int, int]
    sample: tuple[Sample, _Told] | None = None
    powered: bool = True
    lost_now: int = 0
    sure: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Id to the place in the file up to which its torque was on."""
    looks: int = 0

    def told(self, t: float) -> _Told:
        """Tell the servos the goal of `t` [s], or take torque off or on."""
        servos = self.session.servos
        goals = _goals(self.session, self.motion, t)
        if self.motion.enabled(t) != self.powered:
            self.look_at_all()
            self.powered = not self.powered
            for servo in servos:
                self.bus.put(servo, "torque_enable", int(self.powered))
        written = (self.begin + t, self.begin + t)
        if self.powered:
            written = self.bus.tell({servo: _count(goal) for servo, goal in goals.items()})
        return _Told(t, goals, self.powered, written)

    def keep(self) -> None:
        """Write the last sample to the file, and check it.

        Raises:
            PliantError: a limit is reached, the servos are silent, or the disk is full.
        """
        if self.sample is None:
            return
        (sample, told), self.sample = self.sample, None
        if sample.counts is None:
            self.said.lost += 1
            self.lost_now += 1
            if self.lost_now > MOST_LOST:
                problem = "the servos no longer answer"
                raise PliantError(problem, file=self.session.line.name)
            return
        self.lost_now = 0
        _append(self.journal, self.session, sample, told, self.begin)
        self.said.time, self.said.samples = told.time, self.journal.count
        servos, position = self.session.servos, self.session.model.channels["position"]
        self.said.goals = {servos[k]: goal for k, goal in told.goals.items()}
        self.said.positions = {
            servos[k]: _angle(counts[position]) for k, counts in sample.counts.items()
        }
        _check(self.session, sample)
        self.say(self.said)

    def look(self, t: float) -> None:
        """Check one servo after the other for whether its torque is still on.

        Raises:
            PliantError: it is off, though nobody switched it off.
        """
        if t >= (self.looks + 1) * LOOK:
            servos = list(self.session.servos)
            self._look_at(servos[self.looks % len(servos)])
            self.looks = int(t / LOOK)

    def look_at_all(self) -> None:
        """Look at every servo, before torque is switched and at the end.

        Raises:
            PliantError: the torque of one is off, though nobody switched it off.
        """
        self.keep()
        for servo in self.session.servos:
            self._look_at(servo)

    def _look_at(self, servo: int) -> None:
        """See whether a servo's torque is on: without it, after a reset or an overload, it goes on answering."""
        found = self.bus.peek(servo, "torque_enable") if self.powered else None
        if found == 0:
            self.sample = None
            before = self.journal.count
            self.journal.back_to(self.sure.get(servo, self.start))
            raise PliantError(
                "its torque switched off by itself: it was reset, or a protection tripped; the last "
                f"{counted(before - self.journal.count, 'sample')} may be without torque and were removed",
                field=f"servo {servo}, torque_enable",
                found=0,
                accepted="1",
            )
        if found is not None:
            self.sure[servo] = self.journal.place()

    def wait(self, cycle: int, rate: float) -> int:
        """Wait for the turn of a cycle; the number of the cycle whose turn it is."""
        line, due = self.bus.line, self.begin + cycle / rate
        if line.now() >= due:
            return int((line.now() - self.begin) * rate)
        self.keep()
        line.sleep(max(0.0, due - line.now()))
        return cycle


def _goals(session: Session, motion: Motion, t: float) -> dict[int, float]:
    """Id to goal [rad] at `t` [s] of a motion."""
    limits = session.limits
    return {
        servo: motion.goal(t, limits.reach_of(joint)) for servo, joint in session.servos.items()
    }


def _slow_start(bus: ServoBus, session: Session, motion: Motion) -> dict[int, float]:
    """Take the joints to where the motion begins, at a walking pace; these goals by id."""
    goals = _goals(session, motion, 0.0)
    here = {servo: _angle(bus.get(servo, "present_position")) for servo in session.servos}
    sample = bus.sample()
    if sample.counts is not None:
        _check(session, sample)
    for servo, angle in here.items():
        bus.put(servo, "goal_position", _count(angle))
        bus.put(servo, "torque_enable", 1)
    longest = max(abs(goals[servo] - angle) for servo, angle in here.items()) / SLOW
    begin = bus.line.now()
    while (t := bus.line.now() - begin) < longest:
        part = t / longest
        bus.tell({servo: _count(a + part * (goals[servo] - a)) for servo, a in here.items()})
        sample = bus.sample()
        if sample.counts is not None:
            _check(session, sample)
        bus.line.sleep(0.005)
    bus.tell({servo: _count(goal) for servo, goal in goals.items()})
    bus.line.sleep(0.3)
    return goals


def _check(session: Session, sample: Sample) -> None:
    """Refuse to go on beyond a limit."""
    assert sample.counts is not None
    limits, model = session.limits, session.model
    for servo, counts in sample.counts.items():
        known = _channels(model, counts)
        reach = limits.reach_of(session.servos[servo])
        over = [
            ("position", abs(known["position"]), reach + limits.beyond, "rad"),
            (
                "temperature",
                known.get("temperature", 0.0),
                limits.temperature,
                "degC (--max-temperature)",
            ),
            ("current", abs(known.get("current", 0.0)), limits.current, "A (--max-current)"),
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
    journal: JointJournal | RobotJournal,
    session: Session,
    sample: Sample,
    told: _Told,
    begin: float,
) -> None:
    """One sample in the units of the log, its times since `begin` [s]. Its time is the middle of the reading."""
    assert sample.counts is not None
    at = 0.5 * (sample.begin + sample.end) - begin
    rows = {servo: _channels(session.model, counts) for servo, counts in sample.counts.items()}
    goals = {servo: _angle(_count(goal)) for servo, goal in told.goals.items()}
    if isinstance(journal, JointJournal):
        (row,) = rows.values()
        journal.append(
            {
                "timestamp": at,
                "position": row["position"],
                "speed": row.get("velocity"),
                "goal_position": next(iter(goals.values())),
                "torque_enable": told.powered,
                "input_volts": row.get("voltage"),
                "load": row.get("duty"),
                "current": row.get("current"),
                "temp": row.get("temperature"),
                "write_begin": told.written[0] - begin,
                "write_end": told.written[1] - begin,
                "read_begin": sample.begin - begin,
                "read_end": sample.end - begin,
            }
        )
        return
    cells = [at]
    for servo, row in rows.items():
        cells += [goals[servo], row["position"], float(told.powered)]
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
