"""Session of a scene: a thread that steps it in real time, and the history of its frames.

    with Session(scene) as session:
        session.send(Reference("elbow", 1, 0.5))
        session.frame.readings["stiffness"]

Display and simulation are separate: commands are queued and applied between two steps, in the order of
`journal`, and frames are copies. The same journal gives the same motion, bit by bit, with or without
viewers.
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Self

from pliant.errors import PliantError
from pliant.view.commands import Command, Frame, Pause, Reset, Scene, Speed, Step, in_range

__all__ = ["Session"]

FRAMES = 50.0
"""[1/s] Frames kept, of simulated time at speed 1."""
KEPT = 3000
"""Frames to look back on: a minute."""
NOTED = 100_000
"""Commands kept in the journal."""
LONGEST = 0.1
"""[s] Between two looks at the commands, on the wall clock."""
DEBT = 0.25
"""[s] Delay behind its clock from which a scene no longer tries to catch up; it runs slower and says so."""
SPEEDS = (0.01, 10.0)


class Session:
    """A scene that runs.

    Attributes:
        journal: step and command, as they were applied.
        paused: the clock stands. speed: asked for. pace: simulated over real time, as measured over
            the last second. failure: why the scene stopped; None while it runs.
    """

    def __init__(self, scene: Scene, *, paused: bool = False) -> None:
        self.scene = scene
        self._seen: deque[Frame] = deque([scene.frame()], maxlen=KEPT)
        self.journal: deque[tuple[int, Command]] = deque(maxlen=NOTED)
        self.paused, self.speed, self.pace = paused, 1.0, 1.0
        self.failure: PliantError | None = None
        self._due: deque[tuple[Command, _Answer]] = deque()
        self._alone = 0  # steps to take while paused
        self._wake = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pliant-session", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def frame(self) -> Frame:
        """The newest frame."""
        return self._seen[-1]

    @property
    def history(self) -> Sequence[Frame]:
        """Frames so far, the newest last; of a recording all of them."""
        return self.scene.whole or tuple(self._seen)

    def send(self, command: Command, timeout: float = 30.0) -> None:
        """Give a command, and wait until it has been applied, between two steps."""
        answer = _Answer()
        with self._wake:
            self._due.append((command, answer))
            self._wake.notify()
        answer.wait(timeout)

    def stop(self) -> None:
        """End the thread."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        clock = _Clock()
        while True:
            with self._wake:
                if self._stopped:
                    break
                due = list(self._due)
                self._due.clear()
            for command, answer in due:
                answer.give(self._applied(command, clock))
            if self.paused or self.failure:
                clock.stand()
                self._single_steps()
                with self._wake:
                    if not (self._due or self._stopped):
                        self._wake.wait(0.5)
                continue
            steps = clock.steps(self.speed, self.scene.timestep)
            if steps:
                self._advance(steps)
                self.pace = clock.pace()
            with self._wake:
                if not (self._due or self._stopped):
                    self._wake.wait(clock.rest(self.speed))
        for _, answer in self._due:
            answer.give(PliantError("the session has ended"))

    def _applied(self, command: Command, clock: "_Clock") -> PliantError | None:
        """Apply a command; the reason where it was refused."""
        try:
            if isinstance(command, Pause):
                end = self.scene.duration
                if not command.paused and end is not None and self.frame.time >= end:
                    self.scene.apply(Reset())  # from the beginning again
                    self._seen.append(self.scene.frame())
                self.paused = command.paused
            elif isinstance(command, Step):
                in_range("steps", command.count, 1, 100000)
                self.paused, self._alone = True, self._alone + command.count
            elif isinstance(command, Speed):
                self.speed = in_range("speed", command.factor, *SPEEDS)
                clock.stand()
            else:
                steps = self.frame.steps
                self.scene.apply(command)
                self.journal.append((steps, command))
                self.failure = None
                frame = self.scene.frame()
                while self._seen and frame.time < self._seen[-1].time:
                    self._seen.pop()  # it began anew, or went back: what was later did not happen
                self._seen.append(frame)
                clock.stand()
        except PliantError as error:
            return error
        return None

    def _single_steps(self) -> None:
        while self._alone and not self.failure:
            taken = min(self._alone, 100)
            self._alone -= taken
            self._advance(taken)

    def _advance(self, steps: int) -> None:
        """Take steps, with a frame every `1 / FRAMES` of simulated time and one at the end."""
        most = max(int(max(self.speed, 1.0) / FRAMES / self.scene.timestep), 1)
        while steps > 0 and self.failure is None:
            taken = min(steps, most)
            steps -= taken
            try:
                self.scene.advance(taken)
            except PliantError as error:
                self.failure, self.paused = error, True
            self._seen.append(self.scene.frame())
        end = self.scene.duration
        if end is not None and self.frame.time >= end:
            self.paused = True


class _Answer:
    """Whether a command was taken; the sender waits for it."""

    def __init__(self) -> None:
        self._done, self._error = threading.Event(), None

    def give(self, error: PliantError | None) -> None:
        self._error = error
        self._done.set()

    def wait(self, timeout: float) -> None:
        if not self._done.wait(timeout):
            raise PliantError("the simulation does not answer", found=f"within {timeout:g} s")
        if self._error is not None:
            raise self._error


class _Clock:
    """Steps that are due on the wall clock."""

    def __init__(self) -> None:
        self.stand()

    def stand(self) -> None:
        """Begin anew: time that passed is not caught up."""
        self._last, self._credit = time.perf_counter(), 0.0
        self._seen: deque[tuple[float, float, float]] = deque()
        self._simulated = self._wanted = 0.0

    def steps(self, speed: float, timestep: float) -> int:
        """Steps that are due now."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        self._wanted += passed * speed
        self._credit = min(self._credit + passed * speed, DEBT * speed)
        steps = int(min(self._credit, LONGEST * speed) / timestep)
        self._credit -= steps * timestep
        self._simulated += steps * timestep
        return steps

    def pace(self) -> float:
        """Simulated over asked-for time, over the last second."""
        self._seen.append((self._last, self._simulated, self._wanted))
        while self._seen[-1][0] - self._seen[0][0] > 1.0:
            self._seen.popleft()
        simulated, wanted = (self._seen[-1][k] - self._seen[0][k] for k in (1, 2))
        return simulated / wanted if wanted > 0.0 else 1.0

    def rest(self, speed: float) -> float:
        """[s] To sleep until the next frame is due."""
        return max(0.5 / FRAMES - self._credit / speed, 0.0005)
