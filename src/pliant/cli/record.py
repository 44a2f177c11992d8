"""`pliant record`."""

import json
import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pliant.cli.choices import numbers, parsed_number
from pliant.cli.options import RARE, Output, Repeated, Within, check_range, flag, shown
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError, check_known
from pliant.extras import need
from pliant.io.actuator_file import load_actuator
from pliant.io.log_file import REGISTERS
from pliant.io.output import check_output
from pliant.record.costs import reading_costs, told
from pliant.record.design import MOTIONS, Motion, motion
from pliant.record.journal import JointJournal, RobotJournal
from pliant.record.line import SerialLine, VirtualLine
from pliant.record.recorder import (
    CHANNELS,
    Limits,
    Progress,
    Session,
    connected,
    record,
    robot_columns,
)
from pliant.record.tables import Model, kind_of, model_of
from pliant.words import counted

if TYPE_CHECKING:
    from pliant.record.sdk_bus import ServoBus
    from pliant.view.watching import RecordingPage

USUAL = ("velocity", "duty", "current", "voltage")
"""Readings besides the position, by default."""
WIDE = 40
"""Samples in the picture of the progress."""
BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, kw_only=True)
class Record:
    """Record logs of real servos: of one that swings a pendulum, or of the joints of an arm.

    Each motion becomes one log that `pliant identify` reads as it is: JSON for one servo, CSV for
    several. Goals and readings carry the times of their packets, and all registers are saved. Every
    sample is written to disk at once. However the recording ends (complete, a limit, Ctrl-C, kill
    -9), torque is switched off, or the joint is held (--safe hold).

    Example: pliant record --servo xl330 --id 1 --port /dev/ttyUSB0 --mass 0.5 --length 0.1 --output logs/

    Attributes:
        output: Folder for the files.
        servo: Kind of servo: xl330, xc330, xl430, xc430, xm430, xm540, mx64, mx106, sts3215. By default that of the
            emulated actuator, or xl330.
        id: Id of each servo, or id=joint for several; 1 by default.
        port: Serial port of the bus.
        emulated: Actuator to simulate on an emulated bus, instead of a real servo. The programs that
            record are the same.
        virtual_time: Simulate the emulated bus's clock instead of waiting for it: recording is faster
            and repeatable.
        motion: Motions to record: slow, dwell, fast, small, full, drop, all by default; sine:2:0.3; sin_sin.
        mass: Mass of the pendulum [kg].
        length: Distance of that mass from the axis [m].
        arm_mass: Mass of the arm, a uniform rod of that length [kg].
        gain: Proportional gains to record at, one after the other; by default the servo's own.
        reach: Largest goal to either side of the middle [rad], 1.2 by default; joint=rad for a single joint,
            0 to keep that joint at its middle.
        rate: Samples per second; 0 for as fast as the bus allows.
        channels: Readings besides the position: velocity, duty, current, voltage, temperature; by
            default all but the temperature.
        duration: Duration of each motion [s]; by default its own.
        safe: At the end, switch torque off (off), or keep the servos where they are (hold). After kill
            -9, a held servo stays at its last goal.
        max_current: Stop at this current [A]; by default at twice that of the stalled servo: 3 (xl330), 5.4
            (sts3215), 4.6 (xm430).
        max_temperature: Stop at this temperature [°C].
        baud: Baud rate of the bus.
        watch: Show goal and position in the browser too. Needs pip install "pliant[view]".
        dry_run: Print the plan and do nothing.
    """

    output: Annotated[Path, shown("FOLDER")]
    servo: Annotated[str | None, shown("KIND")] = None
    id: Annotated[tuple[str, ...], Repeated, shown("N[=JOINT]")] = ()
    port: Annotated[str | None, shown("DEVICE")] = None
    emulated: Annotated[str | None, shown("ACTUATOR")] = None
    virtual_time: Annotated[bool, RARE, flag()] = False
    motion: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    mass: Annotated[float | None, shown("KG"), Within(0.0, 1e3, "kg")] = None
    length: Annotated[float | None, shown("M"), Within(1e-3, 10.0, "m")] = None
    arm_mass: Annotated[float | None, shown("KG"), Within(0.0, 1e3, "kg")] = None
    gain: Annotated[tuple[str, ...], Repeated, shown("NUMBER")] = ()
    reach: Annotated[tuple[str, ...], Repeated, shown("[JOINT=]RAD")] = ()
    rate: Annotated[float, RARE, shown("HZ"), Within(0.0, 5000.0, "Hz")] = 200.0
    channels: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME")] = ()
    duration: Annotated[float | None, RARE, shown("S"), Within(0.1, 3600.0, "s")] = None
    safe: Literal["off", "hold"] = "off"
    max_current: Annotated[float | None, RARE, shown("A"), Within(0.01, 100.0, "A")] = None
    max_temperature: Annotated[float, RARE, shown("DEGC"), Within(20.0, 100.0, "°C")] = 60.0
    baud: Annotated[int, RARE, shown("N"), Within(1, 1e8)] = 1_000_000
    watch: Annotated[bool, RARE, flag()] = False
    dry_run: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Record each motion at each gain."""
        from pliant.cli.watch import outlast

        session = self._session()
        runs = self._runs(session)
        self._say_plan(session, runs, terminal)
        if self.dry_run:
            return 0
        check_output(runs[0][0])
        files: list[str] = []
        with self._page(session, terminal) as page:
            try:
                costs = self._record_all(session, runs, files, page, terminal)
            except KeyboardInterrupt as stop:
                whole = counted(len(files), "recording is", "recordings are")
                raise KeyboardInterrupt(
                    str(stop) or (f"{whole} in {self.output}" if files else "")
                ) from None
            terminal.result({"files": files, "reading_seconds": costs})
            if page is not None:
                outlast(terminal, page)
        return 0

    def _record_all(
        self,
        session: Session,
        runs: list[tuple[Path, Motion, int | None]],
        files: list[str],
        page: "RecordingPage | None",
        terminal: Terminal,
    ) -> dict[str, float]:
        """Add the file of each run to `files` when it is complete; return the time each channel takes [s].

        Raises:
            KeyboardInterrupt: says what was kept of the run in progress, if any.
        """
        costs: dict[str, float] = {}
        with self._bus(session, terminal) as session:
            for path, motion, gain in runs:
                gains = {} if gain is None else {session.model.gains[0]: gain}
                with ExitStack() as open_files:
                    bus = open_files.enter_context(connected(replace(session, gains=gains)))
                    if not costs:
                        costs = reading_costs(bus, session)
                        terminal.note(told(costs))
                    journal = open_files.enter_context(self._journal(path, bus, session, motion))
                    show = _Shown(terminal, path.stem, page)
                    try:
                        done = record(bus, session, motion, journal, show)
                    except KeyboardInterrupt:
                        kept = show.ended("interrupted", journal)
                        raise KeyboardInterrupt(kept if journal.count else "") from None
                    except PliantError as error:
                        terminal.note(f"stopped; {show.ended('stopped', journal, str(error))}")
                        raise
                    show.ended("complete", journal)
                files.append(str(path))
                terminal.note(
                    f"{path}: {done.samples} samples, {done.samples / motion.seconds:.0f} Hz, "
                    f"{done.lost} readings lost"
                )
        return costs

    def _servos(self) -> dict[int, str]:
        """Id to joint of each servo."""
        servos: dict[int, str] = {}
        for text in self.id or ("1",):
            number, _, joint = text.partition("=")
            key = parsed_number(number, "id")
            if key != int(key) or not 0 <= key <= 252 or int(key) in servos:
                raise PliantError(
                    "is not an id, or is given twice", field="--id", found=text, accepted="0 to 252"
                )
            name = joint or f"joint_{number}"
            if name in servos.values():
                raise PliantError(
                    "is the joint of two servos",
                    field="--id",
                    found=name,
                    accepted="another joint for each id: 1=shoulder,2=elbow",
                )
            servos[int(key)] = name
        return servos

    def _session(self) -> Session:
        servos = self._servos()
        model = model_of(self.servo or self._usual_servo())
        for name in self.channels:
            if name not in model.channels:
                problem = f"an {model.name} has none" if name in CHANNELS else "no such reading"
                accepted = [one for one in CHANNELS if one in model.channels]
                raise PliantError(problem, field="--channels", found=name, accepted=accepted)
        usual = [name for name in USUAL if name in model.channels]
        limits = self._limits(servos, model)
        if (self.port is None) == (self.emulated is None) and not self.dry_run:
            raise PliantError(
                "no servo to record", accepted="--port DEVICE, or --emulated ACTUATOR"
            )
        if self.virtual_time and self.emulated is None:
            raise PliantError(
                "is for emulated servos", field="--virtual-time", accepted="--emulated ACTUATOR"
            )
        if len(servos) == 1 and (self.mass is None or self.length is None):
            raise PliantError(
                "the load is missing",
                field="--mass, --length",
                accepted="a mass [kg] at a distance [m] from the axis",
            )
        return Session(
            model=model,
            servos=servos,
            line=SerialLine(self.port or ""),
            baud=self.baud,
            rate=self.rate or None,
            channels=("position", *(self.channels or usual)),
            limits=limits,
            safe=self.safe,
        )

    def _limits(self, servos: Mapping[int, str], model: Model) -> Limits:
        general = [parsed_number(text, "reach") for text in self.reach if "=" not in text]
        if len(general) > 1:
            accepted = "one for all joints, and joint=rad for others"
            raise PliantError(
                "is given twice", field="--reach", found=general[1], accepted=accepted
            )
        own = [text for text in self.reach if "=" in text]
        reaches = numbers(own, "reach", "rad, or joint=rad")
        for joint in reaches:
            check_known(joint, servos.values(), "no such joint", field="--reach")
        for reach in general:
            check_range("--reach", reach, 0.01, 3.0, "rad")
        for reach in reaches.values():
            check_range("--reach", reach, 0.0, 3.0, "rad")
        return Limits(
            reach=general[0] if general else Limits.reach,
            reaches=reaches,
            temperature=self.max_temperature,
            current=self.max_current or model.current,
        )

    def _usual_servo(self) -> str:
        """The kind of servo that an emulated actuator is."""
        from pliant.record.emulated_wire import actuator_place

        if self.emulated is None:
            return "xl330"
        actuator = load_actuator(actuator_place(self.emulated))
        usual = "sts3215" if actuator.maker in {"Feetech", "Waveshare"} else "xl330"
        return kind_of(actuator.device) or usual

    def _runs(self, session: Session) -> list[tuple[Path, Motion, int | None]]:
        """File, motion and gain of each run.

        Raises:
            PliantError: two have the same file, or it or the file of its registers exists. Nothing has moved yet.
        """
        suffix = ".json" if len(session.servos) == 1 else ".csv"
        chosen = [motion(name) for name in (self.motion or MOTIONS)]
        if self.duration is not None:
            chosen = [replace(one, seconds=self.duration) for one in chosen]
        runs = [
            (
                self.output
                / f"{one.name.replace(':', '_')}{'' if gain is None else f'_kp{gain}'}{suffix}",
                one,
                gain,
            )
            for gain in self._gains()
            for one in chosen
        ]
        paths = [path for path, _, _ in runs]
        for path in paths:
            if paths.count(path) > 1:
                raise PliantError(
                    "is to be recorded twice",
                    field="--motion, --gain",
                    found=path.stem,
                    accepted="each motion and each gain once",
                )
            beside = [path.with_suffix(REGISTERS)] if suffix == ".csv" else []
            for one in (path, *beside):
                if os.path.lexists(one):  # a link to nothing too
                    raise PliantError("exists already", file=one, accepted="another --output")
        return runs

    def _gains(self) -> list[int | None]:
        found: list[int | None] = []
        for text in self.gain:
            value = parsed_number(text, "gain")
            if value != int(value) or not 0 <= value <= 65535:
                raise PliantError(
                    "is not a gain", field="--gain", found=text, accepted="0 to 65535"
                )
            found.append(int(value))
        return found or [None]

    def _say_plan(
        self, session: Session, runs: list[tuple[Path, Motion, int | None]], terminal: Terminal
    ) -> None:
        limits = session.limits
        current = f"{limits.current:g} A, " if "current" in session.model.channels else ""
        total = sum(motion.seconds for _, motion, _ in runs)
        names = ", ".join(f"{number} ({joint})" for number, joint in session.servos.items())
        terminal.note(
            f"{session.model.name}, ids {names}: {counted(len(runs), 'run')}, {total:.0f} s, goals within "
            f"{_reach(session)}; stops {_stop(session)}, "
            f"{current}{limits.temperature:g} °C; at the end torque "
            f"{'goes off' if session.safe == 'off' else 'stays on: each joint is held where it is'}"
        )
        for path, planned, gain in runs:
            at = "" if gain is None else f", P-gain {gain}"
            terminal.note(f"  {path.name}: {planned.seconds:g} s{at}: {planned.purpose}")

    @contextmanager
    def _page(self, session: Session, terminal: Terminal) -> "Generator[RecordingPage | None]":
        """The page in the browser, if it is asked for."""
        if not self.watch:
            yield None
            return

        need("viser", "view", (1, 1))
        from pliant.view.watching import RecordingPage, watched

        page = partial(RecordingPage, joints=session.servos.values())
        with watched("a recording", page) as (address, page):
            terminal.note(f"watch the recording at {address}")
            yield page

    @contextmanager
    def _bus(self, session: Session, terminal: Terminal) -> Generator[Session]:
        """The session at its port, which an emulated bus has while it runs."""
        if self.emulated is None:
            yield session
            return
        from pliant.record.emulated_bus import Emulated, EmulatedBus

        terminal.note(f"starting {self.emulated} on an emulated bus ...")
        mass, length = self.mass or 0.3, self.length or 0.1
        servos = [
            Emulated(self.emulated, session.model.name, number, mass, length)
            for number in session.servos
        ]
        if self.virtual_time:
            yield replace(session, line=VirtualLine(servos, session.baud))
            return
        with EmulatedBus(servos, session.baud) as bus:
            yield replace(session, line=SerialLine(bus.port))

    def _journal(
        self, path: Path, bus: "ServoBus", session: Session, motion: Motion
    ) -> JointJournal | RobotJournal:
        """The file of a run, with all registers as they are now: in it, or beside it."""
        kept = {number: bus.kept(number) for number in session.servos}
        if len(session.servos) > 1:
            registers = {session.servos[number]: known for number, known in kept.items()}
            return RobotJournal(
                path, robot_columns(session), json.dumps(registers, indent=1) + "\n"
            )
        ((number, registers),) = kept.items()
        return JointJournal(path, self._header(number, registers, session, motion))

    def _header(
        self, number: int, registers: Mapping[str, int], session: Session, motion: Motion
    ) -> dict[str, Any]:
        """Constants of a run on a pendulum, under the names of the log's format."""
        model: Model = session.model
        volts = model.channels["voltage"]
        header: dict[str, Any] = {
            "motor": model.name,
            "trajectory": motion.name,
            "mass": self.mass,
            "length": self.length,
            "kp": registers[model.gains[0]],
            "vin": registers[volts] * model.registers[volts].scale,
            "servo_id": number,
            "registers": dict(registers),
        }
        return header if self.arm_mass is None else header | {"arm_mass": self.arm_mass}


