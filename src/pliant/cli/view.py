"""`pliant view`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.options import RARE, LogOptions, Output, flag, shown
from pliant.cli.several import Repeated
from pliant.cli.terminal import Terminal

if TYPE_CHECKING:
    from pliant.view.scene import Scene


@dataclass(frozen=True, kw_only=True)
class View:
    """Open a page in the browser that shows a robot's joints while they move, with knobs to turn.

    A simulation (a model or a robot's file), a recorded log beside an actuator's simulation of it, or
    an experiment of a published paper. Ends with Ctrl-C. Needs pip install 'pliant[view]'.

    Example: pliant view arm.xml --attach shoulder=qbmove_maker_pro,elbow=xl330_bam_m6

    Attributes:
        model: Robot to simulate: MJCF (*.xml), URDF (*.urdf), or a robot's file (*.toml).
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files.
        replace: Let actuators that the model has on these joints already give way.
        transmission: Travel of a joint for one radian of its actuator, joint=value.
        log: Recorded log of a joint on its bench, instead of a robot.
        actuator: Actuator to simulate that log with: a name or a TOML file.
        experiment: Experiment to show (`pliant reproduce` lists them), instead of a robot.
        host: Address to listen on. Everybody who reaches it can turn the knobs: other than 127.0.0.1
            only in a network that you trust.
        port: Port to listen on, or the next one that is free.
        no_browser: Do not open the browser.
        paused: Begin with the clock stopped.
        duration: End after this time [s], instead of at Ctrl-C.
    """

    model: Annotated[Positional[Path | None], shown("MODEL")] = None
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    replace: Annotated[bool, flag()] = False
    transmission: Annotated[tuple[str, ...], RARE, Repeated, shown("JOINT=VALUE")] = ()
    log: Annotated[Path | None, shown("FILE")] = None
    actuator: Annotated[str | None, shown("ACTUATOR")] = None
    experiment: Annotated[str | None, shown("NAME")] = None
    host: Annotated[str, shown("ADDRESS")] = "127.0.0.1"
    port: Annotated[int, shown("NUMBER")] = 8080
    no_browser: Annotated[bool, flag()] = False
    paused: Annotated[bool, flag()] = False
    duration: Annotated[float | None, RARE, shown("S")] = None
    recording: LogOptions = field(default_factory=LogOptions)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show it until Ctrl-C."""
        import contextlib
        import time
        import webbrowser

        from pliant.engines.spec.extra import need

        need("viser", "view", (1, 1))
        need("mjviser", "view", (0, 0))
        from pliant.view.server import address_of
        from pliant.view.show import shown

        self._check()
        terminal.stage("getting the model ready (the first time, laws are compiled) ...")
        with shown(self._scene(), host=self.host, port=self.port, paused=self.paused) as page:
            address = address_of(page.server)
            terminal.say(f"{address}   (Ctrl-C ends it)")
            if not self.no_browser:
                webbrowser.open(address)
            begin, first = time.monotonic(), page.session.frame.time
            with contextlib.suppress(KeyboardInterrupt):  # how it is meant to end
                page.wait(self.duration)
            seconds = time.monotonic() - begin
            simulated = page.session.frame.time - first
        figures = {"simulated": simulated, "seconds": seconds}
        terminal.say(f"{simulated:.2f} s shown in {seconds:.2f} s")
        terminal.result({"address": address, **figures})
        return 0

    def _check(self) -> None:
        from pliant.errors import PliantError

        given = [x for x in (self.model, self.log, self.experiment) if x is not None]
        if len(given) != 1:
            raise PliantError(
                "nothing to show" if not given else "more than one thing to show",
                accepted="a model, --log or --experiment",
            )
        if not 0 <= self.port < 65536:
            raise PliantError(
                "out of range", field="--port", found=self.port, accepted="0 to 65535"
            )
        if self.actuator is not None and self.log is None:
            raise PliantError(
                "goes with --log", field="--actuator", accepted="--attach for a robot"
            )
        if self.attach and self.model is None:
            raise PliantError("goes with a model", field="--attach")

    def _scene(self) -> "Scene":
        if self.experiment is not None:
            from pliant.experiments.support.offscreen import choose_offscreen

            choose_offscreen()  # before anything imports mujoco
            from pliant.view.taped import experiment

            return experiment(self.experiment)
        if self.log is not None:
            from pliant.cli.logs import read
            from pliant.io.actuator_file import load_actuator
            from pliant.view.replayed import Replayed

            (log,) = read([self.log], self.recording)
            actuator = None if self.actuator is None else load_actuator(self.actuator)
            return Replayed(log, actuator)
        assert self.model is not None
        return self._robot(self.model)

    def _robot(self, model: Path) -> "Scene":
        from pliant.cli.choices import named, pairs, parsed_number
        from pliant.engines.spec.placing import Wishes
        from pliant.view.robots import robot_maker
        from pliant.view.simulated import Simulated

        chosen = named(self.attach, "attach", "joint=actuator, such as elbow=xl330_bam_m4")
        travel = pairs(self.transmission, "transmission", "joint=value, such as lift=0.01")
        wishes = Wishes(
            replace=self.replace,
            transmission={j: parsed_number(text, "transmission") for j, text in travel.items()},
        )
        return Simulated(robot_maker(model, chosen, wishes), model.name)
