"""Main loop of a robot on ROS 2: take commands, step, publish the state, once per period.

    1. take messages, pass them to the robot, and answer service requests
    2. after too long without a command, do what `on_loss` says, and report it
    3. step the robot to the end of the period
    4. publish its state

In real time, a period begins by the machine's clock, and its lateness is recorded. Otherwise it begins
when the last one has ended, and /clock tells the other nodes the time.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from pliant.errors import PliantError
from pliant.robots.robot import Robot
from pliant.ros.channels import Channels
from pliant.ros.commands import Commands

__all__ = ["Bridge", "Links", "OnLoss", "Played", "Settings", "Spent"]

OnLoss = Literal["hold", "stay", "off"]
"""Hold the last command, stay at the present position, or switch the motors off."""
LATE = 20_000
"""Number of recent periods whose lateness is kept."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the loop.

    Attributes:
        rate: periods per second [1/s]; the model's step rate is a multiple of it. real_time: follow the
            machine's clock. on_loss: what the joints do after `timeout` [s] without a command.
    """

    rate: float = 500.0
    real_time: bool = True
    on_loss: OnLoss = "hold"
    timeout: float = 0.5


@dataclass
class Spent:
    """Statistics of a run.

    Attributes:
        periods: completed. received, sent: messages. late: lateness [s] of recent periods in real
            time. overrun: periods that began more than a period late.
        losses: how often commands stopped arriving.
    """

    periods: int = 0
    received: int = 0
    sent: int = 0
    overrun: int = 0
    losses: int = 0
    late: list[float] = field(default_factory=list[float])

    def lateness(self) -> tuple[float, float, float] | None:
        """[s] Median, 99th percentile and largest lateness, or None."""
        if not self.late:
            return None
        found = np.quantile(np.array(self.late), [0.5, 0.99, 1.0])
        return float(found[0]), float(found[1]), float(found[2])


class Links(Protocol):
    """Transport of messages: DDS, or a list in a test."""

    def publisher(self, topic: str, kind: str, *, latched: bool = False) -> Any:
        """Something with `publish(sample)`."""
        ...

    def subscriber(self, topic: str, kind: str) -> Any:
        """Something with `take() -> list`."""
        ...

    def server(self, service: str, kind: str) -> Any:
        """Something with `take() -> list` and `answer(request, success=, message=)`."""
        ...


class Bridge:
    """A robot connected to its topics.

    Args:
        robot: that is stepped. channels: its topics. links: carry them. settings: of the run.
        say: called with messages about events. keep: called with topic, type, message and time [s] of
            everything received or sent, for example to write a bag. played: a recording, whose messages
            are received at their times in addition to others.

    Raises:
        PliantError: the model's step rate is not a multiple of the rate.
    """

    # Nine arguments, the last three by name; none could be merged.
    def __init__(
        self,
        robot: Robot,
        commands: Commands,
        channels: Channels,
        links: Links,
        settings: Settings,
        *,
        say: Callable[[str], None] = lambda _: None,
        keep: Callable[[str, str, Any, float], None] | None = None,
        played: Iterable[tuple[str, str, float, Any]] = (),
    ) -> None:
        self._robot, self._commands, self._settings = robot, commands, settings
        self._say, self._keep = say, keep
        self._played = Played(played)
        self._steps = _whole_steps(float(robot.model.opt.timestep), settings.rate)
        self._heard = [(h, links.subscriber(h.topic, h.kind)) for h in channels.heard]
        self._asked = [(a, links.server(a.service, a.kind)) for a in channels.asked]
        self._sections = channels.sections
        self._said = [(s, links.publisher(s.topic, s.kind)) for s in channels.said]
        self._enabled = int(robot.model.opt.disableactuator)
        self._lost = False
        self.spent = Spent()

    @property
    def period(self) -> float:
        """Duration [s] of one period."""
        return self._steps * float(self._robot.model.opt.timestep)

    @property
    def dropped(self) -> Counter[str]:
        """Map of reason to the number of messages that the robot did not take."""
        return self._commands.dropped

    def run(self, until: Callable[[], bool]) -> Spent:
        """Run until `until()` is true."""
        begin, k = time.perf_counter(), 0
        while not until():
            if self._settings.real_time:
                begin, k = self._await(begin, k)
            self.turn()
            k += 1
        return self.spent

    def turn(self) -> None:
        """Run one period."""
        robot, now = self._robot, float(self._robot.data.time)
        self._listen(now)
        self._answer(now)
        self._commands.follow(now)
        self._watch(now)
        robot.step(self._steps)
        self.spent.periods += 1
        self._speak(float(robot.data.time))

    def _await(self, begin: float, k: int) -> tuple[float, int]:
        """Wait for the period number `k`; lost periods are not caught up."""
        due = begin + k * self.period
        while (left := due - time.perf_counter()) > 0.0:
            time.sleep(left)
        late = time.perf_counter() - due
        if len(self.spent.late) < LATE:
            self.spent.late.append(late)
        else:
            self.spent.late[self.spent.periods % LATE] = late
        if late > self.period:
            self.spent.overrun += 1
        return (time.perf_counter(), 0) if late > 10.0 * self.period else (begin, k)

    def _listen(self, now: float) -> None:
        for heard, source in self._heard:
            for sample in source.take():
                self.spent.received += 1
                if self._keep is not None:
                    self._keep(heard.topic, heard.kind, sample, now)
                self._commands.taken(heard.act, sample, now)
        acts = {heard.topic: heard.act for heard, _ in self._heard}
        acts |= {
            source.topic: heard.act for heard, source in self._heard if hasattr(source, "topic")
        }
        for topic, sample in self._played.until(now):
            if topic in acts:
                self.spent.received += 1
                self._commands.taken(acts[topic], sample, now)

    def _answer(self, now: float) -> None:
        for asked, server in self._asked:
            for request in server.take():
                self.spent.received += 1
                try:
                    asked.act(request, now)
                except PliantError as error:
                    server.answer(request, success=False, message=f"{error}")
                else:
                    server.answer(request, success=True, message="")
                self.spent.sent += 1

    def _speak(self, now: float) -> None:
        for said, sink in self._said:
            sample = said.make(now)
            sink.publish(sample)
            self.spent.sent += 1
            if self._keep is not None:
                self._keep(said.topic, said.kind, sample, now)

    def _watch(self, now: float) -> None:
        """Detect a loss of commands; before the first command nothing counts as lost."""
        lost = (
            math.isfinite(self._commands.last)
            and now - self._commands.last > self._settings.timeout
        )
        if (
            lost and self._settings.on_loss == "off"
        ):  # a section may have been switched on in the meantime
            groups = {int(g) for g in self._robot.model.actuator_group[self._robot.places.ids]}
            self._robot.model.opt.disableactuator |= sum(1 << g for g in groups)
        if lost == self._lost:
            return
        self._lost = lost
        if not lost:
            self._robot.model.opt.disableactuator = self._enabled
            if self._sections is not None:
                self._sections.apply()
            self._say(f"commands resumed at {now:.3f} s")
            return
        self.spent.losses += 1
        does = {"hold": "the last one is held", "stay": "joints stay", "off": "motors are off"}
        self._say(
            f"no command for {self._settings.timeout:g} s at {now:.3f} s: {does[self._settings.on_loss]}"
        )
        if self._settings.on_loss == "stay":
            self._commands.stay()


class Played:
    """A recording that is played back by the robot's clock."""

    def __init__(self, messages: Iterable[tuple[str, str, float, Any]]) -> None:
        self._left = iter(messages)
        self._next = next(self._left, None)
        self._begin = 0.0 if self._next is None else self._next[2]

    def until(self, now: float) -> Iterator[tuple[str, Any]]:
        """Topic and message of everything recorded up to `now` [s] and not yet returned."""
        while self._next is not None and self._next[2] - self._begin <= now + 1e-9:
            yield self._next[0], self._next[3]
            self._next = next(self._left, None)


def _whole_steps(timestep: float, rate: float) -> int:
    count = round(1.0 / (rate * timestep)) if rate > 0.0 else 0
    if count < 1 or abs(count * timestep * rate - 1.0) > 1e-6:
        raise PliantError(
            "does not divide the model's step rate",
            field="rate",
            found=rate,
            accepted=f"{1.0 / timestep:g} 1/s divided by a whole number",
        )
    return count