def _reach(session: Session) -> str:
    """The largest goals: of all joints, and of those with one of their own."""
    limits = session.limits
    own = [f"{joint} ±{reach:g}" for joint, reach in limits.reaches.items()]
    rest = [joint for joint in session.servos.values() if joint not in limits.reaches]
    return ", ".join([*([f"±{limits.reach:g}"] if rest else []), *own]) + " rad"


def _stop(session: Session) -> str:
    limits = session.limits
    if limits.reaches:
        return f"{limits.beyond:g} rad further out"
    return f"beyond {limits.reach + limits.beyond:g} rad"


class _Shown:
    """Progress of a recording: time, goal, position, and a picture of the last samples.

    The line on the terminal is of the first joint; the page has all of them.
    """

    def __init__(self, terminal: Terminal, name: str, page: "RecordingPage | None") -> None:
        self._terminal, self._name, self._page = terminal, name, page
        self._last: list[float] = []
        self._next = 0.0

    def __call__(self, said: Progress) -> None:
        if self._page is not None:
            from pliant.view.watching import Recorded

            self._page.note(
                Recorded(
                    name=self._name,
                    time=said.time,
                    length=said.length,
                    samples=said.samples,
                    lost=said.lost,
                    goals=said.goals,
                    positions=said.positions,
                )
            )
        if said.time < self._next:
            return
        self._next = said.time + 0.25
        goal, position = (next(iter(x.values())) for x in (said.goals, said.positions))
        self._last = [*self._last, position][-WIDE:]
        low, high = min(self._last), max(self._last)
        size = max(high - low, 1e-9)
        picture = "".join(BLOCKS[min(7, int(8 * (x - low) / size))] for x in self._last)
        self._terminal.passing(
            f"{self._name}: {said.time:4.1f} of {said.length:g} s, {said.samples} samples, "
            f"goal {goal:+.2f}, at {position:+.2f} rad {picture}",
            said.time / said.length,
        )

    def ended(self, how: str, journal: JointJournal | RobotJournal, why: str = "") -> str:
        """Say what is in the file of a recording that has ended; the page shows how it ended too, and why."""
        kept = f"{counted(journal.count, 'sample is', 'samples are')} in {journal.path}"
        kept = kept if journal.count else "nothing was recorded"
        if self._page is not None:
            self._page.end(self._name, f"{how}; {kept}", why)
        return kept
