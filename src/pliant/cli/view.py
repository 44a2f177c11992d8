"""`pliant view`, and a scene on a page of the browser until Ctrl-C."""

import contextlib
import time
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.choices import attached, travels
from pliant.cli.options import RARE, Browser, Output, Repeated, flag, shown
from pliant.cli.recording import Recording, bench_logs
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.extras import need
from pliant.io.actuator_file import load_actuator

if TYPE_CHECKING:
    from pliant.view.commands import Scene


@dataclass(frozen=True, kw_only=True)
class View(Browser):
    """Show a robot in the browser while it moves: joints, springs, torques, and knobs to change them.

    Shows a simulation (of a model or a robot's file), a recording of a joint or of a whole robot beside
    its simulation, or an experiment of a published paper. Runs until Ctrl-C. Needs pip install "pliant[view]".

    Example: pliant view arm.xml --attach shoulder=qbmove_maker_pro,elbow=xl330_bam_m6

    Attributes:
        model: Robot to simulate: MJCF (*.xml), URDF (*.urdf), or robot file (*.toml).
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files.
        replace: Replace actuators that the model already has on these joints.
        transmission: Travel of a joint per radian of its actuator, joint=value: [m] for a slide, [rad]
            for a hinge.
        log: Log of a single joint to replay, or, with a MODEL, a recording of that robot.
        actuator: Actuator to simulate the log of a single joint with: a name or a TOML file.
        experiment: Experiment to show, instead of a robot (`pliant reproduce` lists them).
    """

    model: Annotated[Positional[Path | None], shown("MODEL")] = None
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    replace: Annotated[bool, flag()] = False
    transmission: Annotated[tuple[str, ...], RARE, Repeated, shown("JOINT=VALUE")] = ()
    log: Annotated[Path | None, shown("FILE")] = None
    actuator: Annotated[str | None, shown("ACTUATOR")] = None
    experiment: Annotated[str | None, shown("NAME")] = None
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show it until Ctrl-C."""
        check_page()
        self._check()
        terminal.stage("getting the model ready (the first time, laws are compiled) ...")
        terminal.result(show(self._scene(terminal), self, terminal))
        return 0

    def _check(self) -> None:
        given = [x for x in (self.model or self.log, self.experiment) if x is not None]
        if len(given) != 1:
            raise PliantError(
                "nothing to show" if not given else "more than one thing to show",
                accepted="a model, --log, both, or --experiment",
            )
        if self.actuator is not None and (self.log is None or self.model is not None):
            raise PliantError(
                "needs --log alone", field="--actuator", accepted="--attach for a robot"
            )
        if self.attach and self.model is None:
            raise PliantError("needs a model", field="--attach")
        if self.log is None and self.recording != Recording():
            said = "--reading, --unit, --rename, --columns, --repair or --cut"
            raise PliantError("needs a recording", field=said, accepted="--log FILE")

    def _scene(self, terminal: Terminal) -> "Scene":
        if self.experiment is not None:
            from pliant.experiments.support.offscreen import choose_offscreen

            choose_offscreen()  # before anything imports mujoco
            from pliant.view.simulated import experiment

            return experiment(self.experiment)
        if self.log is not None and self.model is not None:
            return self._recorded_robot(self.model, self.log, terminal)
        if self.log is not None:
            from pliant.view.replayed import Replayed

            log = _only(bench_logs([self.log], self.recording.facts([self.log], terminal)))
            actuator = None if self.actuator is None else load_actuator(self.actuator)
            return Replayed(log, actuator)
        assert self.model is not None
        return self._robot(self.model)

    def _recorded_robot(self, model: Path, log: Path, terminal: Terminal) -> "Scene":
        from pliant.cli.robot_setup import recorded_robot
        from pliant.view.replayed_robot import ReplayedRobot

        facts = self.recording.facts([log], terminal)
        robot, logs = recorded_robot(model, self.attach, [log], facts, gives_way=self.replace)
        return ReplayedRobot(robot, _only(logs))

    def _robot(self, model: Path) -> "Scene":
        from pliant.engines.spec.placing import Wishes
        from pliant.view.robots import robot_maker
        from pliant.view.simulated import Simulated

        chosen = attached(self.attach)
        wishes = Wishes(replace=self.replace, transmission=travels(self.transmission))
        return Simulated(robot_maker(model, chosen, wishes), model.name)


def _only(logs: list[Any]) -> Any:
    """The one log that was given."""
    if len(logs) != 1:
        names = ", ".join(log.name for log in logs[:8])
        found = f"{names}, ..." if len(logs) > 8 else names
        raise PliantError("several logs", field="--log", found=found, accepted="one")
    return logs[0]


def check_page() -> None:
    """Refuse to go on without what a page needs."""
    need("viser", "view", (1, 1))
    need("mjviser", "view", (0, 0))


def show(scene: "Scene", asked: Browser, terminal: Terminal) -> dict[str, object]:
    """Show it; returns address, and seconds that were shown and that this took."""
    from pliant.view.page import shown
    from pliant.view.server import address_of

    with shown(scene, host=asked.host, port=asked.port, paused=asked.paused) as page:
        address = address_of(page.server)
        terminal.say(f"{address}   (Ctrl-C ends it)")
        if not asked.no_browser:
            webbrowser.open(address)
        begin, first = time.monotonic(), page.session.frame.time
        with contextlib.suppress(KeyboardInterrupt):  # how it is meant to end
            page.wait(asked.duration)
        seconds = time.monotonic() - begin
        simulated = page.session.frame.time - first
    terminal.say(f"{simulated:.2f} s shown in {seconds:.2f} s")
    return {"address": address, "simulated": simulated, "seconds": seconds}
